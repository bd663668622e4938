// Changes of a plan, against a revision.
import { readPatch } from '#domain/plan/templates.ts';
import { actorOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import { bodyLimits, type Routes } from '../context.ts';
import { answerChecked } from '../idempotency.ts';
import { PatchesQuery, PlanPath } from '../queries.ts';
import { PatchBody } from '../requests.ts';
import { PatchAnswer, PatchList } from '../schemas.ts';
import { proposalProblems } from './plans.ts';

const route = routesOf('plans');

export const patchRoutes: Routes = async (app) => {
  app.post(
    '/api/plans/:id/patches',
    {
      ...route('requester', 'plan', 'patchPlan', 'Change a plan', {
        description:
          'A change that narrows an approved plan is applied at once. One that widens it is approved or rejected like a plan, with the version and digest of the answer. Bodies up to 64 MB.',
        params: PlanPath,
        body: PatchBody,
        response: {
          200: json('The change is applied.', PatchAnswer),
          202: json('The change waits for approval; the plan continues without it.', PatchAnswer),
        },
        problems: [
          ...proposalProblems,
          'not_allowed',
          'invalid_transition',
          'patch_conflict',
          'steps_missing',
        ],
      }),
      bodyLimit: bodyLimits.plan,
    },
    async (request, reply) => {
      const { user, ...patch } = request.body;
      return answerChecked(
        request,
        reply,
        () =>
          request.service.checkPatch(request.params.id, readPatch(patch), actorOf(request, user)),
        async (joined, checked) => {
          const outcome = await joined.commit(checked);
          reply.code(outcome.status === 'needs_approval' ? 202 : 200);
          return outcome;
        },
      );
    },
  );

  app.get(
    '/api/plans/:id/patches',
    route('viewer', 'plan', 'listPatches', "List a plan's patches", {
      params: PlanPath,
      querystring: PatchesQuery,
      response: { 200: json('A page of changes.', PatchList) },
    }),
    async (request) => request.service.listPatches(request.params.id, request.query),
  );
};
