// The trace target by OpenTelemetry's variables, without its SDK.
import type { Environment } from '#domain/environment.ts';
import { trimTail } from '#domain/words.ts';

export type TraceTarget = {
  /** OTLP/HTTP; null for other exporters. */
  url: string | null;
  words: string;
};

type Variables = Pick<
  Environment,
  | 'OTEL_SDK_DISABLED'
  | 'OTEL_TRACES_EXPORTER'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_PROTOCOL'
  | 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
  | 'OTEL_CONFIG_FILE'
>;

const usualEndpoint = 'http://localhost:4318';

/** Null if no variable names one. */
export function readTraceTarget(env: Variables): TraceTarget | null {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null;
  if (env.OTEL_CONFIG_FILE !== undefined)
    return { url: null, words: `as ${env.OTEL_CONFIG_FILE} says` };
  const exporters = env.OTEL_TRACES_EXPORTER?.split(',').map((name) => name.trim()) ?? [];
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (exporters.includes('none')) return null;
  if (exporters.length === 0 && base === undefined && own === undefined) return null;
  if (exporters.length > 0 && !exporters.includes('otlp'))
    return { url: null, words: exporters.join(', ') };
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? '';
  if (protocol === 'grpc') return { url: null, words: `${own ?? base ?? usualEndpoint} (gRPC)` };
  const url = own ?? `${trimTail(base ?? usualEndpoint, /\//)}/v1/traces`;
  return { url, words: url };
}
