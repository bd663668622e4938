// Hooks that measure, trace, log and queue requests.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Gauge, Histogram, type Registry } from 'prom-client';
import { type OpenSpan, openSpan } from '#domain/telemetry.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its duration is meaningless. */
    endless?: boolean;
  }
}

/** The client left before the response was complete. */
const clientLeft = 499;

/** Polled every few seconds. */
const untraced = new Set(['/healthz', '/readyz', '/metrics']);

export function measureRequests(app: FastifyInstance, registry: Registry): void {
  const duration = new Histogram({
    name: 'countersign_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const streams = new Gauge({
    name: 'countersign_http_event_streams',
    help: 'Event streams that are open.',
    labelNames: ['route'],
    registers: [registry],
  });
  const spans = new WeakMap<FastifyRequest, OpenSpan>();

  app.addHook('onRequest', async (request, reply) => {
    const begin = performance.now();
    const { method } = request;
    const route = request.routeOptions.url ?? 'none';
    const endless = request.routeOptions.config.endless === true;
    const span = endless || untraced.has(route) ? null : traceRequest(request, route);
    if (endless) streams.inc({ route });
    if (span !== null) spans.set(request, span);
    reply.raw.once('close', () => {
      const seconds = (performance.now() - begin) / 1000;
      const status = reply.raw.writableFinished ? reply.raw.statusCode : clientLeft;
      if (endless) streams.dec({ route });
      else duration.observe({ method, route, status }, seconds);
      span?.set({ 'http.response.status_code': status });
      if (status >= 500) span?.fail(String(status));
      span?.end();
      request.log.debug({ method, route, status, seconds }, 'request');
    });
  });

  // The body's events belong to no request; from here on the context is set.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.within(done);
  });
}

/** OpenTelemetry's conventions, without query or path, which may be private. */
function traceRequest(request: FastifyRequest, route: string): OpenSpan {
  const { method, protocol, headers } = request;
  const { traceparent } = headers;
  return openSpan('http', route === 'none' ? method : `${method} ${route}`, {
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : null,
    attributes: {
      'http.request.method': method,
      'url.scheme': protocol,
      ...(route === 'none' ? {} : { 'http.route': route }),
    },
    log: { request_id: request.id },
  });
}

const background = /(?:^|[,\s])u=7(?:$|[,;\s])/;

const defaultLimits = {
  /** Milliseconds that a background request waits for people's at most. */
  maxWaitMs: 250,
  turnMs: 3000,
  /** Slower requests wait for something else and don't count. */
  busyMs: 1000,
};

function isBackground({ method, headers: { priority } }: FastifyRequest): boolean {
  return method === 'GET' && typeof priority === 'string' && background.test(priority);
}

async function within(promise: Promise<void>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

/** Call before adding routes. */
export function queueBackground(
  app: FastifyInstance,
  limits: Partial<typeof defaultLimits> = {},
): void {
  const { maxWaitMs, turnMs, busyMs } = { ...defaultLimits, ...limits };
  const ends = new WeakMap<FastifyRequest, () => void>();
  let last = Promise.resolve();
  let urgent = 0;
  let onQuiet = () => {};

  async function untilQuiet(): Promise<void> {
    if (urgent === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    onQuiet = resolve;
    await within(promise, maxWaitMs);
  }

  app.addHook('preHandler', async (request, reply) => {
    if (request.routeOptions.config.endless === true) return;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    ends.set(request, end);
    reply.raw.once('close', end);
    if (isBackground(request)) {
      const before = last;
      last = before.then(() => within(ended, turnMs));
      await before;
      await untilQuiet();
      if (reply.raw.destroyed) reply.hijack();
      return;
    }
    urgent += 1;
    void within(ended, busyMs).then(() => {
      urgent -= 1;
      if (urgent === 0) onQuiet();
    });
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    ends.get(request)?.();
    return payload;
  });
}
