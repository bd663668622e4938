// The tools of the planning agent: reading operations, and the verbs of a plan. None of them changes anything.
import { z } from 'zod';
import { type PlanDraft, PlanStatus } from '#contracts/plan.ts';
import type { Json } from '#contracts/text.ts';
import { JsonObject, JsonValue } from '#contracts/text.ts';
import type { OperationSpec } from '#contracts/tool.ts';
import { type AgentTool, fail, fromSchema, succeed } from '../agent/agent-tool.ts';
import { checkDraft } from '../check-draft.ts';
import type { PlannerTools } from '../ports.ts';
import { ProposalArguments, readProposal } from './proposal.ts';

export type PlannerEnd =
  | { kind: 'proposal'; draft: PlanDraft; confidence: number | null }
  | { kind: 'question'; questions: string[] }
  | { kind: 'answer'; text: string };

type PlannerTool = AgentTool<PlannerEnd>;

/** Servers take at most 128 tools; ours come first. */
const readingAtMost = 110;

export function createPlannerTools(tools: PlannerTools, questionsAtMost: number): PlannerTool[] {
  const own = [
    propose(tools),
    ask(questionsAtMost),
    answer(),
    listPlans(tools),
    getPlan(tools),
    decide('plan_approve'),
    decide('plan_reject'),
  ];
  const taken = new Set(own.map((tool) => tool.name));
  const reading = tools
    .readable()
    .slice(0, readingAtMost)
    .map((spec) => readingTool(spec, tools, taken));
  return [...own, ...reading];
}

function plain(
  name: string,
  description: string,
  schema: z.ZodType,
  run: PlannerTool['run'],
): PlannerTool {
  return {
    name,
    description,
    ...fromSchema(schema),
    strict: true,
    prerequisites: [],
    produces: [],
    run,
  };
}

function propose(tools: PlannerTools): PlannerTool {
  const tool = plain(
    'plan_propose',
    'Put a plan before the person. Nothing runs until they approve it.',
    ProposalArguments,
    async (args) => {
      const read = readProposal(args, tools.manifest());
      if (!read.ok) return { result: fail(...read.problems) };
      const problems = checkDraft(read.draft, tools);
      if (problems.length > 0) return { result: fail(...problems) };
      const { draft, confidence } = read;
      return {
        result: succeed(null, 'The plan is before the person.'),
        ends: { kind: 'proposal', draft, confidence },
      };
    },
  );
  // What looser servers send is read as well; readProposal finds the problems.
  return { ...tool, produces: ['proposal'], check: () => [] };
}

const Questions = z.strictObject({
  questions: z.array(z.string()).describe('Short and concrete, one thing each.'),
});

function ask(atMost: number): PlannerTool {
  return plain(
    'ask_person',
    `Ask the person, at most ${atMost} questions.`,
    Questions,
    async (args) => {
      const questions = Questions.parse(args)
        .questions.map((question) => question.trim())
        .filter((question) => question !== '')
        .slice(0, atMost);
      if (questions.length === 0) return { result: fail('There is no question in it.') };
      return {
        result: succeed(null, 'The person is asked.'),
        ends: { kind: 'question', questions },
      };
    },
  );
}

const Answer = z.strictObject({
  text: z.string().describe('The whole answer, in the words the person reads.'),
});

function answer(): PlannerTool {
  return plain('answer', 'Answer the person without a plan.', Answer, async (args) => {
    const text = Answer.parse(args).text.trim();
    if (text === '') return { result: fail('The answer is empty.') };
    return { result: succeed(null, 'The person reads it.'), ends: { kind: 'answer', text } };
  });
}

const PlanFilter = z.strictObject({
  status: PlanStatus.nullable().describe('Only plans in this status; null: all.'),
});

function listPlans(tools: PlannerTools): PlannerTool {
  return plain('plan_list', 'List the latest plans.', PlanFilter, async (args) => {
    const { status } = PlanFilter.parse(args);
    const plans = await tools.listPlans({
      ...(status === null ? {} : { status: [status] }),
      limit: 20,
    });
    return { result: succeed(toJson(plans)) };
  });
}

const PlanId = z.strictObject({ id: z.string().describe('PLAN- and 8 hexadecimal digits.') });

function getPlan(tools: PlannerTools): PlannerTool {
  return plain('plan_get', 'Read one plan.', PlanId, async (args) => ({
    result: succeed(toJson(await tools.getPlan(PlanId.parse(args).id))),
  }));
}

/** A model decides nothing: the call is answered, and the plan waits as before. */
function decide(name: 'plan_approve' | 'plan_reject'): PlannerTool {
  const verb = name === 'plan_approve' ? 'approve' : 'reject';
  const tool = plain(
    name,
    `Only a person can ${verb} a plan. Calling this changes nothing.`,
    PlanId,
    async () => ({
      result: fail(
        `Only a person can ${verb} a plan, on its card or by the word "${verb}". Nothing has been decided.`,
      ),
    }),
  );
  return { ...tool, check: () => [] };
}

function readingTool(spec: OperationSpec, tools: PlannerTools, taken: Set<string>): PlannerTool {
  const name = nameFunction(spec.name, taken);
  const { $schema: _, ...parameters } = spec.input;
  return {
    name,
    description: `${spec.description.slice(0, 900)} (reads only)`,
    parameters,
    strict: false,
    prerequisites: [],
    produces: [],
    check: (args) => tools.validate(spec.name, args),
    async run(args, signal) {
      const output = await tools.call(spec.name, JsonObject.parse(args), signal);
      return { result: succeed(output.data, output.summary.slice(0, 500)) };
    },
  };
}

/** A name that every server takes, unique among the tools offered. */
function nameFunction(name: string, taken: Set<string>): string {
  const base = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60);
  let candidate = base;
  for (let count = 2; taken.has(candidate); count += 1) candidate = `${base}_${count}`;
  taken.add(candidate);
  return candidate;
}

function toJson(value: unknown): Json {
  const parsed = JsonValue.safeParse(JSON.parse(JSON.stringify(value ?? null)));
  return parsed.success ? parsed.data : null;
}
