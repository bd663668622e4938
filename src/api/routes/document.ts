// The OpenAPI document itself.
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { openAnswers, text } from '../answers.ts';
import { tags } from '../openapi.ts';

export const documentRoute: FastifyPluginAsyncZod = async (app) => {
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
      // On the first request, when all plugins have added their routes.
      document ??= JSON.stringify(app.swagger());
      return reply.header('content-type', 'application/json; charset=utf-8').send(document);
    },
  );
};
