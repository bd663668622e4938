// Probes and metrics.
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { json, routesOf, text } from '../answers.ts';
import { openToAll } from '../openapi.ts';
import { documented } from '../registry.ts';
import { Readiness } from '../schemas.ts';

const route = routesOf('system');

export type Probes = {
  /** Regardless of dependencies; `parts` lists failures. */
  alive(): Promise<{ alive: boolean; parts: Record<string, string> }>;
  ready(): Promise<{ ready: boolean; parts: Record<string, string> }>;
};

export type ProbeOptions = { metrics: Registry; probes: Probes; version: string };

const Health = documented(
  z.object({
    status: z.enum(['ok', 'failing']),
    version: z.string(),
    parts: z.record(z.string(), z.string()).optional(),
  }),
  { id: 'Health' },
);

export const probeRoutes: FastifyPluginAsyncZod<ProbeOptions> = async (
  app,
  { metrics, probes, version },
) => {
  app.get(
    '/healthz',
    route('open', 'instance', 'getHealth', 'Whether the process runs', {
      security: openToAll,
      response: {
        200: json('It runs.', Health),
        503: json('The process runs but does not work; `parts` says why. Restart it.', Health),
      },
    }),
    async (_request, reply) => {
      const { alive, parts } = await probes.alive();
      if (alive) return { status: 'ok' as const, version };
      return reply.code(503).send({ status: 'failing' as const, version, parts });
    },
  );

  app.get(
    '/readyz',
    route('open', 'instance', 'getReadiness', 'Whether requests can be served', {
      security: openToAll,
      response: {
        200: json('They can.', Readiness),
        503: json('They cannot; `parts` says what is missing.', Readiness),
      },
    }),
    async (request, reply) => {
      try {
        const state = await probes.ready();
        return await reply.code(state.ready ? 200 : 503).send(state);
      } catch (error) {
        request.log.error({ err: error }, 'readiness could not be found out');
        return reply.code(503).send({ ready: false, parts: {} });
      }
    },
  );

  app.get(
    '/metrics',
    route(
      'metrics',
      'instance',
      'getMetrics',
      'Metrics for Prometheus; from this machine, or with the token',
      {
        response: { 200: text('The metrics.', 'text/plain') },
        problems: ['unauthorized', 'forbidden'],
      },
    ),
    async (_request, reply) =>
      reply.header('content-type', metrics.contentType).send(await metrics.metrics()),
  );
};
