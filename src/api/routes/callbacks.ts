// Receives results of work that continues elsewhere. The token in the path is the only authority.
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type AnswerCallback, CallbackResult, callbackPath } from '#domain/callback.ts';
import { answers, json } from '../answers.ts';
import { openToAll, tags } from '../openapi.ts';
import { documented } from '../registry.ts';

export type CallbackOptions = { answer: AnswerCallback };

const Path = z.object({
  token: documented(z.string().min(1).max(200), {
    description: 'As it stands in the address that the operation was given.',
  }),
});

const Body = documented(CallbackResult, {
  id: 'CallbackResult',
  description:
    'What became of the work: `data` as the operation declares its output, with a `summary` in a line, or an `error` in a sentence.',
  examples: [
    { summary: 'Rendered 3 minutes of video.', data: { url: 'https://videos.example.com/42' } },
    { error: 'The source file is not a video.' },
  ],
});

export const callbackRoutes: FastifyPluginAsyncZod<CallbackOptions> = async (app, { answer }) => {
  app.post(
    `${callbackPath}:token`,
    {
      config: { role: 'open', subject: 'instance', limited: true },
      schema: {
        operationId: 'answerCallback',
        tags: [tags.system],
        summary: 'Say what became of work that a step waits for',
        description:
          'For the other side of an operation that was given this address. It is good for one attempt of one step and for one result; the same result sent again is answered the same. A result that does not fit (422) changes nothing: the step goes on waiting.',
        security: openToAll,
        params: Path,
        body: Body,
        response: answers({ 204: json('The step is settled.', z.null()) }, [
          'invalid_json',
          'body_too_large',
          'unsupported_media_type',
          'rate_limited',
          'not_found',
          'callback_over',
          'invalid_arguments',
          'tool_unavailable',
        ]),
      },
    },
    async (request, reply) => {
      await answer(request.params.token, request.body);
      return reply.code(204).send(null);
    },
  );
};
