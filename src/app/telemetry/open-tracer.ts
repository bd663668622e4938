// OpenTelemetry tracing, loaded only if configured.
import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { startNodeSdk } from '@opentelemetry/sdk-node';
import type { Logger } from 'pino';
import type { Attributes, SpanOptions, Tracer } from '#domain/telemetry.ts';
import type { Scrub } from '../secrets.ts';
import { version } from '../version.ts';

const kinds: Record<NonNullable<SpanOptions['kind']>, SpanKind> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};

// W3C trace context, level 1; propagator settings don't affect it.

function readTraceparent(text: string): SpanContext | null {
  const [, traceId, spanId, flags] =
    /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

const writeTraceparent = ({ traceId, spanId, traceFlags }: SpanContext) =>
  `00-${traceId}-${spanId}-0${traceFlags & 1}`;

/** Repeated SDK complaints within this time are logged once. */
const complainEveryMs = 60_000;

function tellIn(log: Logger): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (message: string, ...more: unknown[]) => {
    const now = performance.now();
    if (now - reportedAt < complainEveryMs) return;
    reportedAt = now;
    const details = more.filter((one) => typeof one === 'string').join(' ');
    log.warn(`OpenTelemetry: ${message} ${details}`.trim().slice(0, 500));
  };
  const quiet = () => {};
  diag.setLogger(
    { error: report, warn: report, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

const sentWithinMs = 3000;

/** @returns the tracer, and a function that flushes and ends it @param role `gateway`, `worker`, or both */
export function openTracer(
  variables: NodeJS.ProcessEnv,
  { log, scrub, role }: { log: Logger; scrub: Scrub; role: string },
): { tracer: Tracer; close(): Promise<void> } {
  const named =
    variables.OTEL_SERVICE_NAME !== undefined ||
    /(^|,)\s*service\.name=/.test(variables.OTEL_RESOURCE_ATTRIBUTES ?? '');
  const sdk = startNodeSdk({
    resourceAttributes: {
      'service.version': version,
      'countersign.role': role,
      ...(named ? {} : { 'service.name': 'countersign' }),
    },
    // Metrics are scraped, logs go to stderr.
    metricReaders: [],
    logRecordProcessors: [],
    logLevel: 'warn',
  });
  tellIn(log);
  const { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: contents } = variables;
  return {
    tracer: createTracer(scrub, contents?.toLowerCase() === 'true'),
    async close() {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, sentWithinMs);
      await Promise.race([sdk.shutdown().catch(() => {}), late.promise]);
      clearTimeout(timer);
    },
  };
}

function createTracer(scrub: Scrub, takesContents: boolean): Tracer {
  const tracer = trace.getTracer('countersign', version);

  /** Redacts texts; the API drops undefined. */
  const cleanAttributes = (attributes: Attributes) =>
    Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name,
        typeof value === 'string' ? scrub(value) : Array.isArray(value) ? value.map(scrub) : value,
      ]),
    );

  function parentOf(parent: string | null | undefined): Context {
    if (parent === undefined) return context.active();
    const remote = parent === null ? null : readTraceparent(parent);
    return remote === null
      ? trace.deleteSpan(context.active())
      : trace.setSpanContext(context.active(), remote);
  }

  function link(span: Span, traceparent: string | null): void {
    const followed = traceparent === null ? null : readTraceparent(traceparent);
    // The same trace needs no link.
    if (followed !== null && followed.traceId !== span.spanContext().traceId)
      span.addLink({ context: followed });
  }

  return {
    takesContents,
    start(name, { kind = 'internal', attributes = {}, parent, links = [] }) {
      const around = parentOf(parent);
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], attributes: cleanAttributes(attributes) },
        around,
      );
      for (const one of links) link(span, one);
      const inside = trace.setSpan(around, span);
      return {
        set: (more) => void span.setAttributes(cleanAttributes(more)),
        link: (traceparent) => link(span, traceparent),
        fail(type, message) {
          span.setAttribute('error.type', type);
          span.setStatus({
            code: SpanStatusCode.ERROR,
            ...(message === undefined ? {} : { message: scrub(message) }),
          });
        },
        within: (work) => context.with(inside, work),
        end: () => span.end(),
      };
    },
    current() {
      const current = trace.getActiveSpan()?.spanContext();
      if (current === undefined) return null;
      const { traceId: trace_id, spanId: span_id } = current;
      return { traceparent: writeTraceparent(current), trace_id, span_id };
    },
    link(traceparent) {
      const current = trace.getActiveSpan();
      if (current !== undefined) link(current, traceparent);
    },
  };
}
