// Playbooks: saved plans, proposed with other values.
import { z } from 'zod';
import { PlanDraft } from '#domain/plan/plan.ts';
import { Playbook, PlaybookName, PlaybookValues } from '#domain/plan/playbook.ts';
import { line } from '#domain/text.ts';
import { actorOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import type { Routes } from '../context.ts';
import { answerChecked, answerPost } from '../idempotency.ts';
import { ImportQuery } from '../queries.ts';
import { documented } from '../registry.ts';
import { PlanAnswer } from '../schemas.ts';
import { proposalProblems } from './plans.ts';

const route = routesOf('plans');

const user = ImportQuery.shape.user;

const PlaybookPath = z.object({
  name: documented(PlaybookName, { description: 'The playbook: `close-month`.' }),
});
const PlaybookAnswer = documented(Playbook, {
  id: 'Playbook',
  description: "A playbook without its steps; `text` is a parameter's text in the plan.",
});
const PlaybookList = documented(z.object({ playbooks: z.array(PlaybookAnswer) }), {
  id: 'PlaybookList',
  description: 'Playbooks by name.',
});
const WholePlaybook = documented(
  z.object({ playbook: PlaybookAnswer, draft: documented(PlanDraft, { id: 'PlanDraft' }) }),
  { id: 'WholePlaybook', description: 'A playbook with the plan it proposes.' },
);
const SaveBody = documented(
  z.strictObject({
    plan_id: line(300),
    name: PlaybookName,
    params: PlaybookValues.default({}),
    defaults: PlaybookValues.default({}),
    user,
  }),
  {
    id: 'PlaybookToSave',
    description:
      'Parameters, each with its current text in the plan: `params` are required for each run, `defaults` keep their text if omitted.',
    examples: [{ plan_id: 'PLAN-3f9a1c20', name: 'close-month', params: { customer: 'ACME' } }],
  },
);
const RunBody = documented(
  z.strictObject({
    params: PlaybookValues.default({}),
    conversation: line(300).exactOptional(),
    user,
  }),
  { id: 'PlaybookValues', examples: [{ params: { customer: 'Globex' } }] },
);

export const playbookRoutes: Routes = async (app) => {
  app.get(
    '/api/playbooks',
    route('viewer', 'list', 'listPlaybooks', 'List playbooks', {
      response: { 200: json('The playbooks.', PlaybookList) },
    }),
    async (request) => ({
      playbooks: await request.service.listPlaybooks(actorOf(request, undefined)),
    }),
  );

  app.post(
    '/api/playbooks',
    route('requester', 'new', 'savePlaybook', 'Save a plan as a playbook', {
      description: 'Replaces your playbook of the same name.',
      body: SaveBody,
      response: { 200: json('The playbook.', PlaybookAnswer) },
      problems: ['plan_not_found', 'not_allowed', 'limit_exceeded'],
    }),
    async (request, reply) => {
      const { user: given, plan_id, ...playbook } = request.body;
      const actor = actorOf(request, given);
      return answerPost(request, reply, (joined) => joined.savePlaybook(plan_id, playbook, actor));
    },
  );

  app.get(
    '/api/playbooks/:name',
    route('viewer', 'list', 'getPlaybook', 'Read a playbook with its steps', {
      params: PlaybookPath,
      response: { 200: json('The playbook.', WholePlaybook) },
      problems: ['not_found'],
    }),
    async (request) =>
      request.service.getPlaybook(request.params.name, actorOf(request, undefined)),
  );

  app.delete(
    '/api/playbooks/:name',
    route('requester', 'list', 'removePlaybook', 'Remove a playbook', {
      params: PlaybookPath,
      querystring: ImportQuery,
      response: { 200: json('The playbook as it was.', PlaybookAnswer) },
      problems: ['not_found', 'not_allowed'],
    }),
    async (request) =>
      request.service.removePlaybook(request.params.name, actorOf(request, request.query.user)),
  );

  app.post(
    '/api/playbooks/:name/run',
    route('requester', 'new', 'runPlaybook', 'Run a playbook', {
      description: 'Makes a proposal that waits for approval; earlier approvals don’t count.',
      params: PlaybookPath,
      body: RunBody,
      response: { 201: json('The plan, which waits for approval.', PlanAnswer) },
      problems: ['not_found', ...proposalProblems],
    }),
    async (request, reply) => {
      const { user: given, params, ...options } = request.body;
      const actor = actorOf(request, given);
      const { name } = request.params;
      return answerChecked(
        request,
        reply,
        () => request.service.checkPlaybookRun(name, params, options, actor),
        async (joined, checked) => {
          const plan = await joined.commit(checked);
          reply.code(201).header('location', `/api/plans/${plan.id}`);
          return plan;
        },
      );
    },
  );
};
