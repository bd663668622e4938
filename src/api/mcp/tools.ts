// The tools of `/mcp`; none decides, since people do.
import type { McpServer } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseInSlices } from '#domain/parse-in-slices.ts';
import { countOf, onOneLine } from '#domain/words.ts';
import { visitorOf } from './agent.ts';
import { registerOperationTools } from './operation-tools.ts';
import type { ToolOptions } from './options.ts';
import { Progress, progressOf, progressOfRun, writeProgress } from './progress.ts';
import { propose } from './propose.ts';
import { type Answer, answerFor, answerWith, reads } from './results.ts';
import {
  factsOf,
  GetInput,
  ListInput,
  PlanFacts,
  ProposeInput,
  StepFacts,
  stepFactsOf,
} from './shapes.ts';
import { writeCursor } from './wait.ts';
import { registerWaitTool } from './wait-tool.ts';

/** Parses large values in slices. */
function inSlices<Output, Input>(schema: z.ZodType<Output, Input>) {
  const standard = schema['~standard'];
  return {
    '~standard': {
      ...standard,
      validate: async (value: unknown) => {
        const parsed = await parseInSlices(schema, value);
        return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
      },
    },
  };
}

const stepsOnPage = 20;
const plansOnPage = 20;

export function registerTools(
  server: McpServer,
  request: FastifyRequest,
  options: ToolOptions,
  left: AbortSignal,
): void {
  const { linkTo } = options;
  const answer: Answer = (work) => answerFor(request, work);
  const { service } = request;

  async function readProgress(made: { plan_id: string } | { run_id: string }): Promise<Progress> {
    if ('plan_id' in made) {
      const plan = await service.getPlan(made.plan_id);
      return progressOf(plan, linkTo(plan.id));
    }
    const run = await service.getRun(made.run_id);
    return run.plan_id === undefined
      ? progressOfRun(run, null)
      : readProgress({ plan_id: run.plan_id });
  }

  server.registerTool(
    'plan_propose',
    {
      title: 'Propose a plan',
      description:
        'Proposes a plan: title and steps, each a call of an operation (operations_search finds them), or a request in words for the planner. Nothing runs until a person has approved exactly what is shown. Give them the link, then call plan_wait.',
      inputSchema: inSlices(ProposeInput),
      outputSchema: Progress,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    (proposal, context) =>
      answer(async () => {
        const made = await propose(visitorOf(request, context, proposal.agent), proposal);
        const state = await readProgress(made);
        return answerWith(writeProgress(state), state);
      }),
  );

  const Page = z.object({
    plan: PlanFacts,
    cursor: z.string(),
    steps: z.array(StepFacts),
    next: z.string().nullable().describe('"after" of the next page'),
  });
  server.registerTool(
    'plan_get',
    {
      title: 'Read a plan',
      description:
        'Read a plan: its status, and a page of steps with status, effect, output or error.',
      inputSchema: GetInput,
      outputSchema: Page,
      annotations: reads,
    },
    ({ plan: id, after }) =>
      answer(async () => {
        const plan = await service.getPlan(id);
        const filter = { limit: stepsOnPage, ...(after === undefined ? {} : { cursor: after }) };
        const page = await service.listSteps(id, filter);
        const steps = page.steps.map(stepFactsOf);
        const state = progressOf(plan, linkTo(id));
        const lines = steps.map(({ label, status, effect, summary, error }) =>
          [`${label} ${status}: ${onOneLine(effect, 200)}`, summary, error]
            .filter((one) => one !== null)
            .join(' — '),
        );
        return answerWith([writeProgress(state), ...lines].join('\n'), {
          plan: factsOf(plan, linkTo(id)),
          cursor: writeCursor(plan),
          steps,
          next: page.next_cursor,
        });
      }),
  );

  const Listed = z.object({
    id: z.string(),
    title: z.string(),
    status: z.string(),
    requester: z.string(),
    steps: z.int(),
    link: z.string().nullable(),
    result: z.string().nullable(),
    updated_at: z.string(),
  });
  server.registerTool(
    'plan_list',
    {
      title: 'List plans',
      description: 'List the latest plans; "plan_get" reads one.',
      inputSchema: ListInput,
      outputSchema: z.object({ plans: z.array(Listed), next: z.string().nullable() }),
      annotations: reads,
    },
    ({ status, everybody, after }, context) =>
      answer(async () => {
        const { owner } = visitorOf(request, context, undefined);
        const page = await service.listPlans({
          limit: plansOnPage,
          ...(status === undefined ? {} : { status }),
          ...(everybody ? {} : { user: owner.id }),
          ...(after === undefined ? {} : { cursor: after }),
        });
        const plans = page.plans.map((plan) => ({
          id: plan.id,
          title: plan.title,
          status: plan.status,
          requester: plan.requester,
          steps: plan.total_steps,
          link: linkTo(plan.id),
          result: plan.result_summary,
          updated_at: plan.updated_at,
        }));
        const lines = plans.map(
          (plan) =>
            `${plan.id} ${plan.status}, ${countOf(plan.steps, 'step')}: ${onOneLine(plan.title, 100)}`,
        );
        const text = lines.length === 0 ? 'There are no such plans.' : lines.join('\n');
        return answerWith(text, { plans, next: page.next_cursor });
      }),
  );

  registerWaitTool(server, answer, request, options, left);
  registerOperationTools(server, answer, options, request.principal.tenant);
}
