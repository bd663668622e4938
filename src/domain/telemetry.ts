// Spans of work: how long it took, how it ended, what caused it. Code says what it does with `span`; traces, metrics and logs are
// three readers of that, which `src/app` connects. Without a tracer nothing is created but the duration.
import { AsyncLocalStorage } from 'node:async_hooks';
import { CountersignError } from './errors.ts';

/** What is worked on. Each kind has a histogram of its durations (`src/app/metrics`). */
export type Work =
  | 'http'
  | 'planning_turn'
  | 'model_call'
  | 'tool_call'
  | 'mcp_request'
  | 'step'
  | 'job'
  | 'chat_event'
  | 'card';

/** What is only measured, from one moment to another: no span has both as its ends. */
export type Wait = 'step_start' | 'chat_acknowledge' | 'chat_event_age' | 'card_age';

/** Names as OpenTelemetry has them; what is undefined is left out. Never contents, unless they were asked for. */
export type Attributes = Record<string, string | number | boolean | string[] | undefined>;

export type SpanOptions = {
  /** Whose side of a call this is; `internal` unless said. */
  kind?: 'internal' | 'server' | 'client' | 'consumer';
  attributes?: Attributes;
  /** The W3C traceparent of what caused it in another process; left out: the work that it happens in. null: nothing is known. */
  parent?: string | null;
  /** Traceparents of what it follows without being a part of it, such as the planning before an approval. */
  links?: (string | null)[];
  /** What each line of the log says while it goes on. */
  log?: Record<string, string | number>;
};

export type Span = {
  set(attributes: Attributes): void;
  link(traceparent: string | null): void;
  /** It failed, although nothing was thrown. @param type a stable code */
  fail(type: string, message?: string): void;
};

/** A span whose begin and end are not those of one function. */
export type OpenSpan = Span & {
  /** Runs `work` as a part of the span. */
  within<T>(work: () => T): T;
  end(): void;
};

export type Tracer = {
  start(name: string, options: SpanOptions): OpenSpan;
  /** Of the work that goes on. */
  current(): { traceparent: string; trace_id: string; span_id: string } | null;
  /** Links the work that goes on to `traceparent`. */
  link(traceparent: string): void;
  /** Contents of messages and calls may be written down. */
  takesContents: boolean;
};

type Meter = {
  worked(work: Work, seconds: number, attributes: Attributes): void;
  waited(wait: Wait, seconds: number, attributes: Attributes): void;
};

let tracer: Tracer | null = null;
const meters = new Set<Meter>();
const logged = new AsyncLocalStorage<Record<string, string | number>>();

/** Has spans traced; null: no more. */
export function setTracer(next: Tracer | null): void {
  tracer = next;
}

/** Has durations measured. @returns ends that */
export function addMeter(meter: Meter): () => void {
  meters.add(meter);
  return () => void meters.delete(meter);
}

export const isTraced = (): boolean => tracer !== null;
/** Whether contents of messages and calls may be attributes: the operator has said so. */
export const takesContents = (): boolean => tracer?.takesContents === true;
/** The traceparent of the work that goes on, to be stored with what it causes; null: nothing is traced. */
export const currentTrace = (): string | null => tracer?.current()?.traceparent ?? null;

/** Links the work that goes on to what it follows. */
export function linkTo(traceparent: string | null): void {
  if (traceparent !== null) tracer?.link(traceparent);
}

/** What a line of the log says beside its own words. */
export function logFields(): Record<string, string | number> {
  const current = tracer?.current() ?? null;
  const fields = logged.getStore();
  if (current === null) return fields ?? {};
  const { trace_id, span_id } = current;
  return { ...fields, trace_id, span_id };
}

export function openSpan(work: Work, name: string, options: SpanOptions = {}): OpenSpan {
  const traced = tracer?.start(name, options) ?? null;
  const attributes = { ...options.attributes };
  const { log } = options;
  const began = performance.now();
  const inTrace = <T>(run: () => T): T => (traced === null ? run() : traced.within(run));
  return {
    set(more) {
      Object.assign(attributes, more);
      traced?.set(more);
    },
    link: (traceparent) => traced?.link(traceparent),
    fail(type, message) {
      attributes['error.type'] = type;
      traced?.fail(type, message);
    },
    within: (run) =>
      log === undefined
        ? inTrace(run)
        : logged.run({ ...logged.getStore(), ...log }, () => inTrace(run)),
    end() {
      traced?.end();
      const seconds = (performance.now() - began) / 1000;
      for (const meter of meters) meter.worked(work, seconds, attributes);
    },
  };
}

/** What an error is called where only names count: never its text, which may quote what nobody has looked at. */
function typeOf(error: unknown): string {
  if (error instanceof CountersignError) return error.code;
  return error instanceof Error ? error.name : typeof error;
}

/** Does `run` as a span; it fails where that throws. */
export async function span<T>(
  work: Work,
  name: string,
  options: SpanOptions,
  run: (span: Span) => Promise<T>,
): Promise<T> {
  const open = openSpan(work, name, options);
  try {
    return await open.within(() => run(open));
  } catch (error) {
    open.fail(typeOf(error), error instanceof CountersignError ? error.message : undefined);
    throw error;
  } finally {
    open.end();
  }
}

/** Notes how long something took to begin, or to be heard of. */
export function measure(wait: Wait, seconds: number, attributes: Attributes = {}): void {
  for (const meter of meters) meter.waited(wait, Math.max(0, seconds), attributes);
}

/** @param tool what the operation is of: a built-in tool, an MCP server, or `planner` for the planner's own */
export function traceCall<T extends object>(
  tool: string,
  operation: string,
  args: object,
  call: () => Promise<T>,
): Promise<T> {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': operation,
    'gen_ai.tool.type': 'function',
    'countersign.tool': tool,
    ...(takesContents() ? { 'gen_ai.tool.call.arguments': JSON.stringify(args) } : {}),
  };
  return span('tool_call', `execute_tool ${operation}`, { attributes }, async (made) => {
    const result = await call();
    if (takesContents()) made.set({ 'gen_ai.tool.call.result': JSON.stringify(result) });
    return result;
  });
}
