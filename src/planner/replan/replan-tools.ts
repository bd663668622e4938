// Tools for a model that repairs a plan by one change.
import { z } from 'zod';
import { errorMessage } from '#domain/errors.ts';
import type { BriefPage } from '#domain/plan/brief.ts';
import type { PlanPatch } from '#domain/plan/patch.ts';
import type { ReplanAnswer, ReplanTask } from '#domain/plan/replan.ts';
import { line, toJson } from '#domain/text.ts';
import type { OperationSearch } from '../catalogue/search-operations.ts';
import { defineTool } from '../define-tool.ts';
import { createStepReader } from '../outline/written-steps.ts';
import type { PlannerTools } from '../ports.ts';
import type { AgentTools } from '../reasoner.ts';
import { fail, succeed, type Tool } from '../tool.ts';
import { createSearchTools, type ReadCall, readFront } from '../tools/catalogue-tools.ts';
import { ChangeInput, readChange, WrittenChange } from '../tools/written-change.ts';

export type PlanInRepair = {
  readAffected(planId: string, findingId: string, after: number): Promise<BriefPage>;
  readPage(planId: string, after: number): Promise<BriefPage>;
  /** Problems as sentences. */
  tryChange(planId: string, change: PlanPatch): Promise<string[]>;
};

type Parts = {
  task: ReplanTask;
  tools: Pick<PlannerTools, 'manifest' | 'readable' | 'call'>;
  plan: PlanInRepair;
  search: OperationSearch;
  guarded: readonly string[];
  /** Called once. */
  answer(answer: ReplanAnswer): void;
};

type ReplanContext = { tools: Parts['tools']; signal: AbortSignal };
type ReplanTool = Tool<unknown, ReplanContext>;

const maxShownProblems = 10;

const Page = z.strictObject({
  after: z.int().min(0).optional().describe('"next" of the page before; left out: the first page'),
});

function pages(
  name: string,
  description: string,
  readPage: (after: number) => Promise<BriefPage>,
): ReplanTool {
  return defineTool<z.infer<typeof Page>, ReplanContext>({
    name,
    description,
    input: Page,
    reads: true,
    execute: async ({ after = 0 }) => ({ result: succeed(toJson(await readPage(after))) }),
  });
}

const readOperation: Tool<ReadCall, ReplanContext> = {
  ...readFront,
  description: 'Calls an operation that only reads now and gives its output.',
  async execute({ name, args }, { tools, signal }) {
    const { data } = await tools.call(name, args, signal);
    return { result: succeed(data) };
  },
};

function endingTools({ task, plan, answer }: Parts): ReplanTool[] {
  return [
    defineTool<ChangeInput, ReplanContext>({
      name: 'propose_patch',
      description:
        'Propose the change that settles the finding. It is checked before anything of it runs.',
      input: ChangeInput,
      shown: WrittenChange,
      async execute(change, { tools }) {
        const reader = createStepReader(tools.manifest(), task.timezone);
        const read = readChange(change, task.plan.revision, reader);
        if ('problems' in read)
          return { result: fail(...read.problems.slice(0, maxShownProblems)) };
        const problems = await plan.tryChange(task.plan.id, read.change);
        if (problems.length > 0) return { result: fail(...problems.slice(0, maxShownProblems)) };
        answer({ patch: read.change });
        return { result: succeed(null, 'The change is checked now.'), ends: 'answered' };
      },
    }),
    defineTool<{ why: string }, ReplanContext>({
      name: 'give_up',
      description: 'No change settles the finding: a person must decide.',
      input: z.strictObject({ why: line(1000).describe('One sentence for the person.') }),
      async execute({ why }) {
        answer({ patch: null, why });
        return { result: succeed(null), ends: 'answered' };
      },
    }),
  ];
}

export function createReplanTools(parts: Parts): AgentTools {
  const { task, plan, search, guarded } = parts;
  const tools: ReplanTool[] = [
    pages('affected_steps', 'The steps that the finding touches, a page at a time.', (after) =>
      plan.readAffected(task.plan.id, task.finding.id, after),
    ),
    pages('plan_steps', 'All steps of the plan, a page at a time.', (after) =>
      plan.readPage(task.plan.id, after),
    ),
    readOperation,
    ...createSearchTools(search, guarded),
    ...endingTools(parts),
  ];
  const find = (name: string) => tools.find((tool) => tool.name === name);
  return {
    stage: 'DRAFT_OUTLINE',
    offered: () =>
      tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    find,
    async call(name, args, signal) {
      const tool = find(name);
      if (tool === undefined) {
        const names = tools.map((one) => one.name).join(', ');
        return { result: fail(`There is no such tool. There are ${names}.`) };
      }
      const prepared = tool.prepare(args);
      if ('problems' in prepared) return { result: fail(...prepared.problems) };
      try {
        return await tool.execute(prepared.input, { tools: parts.tools, signal });
      } catch (error) {
        return { result: fail(errorMessage(error)) };
      }
    },
    pay() {},
    note() {},
    reportDraft() {},
  };
}
