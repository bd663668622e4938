// Plans: propose, find, read.
import { readDraft } from '#domain/plan/templates.ts';
import { actorOf, viewerOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import { bodyLimits, type Routes } from '../context.ts';
import { answerChecked } from '../idempotency.ts';
import type { ProblemCode } from '../problem.ts';
import {
  ForecastQuery,
  GroupsQuery,
  InboxQuery,
  MatchesQuery,
  PartitionsQuery,
  PlanPath,
  PlansQuery,
  PreviewsQuery,
  SinceQuery,
  StepPath,
  StepsQuery,
} from '../queries.ts';
import { ProposeBody } from '../requests.ts';
import {
  ChainAnswer,
  DiffAnswer,
  ForecastAnswer,
  GroupsAnswer,
  InboxAnswer,
  MatchesAnswer,
  OverviewAnswer,
  PartitionList,
  PlanAnswer,
  PlanList,
  PreviewsAnswer,
  StatsAnswer,
  StepList,
} from '../schemas.ts';

const route = routesOf('plans');

/** For a well-formed plan. */
export const proposalProblems: ProblemCode[] = [
  'unknown_operation',
  'invalid_arguments',
  'contradicting_target',
  'duplicate_step',
  'reserved_id',
  'unknown_step',
  'dependency_cycle',
  'invalid_reference',
  'empty_plan',
  'context_too_large',
  'limit_exceeded',
  'path_outside_workspace',
  'address_not_allowed',
];

export const planRoutes: Routes = async (app) => {
  app.post(
    '/api/plans',
    {
      ...route('requester', 'new', 'proposePlan', 'Propose a plan', {
        description:
          'Stored completely or not at all. Bodies up to 64 MB; the answer omits the steps.',
        body: ProposeBody,
        response: { 201: json('The plan, which waits for approval.', PlanAnswer) },
        problems: proposalProblems,
      }),
      bodyLimit: bodyLimits.plan,
    },
    async (request, reply) => {
      const { user, conversation, ...draft } = request.body;
      const options = conversation === undefined ? {} : { conversation };
      return answerChecked(
        request,
        reply,
        () => request.service.checkProposal(readDraft(draft), options, actorOf(request, user)),
        async (joined, checked) => {
          const plan = await joined.commit(checked);
          reply.code(201).header('location', `/api/plans/${plan.id}`);
          return plan;
        },
      );
    },
  );

  app.get(
    '/api/plans',
    route('viewer', 'list', 'listPlans', 'Find plans', {
      querystring: PlansQuery,
      response: { 200: json('A page of plans.', PlanList) },
    }),
    async (request) => request.service.listPlans(request.query),
  );

  app.get(
    '/api/inbox',
    route('viewer', 'list', 'getInbox', "Read a person's inbox", {
      description:
        'Groups: needs_you, running, failed, others, done. Every plan is in one group; search filters are combined.',
      querystring: InboxQuery,
      response: { 200: json('The groups.', InboxAnswer) },
    }),
    async (request) => {
      const { user, ...query } = request.query;
      return request.service.inbox({ ...query, user: viewerOf(request, user) });
    },
  );

  app.get(
    '/api/stats',
    route('viewer', 'list', 'getStats', 'Count plans, and requests that no tool can do', {
      description: 'Counts by status, and the most frequent recent requests that no tool can do.',
      response: { 200: json('The counts.', StatsAnswer) },
    }),
    async (request) => request.service.stats(),
  );

  app.get(
    '/api/plans/:id',
    route('viewer', 'plan', 'getPlan', 'Read a plan without its steps', {
      params: PlanPath,
      response: { 200: json('The plan.', PlanAnswer) },
    }),
    async (request) => request.service.getPlan(request.params.id),
  );

  app.get(
    '/api/plans/:id/overview',
    route('viewer', 'plan', 'getOverview', "Count a plan's steps by status", {
      params: PlanPath,
      response: { 200: json('The counts.', OverviewAnswer) },
    }),
    async (request) => request.service.overview(request.params.id),
  );

  app.get(
    '/api/plans/:id/diff',
    route('viewer', 'plan', 'getDiff', 'List changes since a revision', {
      params: PlanPath,
      querystring: SinceQuery,
      response: { 200: json('The changes.', DiffAnswer) },
    }),
    async (request) => {
      const { since, limit, compact } = request.query;
      return request.service.diff(request.params.id, since, limit, compact);
    },
  );

  app.get(
    '/api/plans/:id/steps',
    route('viewer', 'plan', 'listSteps', 'Read steps, by page or by id', {
      params: PlanPath,
      querystring: StepsQuery,
      response: { 200: json('The steps.', StepList) },
      problems: ['unknown_step'],
    }),
    async (request) => {
      const { ids, ...filter } = request.query;
      if (ids === undefined) return request.service.listSteps(request.params.id, filter);
      return { steps: await request.service.getSteps(request.params.id, ids), next_cursor: null };
    },
  );

  app.get(
    '/api/plans/:id/partitions',
    route('viewer', 'plan', 'listPartitions', "Count a plan's steps by partition", {
      params: PlanPath,
      querystring: PartitionsQuery,
      response: { 200: json('The partitions.', PartitionList) },
    }),
    async (request) => request.service.listPartitions(request.params.id, request.query),
  );

  app.get(
    '/api/plans/:id/matches',
    route('viewer', 'plan', 'countMatches', 'Count matching steps by partition', {
      params: PlanPath,
      querystring: MatchesQuery,
      response: { 200: json('The counts.', MatchesAnswer) },
    }),
    async (request) => request.service.findSteps(request.params.id, request.query.words),
  );

  app.get(
    '/api/plans/:id/groups',
    route('viewer', 'plan', 'getGroups', "Group a plan's steps, with dependencies between groups", {
      params: PlanPath,
      querystring: GroupsQuery,
      response: { 200: json('The groups.', GroupsAnswer) },
    }),
    async (request) => request.service.groups(request.params.id, request.query),
  );

  app.get(
    '/api/plans/:id/forecast',
    route('viewer', 'plan', 'getForecast', 'Read the critical path and expected times', {
      params: PlanPath,
      querystring: ForecastQuery,
      response: { 200: json('The forecast.', ForecastAnswer) },
    }),
    async (request) => request.service.forecast(request.params.id, request.query.ids ?? []),
  );

  app.get(
    '/api/plans/:id/steps/:step/chain',
    route('viewer', 'plan', 'getStepChain', "Read a step's dependencies and dependents", {
      params: StepPath,
      response: { 200: json('The other steps, by id.', ChainAnswer) },
      problems: ['unknown_step'],
    }),
    async (request) => request.service.stepChain(request.params.id, request.params.step),
  );

  app.get(
    '/api/plans/:id/previews',
    route('viewer', 'plan', 'previewSteps', 'Compare waiting steps with the current files', {
      description:
        'What a write changes in its file, and the beginning of what is moved or deleted. Omits steps that have no file or have begun, and steps whose file an earlier step may change.',
      params: PlanPath,
      querystring: PreviewsQuery,
      response: { 200: json('One for each step that has one.', PreviewsAnswer) },
      problems: ['unknown_step'],
    }),
    async (request) => ({
      previews: await request.service.previewSteps(request.params.id, request.query.ids),
    }),
  );
};
