import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { findFailing } from '#app/health.ts';
import { logOptions } from '#app/logging.ts';
import { createScrub, secretsOf } from '#app/secrets.ts';
import { readTraceTarget } from '#app/telemetry/target.ts';
import { Environment } from '#domain/environment.ts';
import { CountersignError } from '#domain/errors.ts';
import { Settings } from '#domain/settings.ts';
import { type Attributes, addMeter, setTracer, span, type Tracer } from '#domain/telemetry.ts';

const tracer: Tracer = {
  takesContents: false,
  start: () => ({
    set: () => {},
    link: () => {},
    fail: () => {},
    within: (work) => work(),
    end: () => {},
  }),
  current: () => ({ traceparent: '00-t-s-01', trace_id: 't', span_id: 's' }),
  link: () => {},
};

const ends: (() => void)[] = [() => setTracer(null)];
afterEach(() => {
  for (const end of ends) end();
});

function logWithin(fields: object | null): Promise<Record<string, unknown>> {
  const lines: string[] = [];
  const log = pino(logOptions('info'), { write: (line) => void lines.push(line) });
  const bound = fields === null ? log : log.child(fields);
  return span('step', 'a step', { log: { plan_id: 'PLAN-1', request_id: 'r-1' } }, async () => {
    await span('job', 'a part of it', { log: { job: 'j-1' } }, async () => bound.info('said'));
    const [line = ''] = lines;
    expect(line.match(/"request_id"/g)).toHaveLength(1);
    return JSON.parse(line);
  });
}

describe('a line of the log', () => {
  it('says what it belongs to, traced or not', async () => {
    expect(await logWithin(null)).toMatchObject({
      plan_id: 'PLAN-1',
      request_id: 'r-1',
      job: 'j-1',
    });
    expect(await logWithin(null)).not.toHaveProperty('trace_id');
    setTracer(tracer);
    expect(await logWithin(null)).toMatchObject({ job: 'j-1', trace_id: 't', span_id: 's' });
  });

  it('says once which request it is about', async () => {
    expect(await logWithin({ request_id: 'r-1' })).toMatchObject({ request_id: 'r-1' });
  });
});

describe('a span', () => {
  it('is measured with what was said of it and how it failed, traced or not', async () => {
    const measured: [string, Attributes][] = [];
    ends.push(
      addMeter({
        worked: (work, _, attributes) => void measured.push([work, attributes]),
        waited: () => {},
      }),
    );
    const failing = span(
      'tool_call',
      'a call',
      { attributes: { 'gen_ai.tool.name': 'x' } },
      async () => {
        throw new CountersignError('timed_out', 'It took too long.');
      },
    );
    await expect(failing).rejects.toThrow('It took too long.');
    await span('tool_call', 'a call', {}, async ({ set }) => set({ 'countersign.tool': 'y' }));
    expect(measured).toEqual([
      ['tool_call', { 'gen_ai.tool.name': 'x', 'error.type': 'timed_out' }],
      ['tool_call', { 'countersign.tool': 'y' }],
    ]);
  });
});

describe('traces are sent', () => {
  const target = (variables: object) => readTraceTarget(Environment.parse(variables));

  it.for<[object, string]>([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }, 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/t' }, 'http://c/t'],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces'],
    [{ OTEL_TRACES_EXPORTER: 'console' }, 'console'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'http://c:4317 (gRPC)',
    ],
  ])('with %j to %s', ([variables, words]) => {
    expect(target(variables)?.words).toBe(words);
  });

  it.for<[object]>([
    [{}],
    [{ OTEL_SERVICE_NAME: 'bot' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'true' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_EXPORTER: 'none' }],
  ])('nowhere with %j', ([variables]) => {
    expect(target(variables)).toBeNull();
  });
});

describe('the secrets of a configuration', () => {
  it('are taken out of a text wherever they stand, as they are and as JSON writes them', () => {
    const env = Environment.parse({
      DATABASE_URL: 'postgres://bot:pass%40word1@db/bot',
      OPENAI_API_KEY: 'sk-very-secret',
      COUNTERSIGN_API_TOKEN: 'token "with" quotes',
    });
    const settings = Settings.parse({
      mcpServers: {
        a: { url: 'https://mcp.example', headers: { authorization: 'Bearer of-the-server' } },
      },
    });
    const variables = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector,x=y' };
    const scrub = createScrub(secretsOf({ env, settings, secrets: [] }, variables));
    const text = 'sk-very-secret pass%40word1 pass@word1 of-the-server of-the-collector';
    expect(scrub(text)).toBe('… … … … …');
    expect(scrub(JSON.stringify({ a: 'token "with" quotes' }))).toBe('{"a":"…"}');
    expect(scrub('nothing to hide at https://mcp.example')).toBe(
      'nothing to hide at https://mcp.example',
    );
    scrub.add(['sk-"entered"-later']);
    expect(scrub('sk-very-secret sk-"entered"-later sk-\\"entered\\"-later')).toBe('… … …');
  });
});

describe('a worker', () => {
  const sound = { leasesQuietMs: 9_000, beatQuietMs: 6_000, leaseMs: 30_000 };

  it('works while it renews what it holds and says that it is there', () => {
    expect(findFailing(sound)).toEqual({});
  });

  it('fails when it does not renew its leases, or says nothing any more', () => {
    expect(findFailing({ ...sound, leasesQuietMs: 31_000 })).toEqual({
      leases: 'not renewed for 31 s, so others have taken its steps',
    });
    expect(Object.keys(findFailing({ ...sound, beatQuietMs: 31_000 }))).toEqual(['heartbeat']);
  });
});
