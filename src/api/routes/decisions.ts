// Decisions, bound to a version and, for approval, a digest.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { carryOutPress, readApproval } from '#conversation/press.ts';
import type { Press, PressOutcome } from '#domain/chat/press.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { Decision, Service } from '#domain/service.ts';
import { actorOf } from '../actor.ts';
import { approvalProblems, decisionProblems, json, routesOf } from '../answers.ts';
import type { Routes } from '../context.ts';
import { answerChecked, answerPost } from '../idempotency.ts';
import { PlanPath } from '../queries.ts';
import {
  ApproveBody,
  ChangeRequestBody,
  DecisionBody,
  PressBody,
  ResumeBody,
  RetryBody,
  SimulateBody,
} from '../requests.ts';
import { PlanAnswer, RunAnswer, SimulationAnswer } from '../schemas.ts';

const route = routesOf('decisions');

/** Blank feedback counts as none. */
function decisionOf({ version, feedback }: z.infer<typeof DecisionBody>): Decision {
  const words = feedback?.trim() ?? '';
  return words === '' ? { version } : { version, feedback: words };
}

/** Null if not of that kind. */
const PressAnswer = z.object({ plan: PlanAnswer.nullable(), run: RunAnswer.nullable() });

function pressOf({ button, text, fields, comments, ...part }: z.infer<typeof PressBody>): Press {
  const { steps, except } = part;
  const chosen = steps === undefined ? null : { steps };
  return {
    button,
    text: text?.trim() ?? '',
    fields: fields ?? null,
    part: except === undefined ? chosen : { except },
    ...(comments === undefined ? {} : { comments }),
  };
}

async function checkPress(service: Service, press: Press, actor: Actor) {
  const { button } = press;
  const approval = await readApproval(service, press, actor);
  if (approval === null || !('plan_id' in button)) return null;
  return service.checkApproval(button.plan_id, approval, actor);
}

async function answerPress(service: Service, outcome: PressOutcome) {
  switch (outcome.kind) {
    case 'plan':
      return { plan: await service.getPlan(outcome.plan_id), run: null };
    case 'run':
      return { plan: null, run: await service.getRun(outcome.run_id) };
    case 'nothing':
      return { plan: null, run: null };
    default:
      return outcome satisfies never;
  }
}

type Verb = (service: Service, id: string, decision: Decision, actor: Actor) => Promise<Plan>;

