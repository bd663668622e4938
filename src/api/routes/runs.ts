// Runs: requests, outcomes, answers, decisions.
import type { FastifyRequest } from 'fastify';
import type { SessionChoice } from '#domain/chat/session-card.ts';
import { CountersignError } from '#domain/errors.ts';
import { actorOf } from '../actor.ts';
import { decisionProblems, json, routesOf } from '../answers.ts';
import type { Routes } from '../context.ts';
import { answerPost } from '../idempotency.ts';
import { RunPath } from '../queries.ts';
import { RunApprovalBody, RunBody, RunDecisionBody, RunStopBody, TalkBody } from '../requests.ts';
import { RunAnswer, RunStarted, TraceAnswer } from '../schemas.ts';

const route = routesOf('runs');

function started(runId: string): { run_id: string; status_url: string } {
  return { run_id: runId, status_url: `/api/runs/${encodeURIComponent(runId)}` };
}

function shownOf({ digest, turn }: { digest: string; turn?: number }) {
  return { digest, ...(turn === undefined ? {} : { turn }) };
}

function feedbackOf({ feedback }: { feedback?: string }): string | null {
  const words = feedback?.trim() ?? '';
  return words === '' ? null : words;
}

/** Without sign-in, all are one reader. */
const readerOf = ({ principal }: FastifyRequest): string => principal.account;

export const runRoutes: Routes = async (app) => {
  app.post(
    '/api/run',
    route('requester', 'new', 'startRun', 'Ask for work', {
      body: RunBody,
      response: { 202: json('A planner is at it; ask `status_url`.', RunStarted) },
    }),
    async (request, reply) => {
      return answerPost(request, reply, async (joined) => {
        const { user, ...wanted } = request.body;
        const run = await joined.startRun(wanted, actorOf(request, user));
        const answer = started(run.run_id);
        reply.code(202).header('location', answer.status_url);
        return answer;
      });
    },
  );

  app.get(
    '/api/runs/:id',
    route('viewer', 'run', 'getRun', 'Read a run', {
      params: RunPath,
      response: { 200: json('The run.', RunAnswer) },
    }),
    (request) => request.service.getRun(request.params.id, readerOf(request)),
  );

  app.get(
    '/api/runs/:id/trace',
    route('viewer', 'run', 'getRunTrace', 'Read the trace of a run', {
      params: RunPath,
      response: { 200: json('The trace.', TraceAnswer) },
    }),
    async (request) => request.service.runTrace(request.params.id),
  );

  app.post(
    '/api/runs/:id/reply',
    route('requester', 'run', 'replyToRun', 'Answer questions, or decide about the plan', {
      params: RunPath,
      body: TalkBody,
      response: { 202: json('Heard; ask `status_url`.', RunStarted) },
      problems: decisionProblems,
    }),
    async (request, reply) => {
      const { text, user, ...on_screen } = request.body;
      const options = { on_screen, reader: readerOf(request) };
      return answerPost(request, reply, async (joined) => {
        await joined.reply(request.params.id, text, actorOf(request, user), options);
        reply.code(202);
        return started(request.params.id);
      });
    },
  );

  app.post(
    '/api/runs/:id/stop',
    route('requester', 'run', 'stopRun', 'Stop planning', {
      params: RunPath,
      body: RunStopBody,
      response: { 200: json('The current run.', RunAnswer) },
      problems: decisionProblems,
    }),
    async (request, reply) => {
      const { turn, user } = request.body;
      const actor = actorOf(request, user);
      return answerPost(request, reply, (joined) => joined.stopRun(request.params.id, turn, actor));
    },
  );

  app.post(
    '/api/runs/:id/approve',
    route(
      'requester',
      'run',
      'approveRun',
      'Approve what the run shows: a stage, a new pattern, its cost or its plan',
      {
        params: RunPath,
        body: RunApprovalBody,
        response: { 200: json('The current run.', RunAnswer) },
        problems: [...decisionProblems, 'times_passed', 'preflight_failed'],
      },
    ),
    async (request, reply) => {
      const { passed } = request.body;
      const choice: SessionChoice = {
        kind: 'approve',
        ...shownOf(request.body),
        ...(passed === undefined ? {} : { passed }),
      };
      const actor = actorOf(request, request.body.user);
      return answerPost(request, reply, (joined) =>
        joined.decideRun(request.params.id, choice, actor),
      );
    },
  );

  app.post(
    '/api/runs/:id/reject',
    route('requester', 'run', 'rejectRun', 'Reject what the run shows, and end planning', {
      params: RunPath,
      body: RunDecisionBody,
      response: { 200: json('The current run.', RunAnswer) },
      problems: decisionProblems,
    }),
    async (request, reply) => {
      const feedback = feedbackOf(request.body);
      const choice: SessionChoice = {
        kind: 'reject',
        ...shownOf(request.body),
        ...(feedback === null ? {} : { feedback }),
      };
      const actor = actorOf(request, request.body.user);
      return answerPost(request, reply, (joined) =>
        joined.decideRun(request.params.id, choice, actor),
      );
    },
  );

  app.post(
    '/api/runs/:id/propose-changes',
    route('requester', 'run', 'proposeRunChanges', 'Propose changes to what the run shows', {
      params: RunPath,
      body: RunDecisionBody,
      response: { 200: json('The current run.', RunAnswer) },
      problems: [...decisionProblems, 'feedback_required'],
    }),
    async (request, reply) => {
      const feedback = feedbackOf(request.body);
      if (feedback === null) {
        throw new CountersignError(
          'feedback_required',
          'Say in "feedback" what should be different; the planner starts from it.',
        );
      }
      const choice: SessionChoice = { kind: 'changes', feedback, ...shownOf(request.body) };
      const actor = actorOf(request, request.body.user);
      return answerPost(request, reply, (joined) =>
        joined.decideRun(request.params.id, choice, actor),
      );
    },
  );
};
