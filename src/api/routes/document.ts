// The OpenAPI document itself.
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { routesOf, text } from '../answers.ts';

const route = routesOf('system');

export const documentRoute: FastifyPluginAsyncZod = async (app) => {
  let document: string | null = null;
  app.get(
    '/openapi.json',
    route('page', 'instance', 'getDocument', 'This document', {
      response: { 200: text('OpenAPI 3.1.', 'application/json') },
      problems: ['forbidden'],
    }),
    async (_request, reply) => {
      // On first request, with all routes added.
      document ??= JSON.stringify(app.swagger());
      return reply.header('content-type', 'application/json; charset=utf-8').send(document);
    },
  );
};
