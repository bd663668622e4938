// Runs: a request in words, what became of it, and the answers to its questions.
import { actorOf } from '../actor.ts';
import { answers, bodyProblems, json } from '../answers.ts';
import type { Routes } from '../context.ts';
import { tags } from '../openapi.ts';
import { RunBody, RunPath, TalkBody } from '../requests.ts';
import { RunAnswer, RunStarted } from '../schemas.ts';

function started(runId: string): { run_id: string; status_url: string } {
  return { run_id: runId, status_url: `/api/runs/${encodeURIComponent(runId)}` };
}

export const runRoutes: Routes = async (app, { service }) => {
  app.post(
    '/api/run',
    {
      schema: {
        operationId: 'startRun',
        tags: [tags.runs],
        summary: 'Ask for something',
        body: RunBody,
        response: answers({ 202: json('A planner is at it; ask `status_url`.', RunStarted) }, [
          ...bodyProblems,
        ]),
      },
    },
    async (request, reply) => {
      const run = await service.startRun(request.body, actorOf(request, request.body.user));
      const answer = started(run.run_id);
      return reply.code(202).header('location', answer.status_url).send(answer);
    },
  );

  app.get(
    '/api/runs/:id',
    {
      schema: {
        operationId: 'getRun',
        tags: [tags.runs],
        summary: 'What became of a request',
        params: RunPath,
        response: answers({ 200: json('The run.', RunAnswer) }, ['run_not_found']),
      },
    },
    async (request) => service.getRun(request.params.id),
  );

  app.post(
    '/api/runs/:id/reply',
    {
      schema: {
        operationId: 'replyToRun',
        tags: [tags.runs],
        summary: 'Answer its questions, or decide about its plan',
        params: RunPath,
        body: TalkBody,
        response: answers({ 202: json('Heard; ask `status_url`.', RunStarted) }, [
          ...bodyProblems,
          'run_not_found',
          'not_allowed',
          'already_decided',
          'invalid_transition',
          'stale_version',
        ]),
      },
    },
    async (request, reply) => {
      const { text, user } = request.body;
      await service.reply(request.params.id, text, actorOf(request, user));
      return reply.code(202).send(started(request.params.id));
    },
  );
};
