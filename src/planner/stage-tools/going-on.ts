// Tools for plans that are there: plan_get reads one with what came of its steps, plan_continue proposes a change of it, plan_again
// takes it as a draft, answer_step puts an answer before a person. None of them decides anything.
import { z } from 'zod';
import { PatchOperation, type PlanPatch } from '#domain/plan/patch.ts';
import { GivenToStep, type Pause } from '#domain/planning/state.ts';
import { isObject, type Json, JsonObject, JsonValue, line } from '#domain/text.ts';
import { fail, fromSchema, succeed, toJson } from '../agent/agent-tool.ts';
import { outlineOfDraft } from '../grammar/outline-of-draft.ts';
import {
  createStepReader,
  type StepChange,
  type StepReader,
  writtenStepShape,
} from '../grammar/written-steps.ts';
import type { ToolContext, ToolOutcome } from '../tools/planning-tool.ts';
import { openStages, type StageTool } from './stage-tool.ts';

/** What can be said to a step. */
const StepAnswer = GivenToStep.shape.answer;

const planId = z.string().describe('PLAN- and 8 hexadecimal digits');

const common = {
  stages: openStages,
  prerequisites: [],
  produces: [],
  revision: null,
} satisfies Partial<StageTool>;

const GetPlan = z.strictObject({
  plan: planId,
  after: z.int().min(0).optional().describe('"next" of the page before; left out: the first page'),
});

const getPlan: StageTool = {
  name: 'plan_get',
  description:
    'Read a plan: where it stands, its revision, and of its steps status, call, output or error, a page at a time.',
  ...common,
  ...fromSchema(GetPlan),
  reads: true,
  isOffered: ({ has_plans }) => has_plans,
  async run(args, { tools, state }) {
    const { plan, after = 0 } = GetPlan.parse(args);
    if (tools.atHand === null)
      return { result: succeed(toJson(await tools.getPlan(state.run_id, plan))) };
    return { result: succeed(toJson(await tools.atHand.readPage(state.run_id, plan, after))) };
  },
};

const { phase: _, ...newStepShape } = writtenStepShape;
const newStep = z.strictObject({
  ...newStepShape,
  id: z.string().describe('new, unlike any step of the plan: 4b, 9'),
});

const Continue = z.strictObject({
  plan: planId,
  revision: z.int().min(1).describe('that of the plan as you read it'),
  why: line(500).describe('One sentence for the person: what changes, and why.'),
  add: z
    .array(newStep)
    .optional()
    .describe(
      'New steps. Without "after", one that replaces another waits for what that waited for.',
    ),
  replace: z
    .array(z.strictObject({ step: z.string(), by: z.string() }))
    .optional()
    .describe(
      'Which new step takes the place of which step of the plan, by their ids: that never runs again, and what used its output uses that of the new one.',
    ),
  edit: z
    .array(z.looseObject({ id: z.string() }))
    .optional()
    .describe(
      'Steps that have not begun, by id, with what changes of description, args (all of them), not_before, notes, when, ask_before.',
    ),
  remove: z
    .array(z.string())
    .optional()
    .describe(
      'Ids of steps that are not to run, or not again. What waits for them goes on without them.',
    ),
  wait: z
    .array(z.strictObject({ step: z.string(), for: z.string() }))
    .optional()
    .describe('A step of the plan that has not begun shall wait for another one.'),
});
/** The same as it is heard: steps are read one by one, so that each problem is told. */
const HeardContinue = Continue.extend({
  add: z.array(JsonValue).optional(),
  edit: z.array(JsonValue).optional(),
});
type HeardContinue = z.infer<typeof HeardContinue>;

function dropNulls(value: object): JsonObject {
  const given = Object.entries(JsonObject.parse(value)).filter(([, item]) => item !== null);
  return Object.fromEntries(given);
}

/** What is given of a step, without what is not said. */
function givenOf(step: StepChange['step']): JsonObject {
  return JsonObject.parse(JSON.parse(JSON.stringify(step)));
}

/** In the order in which each may name what those before it make. */
function toOperations(
  args: HeardContinue,
  reader: StepReader,
): { operations: Json[]; problems: string[] } {
  const { replace = [], add = [], edit = [], remove = [], wait = [] } = args;
  const problems: string[] = [];
  const added = new Set<Json | undefined>();
  const soundOf = <T extends object>(read: T | { problems: string[] }): T | null => {
    if (!('problems' in read)) return read;
    problems.push(...read.problems);
    return null;
  };
  const readNew = (raw: Json): JsonObject => {
    const read = soundOf(reader.readNew(raw));
    return read === null ? {} : givenOf(read.step);
  };
  const readEdit = (raw: Json): Json => {
    const read = soundOf(reader.readChange(raw));
    if (read === null) return {};
    const { id, ...set } = givenOf(read.step);
    const cleared = Object.fromEntries(read.cleared.map((key) => [key, null]));
    return { op: 'update_steps', steps: { ids: [id ?? ''] }, set: { ...set, ...cleared } };
  };
  const operations = [
    ...add.map((raw): Json => {
      const step = readNew(raw);
      added.add(step.id);
      const place = replace.find(({ by }) => by === step.id);
      return place === undefined
        ? { op: 'add_step', step }
        : { op: 'replace_step', step: place.step, by: step };
    }),
    ...edit.map(readEdit),
    ...wait.map((one): Json => ({ op: 'add_dependency', step: one.step, after: { id: one.for } })),
    ...(remove.length === 0 ? [] : [{ op: 'remove_steps', steps: { ids: remove }, release: true }]),
  ];
  const loose = replace.filter(({ by }) => !added.has(by));
  if (problems.length === 0 && loose.length > 0)
    problems.push(
      `"replace" names ${loose.map(({ by }) => by).join(', ')}, which "add" does not add.`,
    );
  return { operations, problems };
}