export const decisionRoutes: Routes = async (app) => {
  app.post(
    '/api/plans/:id/approve',
    route('approver', 'plan', 'approvePlan', 'Approve a plan', {
      params: PlanPath,
      body: ApproveBody,
      response: { 200: json('The current plan.', PlanAnswer) },
      problems: approvalProblems,
    }),
    async (request, reply) => {
      const { user, ...approval } = request.body;
      return answerChecked(
        request,
        reply,
        () => request.service.checkApproval(request.params.id, approval, actorOf(request, user)),
        (joined, checked) => joined.commit(checked),
      );
    },
  );

  app.post(
    '/api/press',
    route('requester', 'press', 'press', 'Press a button of a card', {
      body: PressBody,
      response: { 200: json('The current state of its subject.', PressAnswer) },
      problems: [...approvalProblems, 'invalid_answer', 'feedback_required'],
    }),
    async (request, reply) => {
      const press = pressOf(request.body);
      const actor = actorOf(request, request.body.user);
      return answerChecked(
        request,
        reply,
        () => checkPress(request.service, press, actor),
        async (joined, checked) =>
          checked === null
            ? answerPress(joined, await carryOutPress(joined, press, actor))
            : { plan: await joined.commit(checked), run: null },
      );
    },
  );

  const addVerb = (path: string, operationId: string, summary: string, act: Verb): void => {
    app.post(
      `/api/plans/:id/${path}`,
      route('requester', 'plan', operationId, summary, {
        params: PlanPath,
        body: DecisionBody,
        response: { 200: json('The current plan.', PlanAnswer) },
        problems: decisionProblems,
      }),
      async (request, reply) =>
        answerPost(request, reply, (joined) =>
          act(
            joined,
            request.params.id,
            decisionOf(request.body),
            actorOf(request, request.body.user),
          ),
        ),
    );
  };

  addVerb('reject', 'rejectPlan', 'Refuse it, with or without feedback', (on, ...args) =>
    on.reject(...args),
  );
  app.post(
    '/api/plans/:id/propose-changes',
    route(
      'requester',
      'plan',
      'proposeChanges',
      'Propose changes, as feedback or comments on steps',
      {
        params: PlanPath,
        body: ChangeRequestBody,
        response: { 200: json('The current plan.', PlanAnswer) },
        problems: [...decisionProblems, 'feedback_required', 'unknown_step'],
      },
    ),
    async (request, reply) => {
      const { user, comments = [], ...rest } = request.body;
      const decision = decisionOf(rest);
      if (decision.feedback === undefined && comments.length === 0)
        throw new CountersignError(
          'feedback_required',
          'Say in "feedback" what should be different, or in "comments" on single steps; the planner starts from it.',
        );
      const changeRequest = comments.length === 0 ? decision : { ...decision, comments };
      return answerPost(request, reply, (joined) =>
        joined.proposeChanges(request.params.id, changeRequest, actorOf(request, user)),
      );
    },
  );
  addVerb(
    'cancel',
    'cancelPlan',
    'Give it up; running steps end, no new one starts',
    (on, ...args) => on.cancel(...args),
  );
  addVerb('pause', 'pausePlan', 'Hold it; running steps end, no new one starts', (on, ...args) =>
    on.pause(...args),
  );
  addVerb('mark-failed', 'markPlanFailed', 'End a stalled plan as failed', (on, ...args) =>
    on.markFailed(...args),
  );
  app.post(
    '/api/plans/:id/retry',
    route(
      'requester',
      'plan',
      'retryPlan',
      'Retry failed steps and those skipped because of them',
      {
        params: PlanPath,
        body: RetryBody,
        response: { 200: json('The current plan.', PlanAnswer) },
        problems: decisionProblems,
      },
    ),
    async (request, reply) => {
      const { user, ended_at, ...decision } = request.body;
      const seen = ended_at === undefined ? {} : { ended_at };
      const again = { ...decisionOf(decision), ...seen };
      return answerPost(request, reply, (joined) =>
        joined.retry(request.params.id, again, actorOf(request, user)),
      );
    },
  );

  app.post(
    '/api/plans/:id/resume',
    route(
      'requester',
      'plan',
      'resumePlan',
      'Resume a plan, answer a step, or report an unknown outcome',
      {
        params: PlanPath,
        body: ResumeBody,
        response: { 200: json('The current plan.', PlanAnswer) },
        problems: [...decisionProblems, 'unknown_step', 'invalid_answer', 'feedback_required'],
      },
    ),
    async (request, reply) => {
      const { user, ...settlement } = request.body;
      return answerPost(request, reply, (joined) =>
        joined.resume(request.params.id, settlement, actorOf(request, user)),
      );
    },
  );

  app.post(
    '/api/plans/:id/simulate',
    route('requester', 'plan', 'simulatePlan', 'Dry run: show what the plan would do', {
      params: PlanPath,
      body: SimulateBody,
      response: { 200: json('The calls, in an order the plan allows.', SimulationAnswer) },
      problems: ['stale_version'],
    }),
    async (
      request: FastifyRequest<{
        Params: z.infer<typeof PlanPath>;
        Body: z.infer<typeof SimulateBody>;
      }>,
      reply,
    ) => {
      const { user, ...decision } = request.body ?? {};
      const { service, params } = request;
      const simulate = () => service.simulate(params.id, decision, actorOf(request, user));
      return answerChecked(request, reply, simulate, async (_, simulated) => simulated);
    },
  );
};
