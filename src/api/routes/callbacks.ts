// Receives deferred results, authorised by the path's token.
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type AnswerCallback, CallbackResult, callbackPath } from '#domain/callback.ts';
import { json, routesOf } from '../answers.ts';
import { openToAll } from '../openapi.ts';
import { documented } from '../registry.ts';

const route = routesOf('system');

export type CallbackOptions = { answer: AnswerCallback };

const Path = z.object({
  token: documented(z.string().min(1).max(200), {
    description: 'The token in the callback address.',
  }),
});

const Body = documented(CallbackResult, {
  id: 'CallbackResult',
  description:
    "The result: `data` in the shape of the operation's output with a one-line `summary`, or an `error`.",
  examples: [
    { summary: 'Rendered 3 minutes of video.', data: { url: 'https://videos.example.com/42' } },
    { error: 'The source file is not a video.' },
  ],
});

export const callbackRoutes: FastifyPluginAsyncZod<CallbackOptions> = async (app, { answer }) => {
  app.post(
    `${callbackPath}:token`,
    route('open', 'instance', 'answerCallback', 'Report the result of long-running work', {
      config: { limited: true },
      description:
        'For the service that received this address from an operation. It works for one attempt of one step and one result; the same result sent again gets the same answer. An invalid result (422) changes nothing.',
      security: openToAll,
      params: Path,
      body: Body,
      response: { 204: json('The step is settled.', z.null()) },
      problems: [
        'invalid_request',
        'database_unavailable',
        'rate_limited',
        'not_found',
        'callback_over',
        'invalid_arguments',
        'tool_unavailable',
      ],
    }),
    async (request, reply) => {
      await answer(request.params.token, request.body);
      return reply.code(204).send(null);
    },
  );
};
