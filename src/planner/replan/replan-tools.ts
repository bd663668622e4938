// The tools of a model that repairs a plan: it reads steps and what operations read, and proposes one change.
import { z } from 'zod';
import { errorMessage } from '#domain/errors.ts';
import type { BriefPage } from '#domain/plan/brief.ts';
import type { PlanPatch } from '#domain/plan/patch.ts';
import type { ReplanAnswer, ReplanTask } from '#domain/plan/replan.ts';
import type { StageEvent } from '#domain/planning/stages.ts';
import { JsonObject, line, toJson } from '#domain/text.ts';
import { describeOperation, type Standing, writeLine } from '../catalogue/describe-operation.ts';
import type { OperationSearch } from '../catalogue/search-operations.ts';
import { createStepReader } from '../outline/written-steps.ts';
import type { PlannerTools } from '../ports.ts';
import type { CallAnswer, OfferedTool, StageTools } from '../reasoner.ts';
import { fail, fromSchema, succeed, type ToolResult } from '../tool-result.ts';
import { readCall, readTool } from '../tools/catalogue-tools.ts';
import { dropNulls, HeardChange, readChange, WrittenChange } from '../tools/written-change.ts';

/** What of a plan can be read and tried. Nothing of it changes anything. */
export type PlanInRepair = {
  /** A page of the steps that the finding touches. */
  readAffected(planId: string, findingId: string, after: number): Promise<BriefPage>;
  readPage(planId: string, after: number): Promise<BriefPage>;
  /** Why the change could not be made now, as sentences; empty: it can. */
  tryChange(planId: string, change: PlanPatch): Promise<string[]>;
};

type Parts = {
  task: ReplanTask;
  tools: Pick<PlannerTools, 'manifest' | 'readable' | 'call'>;
  plan: PlanInRepair;
  search: OperationSearch;
  guarded: ReadonlySet<string>;
  /** Told once, with what comes of it. */
  answer(answer: ReplanAnswer): void;
};

type ReplanTool = OfferedTool & {
  check(args: object): string[];
  run(args: object, signal: AbortSignal): Promise<{ result: ToolResult; ends?: StageEvent }>;
};

const foundAtMost = 15;
const problemsTold = 10;

const Page = z.strictObject({
  after: z.int().min(0).optional().describe('"next" of the page before; left out: the first page'),
});
const Read = z.strictObject({
  operation: z.string().describe('full name of a read operation'),
  args: JsonObject,
});
const Search = z.strictObject({ query: z.string().describe('what it should do, in English') });
const Describe = z.strictObject({ names: z.array(z.string()).min(1).max(5) });
const GiveUp = z.strictObject({ why: line(1000).describe('One sentence for the person.') });

function readingTools({ task, tools, plan, search, guarded }: Parts): ReplanTool[] {
  const standing = (): Standing => ({
    guarded,
    readable: new Set(tools.readable().map(({ name }) => name)),
  });
  return [
    {
      name: 'affected_steps',
      description: 'The steps that the finding touches, a page at a time.',
      reads: true,
      ...fromSchema(Page),
      async run(args) {
        const { after = 0 } = Page.parse(args);
        return {
          result: succeed(toJson(await plan.readAffected(task.plan.id, task.finding.id, after))),
        };
      },
    },
    {
      name: 'plan_steps',
      description: 'All steps of the plan, a page at a time.',
      reads: true,
      ...fromSchema(Page),
      async run(args) {
        const { after = 0 } = Page.parse(args);
        return { result: succeed(toJson(await plan.readPage(task.plan.id, after))) };
      },
    },
    {
      name: readTool,
      description: 'Calls an operation that only reads now and gives its output.',
      reads: true,
      ...fromSchema(Read),
      async run(args, signal) {
        const call = readCall(JsonObject.parse(args));
        if (call === null) return { result: fail('Give "operation" and "args", an object.') };
        const { data } = await tools.call(call.name, call.args, signal);
        return { result: succeed(data) };
      },
    },
    {
      name: 'search_operations',
      description: 'Finds operations by their purpose.',
      reads: true,
      ...fromSchema(Search),
      async run(args) {
        const found = search.find(tools.manifest(), Search.parse(args).query, foundAtMost);
        return { result: succeed(found.map((spec) => writeLine(spec, standing()))) };
      },
    },
    {
      name: 'describe_operation',
      description: 'All there is to know of operations.',
      reads: true,
      ...fromSchema(Describe),
      async run(args) {
        const { names } = Describe.parse(args);
        const found = tools.manifest().filter(({ name }) => names.includes(name));
        return {
          result: succeed(toJson(found.map((spec) => describeOperation(spec, standing())))),
        };
      },
    },
  ];
}

function endingTools({ task, tools, plan, answer }: Parts): ReplanTool[] {
  return [
    {
      name: 'propose_patch',
      description:
        'Propose the change that settles the finding. It is checked before anything of it runs.',
      reads: false,
      ...fromSchema(WrittenChange),
      check: (args) => fromSchema(HeardChange).check(dropNulls(args)),
      async run(args) {
        const reader = createStepReader(tools.manifest(), task.timezone);
        const read = readChange(HeardChange.parse(dropNulls(args)), task.plan.revision, reader);
        if ('problems' in read) return { result: fail(...read.problems.slice(0, problemsTold)) };
        const problems = await plan.tryChange(task.plan.id, read.change);
        if (problems.length > 0) return { result: fail(...problems.slice(0, problemsTold)) };
        answer({ patch: read.change });
        return { result: succeed(null, 'The change is checked now.'), ends: 'answered' };
      },
    },
    {
      name: 'give_up',
      description: 'No change settles the finding: a person has to decide.',
      reads: false,
      ...fromSchema(GiveUp),
      async run(args) {
        answer({ patch: null, why: GiveUp.parse(args).why });
        return { result: succeed(null), ends: 'answered' };
      },
    },
  ];
}

/** The tools as the agent's loop calls them: outside any session, so nothing of one is there. */
export function createReplanTools(parts: Parts): StageTools {
  const tools = [...readingTools(parts), ...endingTools(parts)];
  const find = (name: string) => tools.find((tool) => tool.name === name);
  const call = async (name: string, args: object, signal: AbortSignal): Promise<CallAnswer> => {
    const tool = find(name);
    if (tool === undefined)
      return {
        result: fail(
          `There is no such tool. There are ${tools.map((one) => one.name).join(', ')}.`,
        ),
      };
    const problems = tool.check(args);
    if (problems.length > 0) return { result: fail(...problems) };
    try {
      return await tool.run(args, signal);
    } catch (error) {
      return { result: fail(errorMessage(error)) };
    }
  };
  return {
    stage: 'DRAFT_OUTLINE',
    offered: () =>
      tools.map(({ name, description, parameters, reads }) => ({
        name,
        description,
        parameters,
        reads,
      })),
    reads: (name) => find(name)?.reads ?? false,
    waits: () => false,
    quotes: (name) => find(name)?.reads ?? false,
    draft: () => null,
    draftedSteps: () => 0,
    call,
    callOwn: call,
    say() {},
    explain() {},
    ask() {},
    pay() {},
    note() {},
    reportDraft() {},
  };
}