const problemsTold = 10;

function readChange(
  args: HeardContinue,
  read: StepReader,
): { change: PlanPatch } | { problems: string[] } {
  const { operations, problems } = toOperations(args, read);
  if (problems.length > 0) return { problems };
  if (operations.length === 0)
    return { problems: ['Nothing changes. Say what to replace, add, edit, remove or wait for.'] };
  const parsed = z.array(PatchOperation).safeParse(operations);
  if (parsed.success) {
    const { revision, why } = args;
    return { change: { base_revision: revision, reason: why, operations: parsed.data } };
  }
  const misfits = parsed.error.issues.map(({ path: [index, ...path], message }) => {
    const operation = operations[Number(index)];
    const op = isObject(operation) ? String(operation.op) : 'change';
    return `${op} ${path.join('.')}: ${message}`;
  });
  return { problems: misfits };
}

async function continuePlan(given: object, { tools, state }: ToolContext): Promise<ToolOutcome> {
  const { atHand } = tools;
  if (atHand === null) return { result: fail('There is no plan to go on with here.') };
  const args = HeardContinue.parse(dropNulls(given));
  const read = readChange(args, createStepReader(tools.manifest(), state.timezone));
  if ('problems' in read) return { result: fail(...read.problems.slice(0, problemsTold)) };
  const problems = await atHand.tryChange(state.run_id, args.plan, read.change);
  if (problems.length > 0) return { result: fail(...problems.slice(0, problemsTold)) };
  return {
    result: succeed(
      null,
      'The change is put before the person. Nothing of it runs until they approve it.',
    ),
    changes: {
      result: { kind: 'patch', plan_id: args.plan, patch: read.change, why: args.why },
    },
    ends: 'answered',
  };
}

const goOn: StageTool = {
  name: 'plan_continue',
  description:
    'Propose a change of a plan that runs, failed or is done: what is done stays, the person approves the rest. For "fix what failed and go on", "also …", "skip step 4".',
  ...common,
  ...fromSchema(Continue),
  check: (args) => fromSchema(HeardContinue).check(dropNulls(args)),
  isOffered: ({ has_plans }) => has_plans,
  reads: false,
  run: continuePlan,
};

const Again = z.strictObject({ plan: planId });

/** Of a repeated plan so much is shown at once; the draft has all of it. */
const stepsShown = 60;

const repeat: StageTool = {
  name: 'plan_again',
  description:
    'Take an earlier plan as the draft of a new one ("run it again for March"). The old plan stays as it is; change dates, names and paths before you submit the draft.',
  ...common,
  ...fromSchema(Again),
  produces: ['pattern', 'draft'],
  reads: false,
  isOffered: ({ has_plans }) => has_plans,
  async run(args, { tools, state }) {
    const { plan } = Again.parse(args);
    if (tools.atHand === null) return { result: fail('There is no plan to repeat here.') };
    const draft = await tools.atHand.readDraft(state.run_id, plan);
    const outline = outlineOfDraft(draft, null);
    const steps = draft.steps.slice(0, stepsShown);
    const data = { ...draft, steps, steps_total: draft.steps.length };
    return {
      result: succeed(
        toJson(data),
        'This is the draft now. Change what is different this time, then submit it.',
      ),
      changes: { pattern: outline.pattern, outline },
    };
  },
};

const Answer = z.strictObject({
  plan: planId,
  step: z.string().describe('id of the step that waits'),
  answer: z
    .union([z.string(), z.record(z.string(), z.json())])
    .describe('what the person said, in their words; the values of its fields where it has a form'),
});

const answerPause: Pause = { kind: 'answer', resume: 'COLLECT_CONTEXT', gate: null, digest: null };

const answerStep: StageTool = {
  name: 'answer_step',
  description:
    'The person has answered a step that waits: put their answer before them to confirm. It answers nothing by itself.',
  ...common,
  ...fromSchema(Answer),
  reads: false,
  isOffered: ({ has_plans }) => has_plans,
  async run(args, { tools, state }) {
    const { plan, step, answer } = Answer.parse(args);
    if (tools.atHand === null) return { result: fail('There is no plan here.') };
    const fields = StepAnswer.safeParse(answer);
    if (!fields.success)
      return { result: fail('The answer is text, or one text, number or yes/no for each field.') };
    const read = await tools.atHand.readAnswer(state.run_id, plan, step, fields.data);
    if ('problems' in read) return { result: fail(...read.problems) };
    return {
      result: succeed(null, 'The person is asked to confirm it.'),
      changes: { result: { kind: 'step_answer', ...read }, pause: answerPause },
      ends: 'needs_clarification',
    };
  },
};

export const goingOnTools: StageTool[] = [getPlan, goOn, repeat, answerStep];
