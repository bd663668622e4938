// Tools for existing plans, called through `read` and `on_plan`.
import { z } from 'zod';
import { GivenToStep, type Pause } from '#domain/planning/state.ts';
import { AnyJson, JsonObject, line, toJson } from '#domain/text.ts';
import { onOneLine, shorten } from '#domain/words.ts';
import { readArguments } from '../agent/tool-call.ts';
import { defineTool, showSchema, toolDefaults } from '../define-tool.ts';
import { datesOfSession } from '../draft/draft-times.ts';
import { showDraft } from '../draft/show-draft.ts';
import { outlineOfDraft } from '../outline/outline-of-draft.ts';
import { createStepReader } from '../outline/written-steps.ts';
import {
  fail,
  type Prepared,
  succeed,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '../tool.ts';
import type { ReadCall } from './catalogue-tools.ts';
import { putQuestions } from './elicit-context.ts';
import { ChangeInput, editable, readChange } from './written-change.ts';

const StepAnswer = GivenToStep.shape.answer;

const planId = z.string();

const GetPlan = z.strictObject({
  plan: planId,
  after: z.int().min(0).optional(),
});

const getPlan = defineTool({
  name: 'plan_get',
  description: 'Reads a plan, a page of its steps at a time.',
  input: GetPlan,
  reads: true,
  hidden: true,
  async execute({ plan, after = 0 }, { tools, state }) {
    if (tools.atHand === null)
      return { result: succeed(toJson(await tools.getPlan(state.run_id, plan))) };
    return { result: succeed(toJson(await tools.atHand.readPage(state.run_id, plan, after))) };
  },
});

const Continue = z.strictObject({
  plan: planId.nullable().default(null),
  revision: z.int().min(1).optional(),
  ...ChangeInput.shape,
  title: line(300).optional(),
  summary: line(1000).optional(),
});
const maxShownProblems = 10;

/** A button per plan. */
function askWhich(waiting: { id: string; title: string }[], toolContext: ToolContext): ToolOutcome {
  const [only, ...others] = waiting;
  if (only === undefined)
    return { result: fail('No plan is waiting here. Give "plan" an ID from "read" plan_list.') };
  if (others.length === 0)
    return { result: fail(`Only ${only.id} waits here: give it as "plan".`) };
  const question = {
    id: 'which plan',
    question: 'Which plan do you mean?',
    why: null,
    default: null,
    essential: true,
    options: waiting.map(({ id, title }) => shorten(`${id} ${onOneLine(title, 80)}`, 80)),
    recommended: null,
  };
  return putQuestions([question], 'COLLECT_CONTEXT', toolContext);
}

async function continuePlan(
  args: z.infer<typeof Continue>,
  toolContext: ToolContext,
): Promise<ToolOutcome> {
  const { tools, state } = toolContext;
  const { atHand } = tools;
  if (atHand === null) return { result: fail('There is no plan to continue here.') };
  if (args.plan === null) return askWhich(await atHand.listWaiting(state.run_id), toolContext);
  if (args.revision === undefined)
    return { result: fail('Give "revision" as the plan shows it: it may have changed since.') };
  const read = readChange(args, args.revision, createStepReader(tools.manifest(), state.timezone));
  if ('problems' in read) return { result: fail(...read.problems.slice(0, maxShownProblems)) };
  const { title, summary } = args;
  const change = {
    ...read.change,
    ...(title === undefined ? {} : { title }),
    ...(summary === undefined ? {} : { summary }),
  };
  const problems = await atHand.tryChange(state.run_id, args.plan, change);
  if (problems.length > 0) return { result: fail(...problems.slice(0, maxShownProblems)) };
  return {
    result: succeed(null, 'The person is asked to approve the change. It won’t run before that.'),
    changes: {
      result: { kind: 'patch', plan_id: args.plan, patch: change, why: args.why },
    },
    ends: 'answered',
  };
}

const continueTool = defineTool({
  name: 'plan_continue',
  description: 'Changes a plan that waits, runs, failed or is done.',
  input: Continue,
  hidden: true,
  execute: continuePlan,
});

const Again = z.strictObject({ plan: planId });

const repeatTool = defineTool({
  name: 'plan_again',
  description: 'Takes a plan as the draft: the next version of one that waits, else a new plan.',
  input: Again,
  produces: ['pattern', 'draft'],
  hidden: true,
  async execute({ plan }, { tools, state, request }) {
    if (tools.atHand === null) return { result: fail('There is no plan to repeat here.') };
    const waiting = await tools.atHand.readWaiting(state.run_id, plan);
    const draft = waiting?.draft ?? (await tools.atHand.readDraft(state.run_id, plan));
    const target = waiting === null ? null : { plan_id: plan, version: waiting.version };
    const outline = outlineOfDraft(draft, null);
    return {
      result: succeed(
        showDraft(outline, draft, datesOfSession(state), request),
        target === null
          ? 'This is the draft of a new plan. Change what is different this time, then submit it.'
          : `This is the draft of the next version of ${plan}. Change it, then submit it.`,
      ),
      // The summary belonged to the old plan.
      changes: {
        pattern: outline.pattern,
        outline: { ...outline, summary: outline.title },
        target,
      },
    };
  },
});

const Answer = z.strictObject({
  plan: planId,
  step: z.string(),
  answer: z.union([z.string(), z.record(z.string(), AnyJson)]),
});

const answerPause: Pause = { kind: 'answer', resume: 'COLLECT_CONTEXT', gate: null, digest: null };

const answerStep = defineTool({
  name: 'answer_step',
  description: 'Puts their answer to a step that waits before them to confirm.',
  input: Answer,
  hidden: true,
  async execute({ plan, step, answer }, { tools, state }) {
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
});

export const existingPlanTools: Tool[] = [getPlan, continueTool, repeatTool, answerStep];

/** Forwards to tools that continue plans. */
export const planTool = 'on_plan';

const OnPlan = z.strictObject({
  call: z.enum(['plan_continue', 'plan_again', 'answer_step']),
  args: JsonObject,
});

/** Arguments may be JSON text. */
export function planCall(given: JsonObject): Prepared<ReadCall> {
  const args = typeof given.args === 'string' ? readArguments(given.args) : given.args;
  const read = OnPlan.safeParse({ ...given, args });
  return read.success
    ? { input: { name: read.data.call, args: read.data.args } }
    : { problems: [`Give "call" and "args", an object. ${planGuide}`] };
}

/** Constant, for servers' prompt caches. */
export const planDispatcher: Tool<ReadCall> = {
  ...toolDefaults,
  name: planTool,
  description: 'Continues an existing plan. The calls are described with the plans.',
  parameters: showSchema(OnPlan),
  prepare: planCall,
  execute: async () => ({ result: fail(planGuide) }),
};

/** Only told if plans are at hand. */
export const planGuide = `Words that change a plan are no new plan. "on_plan" calls; what has a "?" is optional:
- plan_continue {plan, revision, why, title?, summary?, add?, replace?, edit?, remove?, rerun?, wait?, repeat?}: "fix what failed and go on", "also …", "skip step 4". One that waits for approval gets its next version; state its title and summary where they change. Of others what succeeded is not repeated, a failed step is edited and rerun, and the person approves the rest. Several wait and it is unclear which is meant: only "why", and the person is asked.
  why: a sentence for the person. add: steps as "add_steps" takes them, with ids unlike any of the plan. replace: [{"step","by"}], "by" is one of "add" and takes its place and the use of its output; also of a step that waits. edit: [{"id", …}] of steps that have not begun, or that failed and are in "rerun": only what changes of ${editable.join(', ')}; null removes. remove, rerun: ids. wait: [{"step","for"}]. repeat: [{"series", rrule?, starts_at?, until?, timezone?}] of steps that repeat.
- plan_again {plan}: takes it as the draft: "run it again", "the same for …", "for all …". The draft of one that waits is its next version, else it is a new plan. Edit it, then submit it.
- answer_step {plan, step, answer}: they answered a step that waits for them; "answer" is text ("No, not before May"), or the values of its fields. They confirm it.
"read" {"operation":"plan_get","args":{"plan","after"}} reads more of one. Only a person approves or rejects: "answer" with "plan" puts its card and buttons before them.`;
