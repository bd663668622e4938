// What is measured, traced and logged about each request: its time by route template and status; open event streams are counted.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Gauge, Histogram, type Registry } from 'prom-client';
import { type OpenSpan, openSpan } from '#domain/telemetry.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer lasts as long as somebody listens: its duration says nothing. */
    endless?: boolean;
  }
}

/** The status of a request whose client left before the answer was whole. */
const clientLeft = 499;

/** Asked every few seconds by what watches; a trace of each would say nothing. */
const untraced = new Set(['/healthz', '/readyz', '/metrics']);

/** Measures, traces and logs every request of this instance until its connection is done with it. */
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

  // The body has been read, by events of the connection that belong to no request: from here on all that happens belongs to it.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.within(done);
  });
}

/** By OpenTelemetry's conventions for HTTP servers; neither query nor path, which may name what is nobody's business. */
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
