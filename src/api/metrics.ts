// What is measured and logged about each request: its time by route template and status; open event streams are counted.
import type { FastifyInstance } from 'fastify';
import { Gauge, Histogram, type Registry } from 'prom-client';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer lasts as long as somebody listens: its duration says nothing. */
    endless?: boolean;
  }
}

/** The status of a request whose client left before the answer was whole. */
const clientLeft = 499;

/** Measures and logs every request of this instance when its connection is done with it. */
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

  app.addHook('onRequest', async (request, reply) => {
    const begin = performance.now();
    const { method } = request;
    const route = request.routeOptions.url ?? 'none';
    const endless = request.routeOptions.config.endless === true;
    if (endless) streams.inc({ route });
    reply.raw.once('close', () => {
      const seconds = (performance.now() - begin) / 1000;
      const status = reply.raw.writableFinished ? reply.raw.statusCode : clientLeft;
      if (endless) streams.dec({ route });
      else duration.observe({ method, route, status }, seconds);
      request.log.debug({ method, route, status, seconds }, 'request');
    });
  });
}
