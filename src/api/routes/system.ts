// Probes, metrics and the document itself.
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { json, openAnswers, text } from '../answers.ts';
import { openToAll, tags } from '../openapi.ts';
import { documented } from '../registry.ts';
import { Readiness } from '../schemas.ts';

export type SystemOptions = {
  metrics: Registry;
  readiness(): Promise<{ ready: boolean; parts: Record<string, string> }>;
  version: string;
};

const Health = documented(z.object({ status: z.literal('ok'), version: z.string() }), {
  id: 'Health',
});

export const systemRoutes: FastifyPluginAsyncZod<SystemOptions> = async (
  app,
  { metrics, readiness, version },
) => {
  app.get(
    '/healthz',
    {
      config: { role: 'open', subject: 'instance' },
      schema: {
        operationId: 'getHealth',
        tags: [tags.system],
        summary: 'Whether the process runs',
        security: openToAll,
        response: openAnswers({ 200: json('It runs.', Health) }),
      },
    },
    async () => ({ status: 'ok' as const, version }),
  );

  app.get(
    '/readyz',
    {
      config: { role: 'open', subject: 'instance' },
      schema: {
        operationId: 'getReadiness',
        tags: [tags.system],
        summary: 'Whether requests can be served',
        security: openToAll,
        response: openAnswers({
          200: json('They can.', Readiness),
          503: json('They cannot; `parts` says what is missing.', Readiness),
        }),
      },
    },
    async (request, reply) => {
      try {
        const state = await readiness();
        return await reply.code(state.ready ? 200 : 503).send(state);
      } catch (error) {
        request.log.error({ err: error }, 'readiness could not be found out');
        return reply.code(503).send({ ready: false, parts: {} });
      }
    },
  );

  app.get(
    '/metrics',
    {
      config: { role: 'metrics', subject: 'instance' },
      schema: {
        operationId: 'getMetrics',
        tags: [tags.system],
        summary: 'Metrics for Prometheus; from this machine, or with the token',
        response: openAnswers({ 200: text('The metrics.', 'text/plain') }, [
          'unauthorized',
          'forbidden',
        ]),
      },
    },
    async (_request, reply) =>
      reply.header('content-type', metrics.contentType).send(await metrics.metrics()),
  );

  let document: string | null = null;
  app.get(
    '/openapi.json',
    {
      config: { role: 'page', subject: 'instance' },
      schema: {
        operationId: 'getDocument',
        tags: [tags.system],
        summary: 'This document',
        response: openAnswers({ 200: text('OpenAPI 3.1.', 'application/json') }, ['forbidden']),
      },
    },
    async (_request, reply) => {
      // Made at the first request: by then every plugin has added its routes, and none can follow.
      document ??= JSON.stringify(app.swagger());
      return reply.header('content-type', 'application/json; charset=utf-8').send(document);
    },
  );
};
