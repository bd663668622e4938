// Spans of work, for traces, metrics and logs.
import { AsyncLocalStorage } from 'node:async_hooks';
import { CountersignError } from './errors.ts';

/** Each has a histogram (`src/app/metrics`). */
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

/** Between moments that no span covers. */
export type Wait = 'step_start' | 'chat_acknowledge' | 'chat_event_age' | 'card_age';

/** OpenTelemetry's names; contents only if enabled. */
export type Attributes = Record<string, string | number | boolean | string[] | undefined>;

export type SpanOptions = {
  /** Default: `internal`. */
  kind?: 'internal' | 'server' | 'client' | 'consumer';
  attributes?: Attributes;
  /** W3C traceparent of a cause elsewhere; default: the current work. */
  parent?: string | null;
  /** Earlier work, such as planning before an approval. */
  links?: (string | null)[];
  /** Added to log lines meanwhile. */
  log?: Record<string, string | number>;
};

export type Span = {
  set(attributes: Attributes): void;
  link(traceparent: string | null): void;
  /** Without an exception. @param type a stable code */
  fail(type: string, message?: string): void;
};

export type OpenSpan = Span & {
  within<T>(work: () => T): T;
  end(): void;
};

export type Tracer = {
  start(name: string, options: SpanOptions): OpenSpan;
  current(): { traceparent: string; trace_id: string; span_id: string } | null;
  link(traceparent: string): void;
  /** May record message and call contents. */
  takesContents: boolean;
};

type Meter = {
  worked(work: Work, seconds: number, attributes: Attributes): void;
  waited(wait: Wait, seconds: number, attributes: Attributes): void;
};

let tracer: Tracer | null = null;
const meters = new Set<Meter>();
const logged = new AsyncLocalStorage<Record<string, string | number>>();

export function setTracer(next: Tracer | null): void {
  tracer = next;
}

/** @returns a function that removes it */
export function addMeter(meter: Meter): () => void {
  meters.add(meter);
  return () => void meters.delete(meter);
}

export const isTraced = (): boolean => tracer !== null;
export const takesContents = (): boolean => tracer?.takesContents === true;
/** To store with consequences. */
export const currentTrace = (): string | null => tracer?.current()?.traceparent ?? null;

/** To what the current work follows. */
export function linkTo(traceparent: string | null): void {
  if (traceparent !== null) tracer?.link(traceparent);
}

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

/** Its text may quote private content. */
function typeOf(error: unknown): string {
  if (error instanceof CountersignError) return error.code;
  return error instanceof Error ? error.name : typeof error;
}

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

export function measure(wait: Wait, seconds: number, attributes: Attributes = {}): void {
  for (const meter of meters) meter.waited(wait, Math.max(0, seconds), attributes);
}

/** @param tool a built-in tool, an MCP server, or `planner` */
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
