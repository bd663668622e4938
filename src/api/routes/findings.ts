// Findings of a plan: read, raised, settled.
import { actorOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import type { Routes } from '../context.ts';
import { answerPost } from '../idempotency.ts';
import { FindingPath, FindingsQuery, PlanPath } from '../queries.ts';
import { FindingActionBody, FindingBody } from '../requests.ts';
import { FindingAnswer, FindingList } from '../schemas.ts';

const route = routesOf('plans');
const decision = routesOf('decisions');

export const findingRoutes: Routes = async (app) => {
  app.get(
    '/api/plans/:id/findings',
    route('viewer', 'plan', 'listFindings', "List a plan's findings", {
      params: PlanPath,
      querystring: FindingsQuery,
      response: { 200: json('A page of findings.', FindingList) },
    }),
    async (request) => request.service.listFindings(request.params.id, request.query),
  );

  app.post(
    '/api/plans/:id/findings',
    route('requester', 'plan', 'raiseFinding', 'Report a finding', {
      description:
        'INFO and WARN are only stored. ERROR and CRITICAL make dependents of the step, or of the partition, stale until the finding is settled; only people who may decide about the plan can raise them.',
      params: PlanPath,
      body: FindingBody,
      response: { 200: json('The finding.', FindingAnswer) },
      problems: ['unknown_step', 'not_allowed', 'invalid_transition'],
    }),
    async (request, reply) => {
      const { user, ...finding } = request.body;
      return answerPost(request, reply, (joined) =>
        joined.raiseFinding(request.params.id, finding, actorOf(request, user)),
      );
    },
  );

  app.post(
    '/api/plans/:id/findings/:finding',
    decision('requester', 'plan', 'settleFinding', 'Settle a finding', {
      description:
        'proceed: stale steps run as they are, or count as done again. leave_out: they never run. dismiss: as proceed, for a false alarm. replan: drafts a change of the plan.',
      params: FindingPath,
      body: FindingActionBody,
      response: { 200: json('The current finding.', FindingAnswer) },
      problems: ['not_found', 'not_allowed', 'already_decided', 'invalid_transition'],
    }),
    async (request, reply) => {
      const { id, finding } = request.params;
      const { user, action } = request.body;
      return answerPost(request, reply, (joined) =>
        joined.settleFinding(id, finding, action, actorOf(request, user)),
      );
    },
  );
};
