// Findings of a plan: read, raised by people and monitors, settled.
import { actorOf } from '../actor.ts';
import { answers, bodyProblems, json } from '../answers.ts';
import type { Routes } from '../context.ts';
import { answerPost } from '../idempotency.ts';
import { tags } from '../openapi.ts';
import {
  FindingActionBody,
  FindingBody,
  FindingPath,
  FindingsQuery,
  PlanPath,
} from '../requests.ts';
import { FindingAnswer, FindingList } from '../schemas.ts';

export const findingRoutes: Routes = async (app) => {
  app.get(
    '/api/plans/:id/findings',
    {
      config: { role: 'viewer', subject: 'plan' },
      schema: {
        operationId: 'listFindings',
        tags: [tags.plans],
        summary: "List a plan's findings",
        params: PlanPath,
        querystring: FindingsQuery,
        response: answers({ 200: json('A page of findings.', FindingList) }, ['plan_not_found']),
      },
    },
    async (request) => request.service.listFindings(request.params.id, request.query),
  );

  app.post(
    '/api/plans/:id/findings',
    {
      config: { role: 'requester', subject: 'plan' },
      schema: {
        operationId: 'raiseFinding',
        tags: [tags.plans],
        summary: 'Report a finding',
        description:
          'INFO and WARN are only stored. ERROR and CRITICAL make dependents of the step, or of the partition, stale until the finding is settled; only people who may decide about the plan can raise them.',
        params: PlanPath,
        body: FindingBody,
        response: answers({ 200: json('The finding.', FindingAnswer) }, [
          ...bodyProblems,
          'plan_not_found',
          'unknown_step',
          'not_allowed',
          'invalid_transition',
        ]),
      },
    },
    async (request, reply) => {
      const { user, ...finding } = request.body;
      return answerPost(request, reply, (joined) =>
        joined.raiseFinding(request.params.id, finding, actorOf(request, user)),
      );
    },
  );

  app.post(
    '/api/plans/:id/findings/:finding',
    {
      config: { role: 'requester', subject: 'plan' },
      schema: {
        operationId: 'settleFinding',
        tags: [tags.decisions],
        summary: 'Settle a finding',
        description:
          'proceed: stale steps run as they are, or count as done again. leave_out: they never run. dismiss: as proceed, for a false alarm. replan: drafts a change of the plan.',
        params: FindingPath,
        body: FindingActionBody,
        response: answers({ 200: json('The finding as it stands now.', FindingAnswer) }, [
          ...bodyProblems,
          'plan_not_found',
          'not_found',
          'not_allowed',
          'already_decided',
          'invalid_transition',
        ]),
      },
    },
    async (request, reply) => {
      const { id, finding } = request.params;
      const { user, action } = request.body;
      return answerPost(request, reply, (joined) =>
        joined.settleFinding(id, finding, action, actorOf(request, user)),
      );
    },
  );
};
