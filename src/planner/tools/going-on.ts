// Tools for existing plans: plan_get reads one, plan_continue proposes a change, plan_again takes it as a draft, answer_step
// puts an answer before a person. None of them decides anything.
import { z } from 'zod';
import { GivenToStep, type Pause } from '#domain/planning/state.ts';
import { AnyJson, line, toJson } from '#domain/text.ts';
import { onOneLine, shorten } from '#domain/words.ts';
import { defineTool } from '../define-tool.ts';
import { datesOfSession } from '../draft/draft-times.ts';
import { showDraft } from '../draft/show-draft.ts';
import { outlineOfDraft } from '../outline/outline-of-draft.ts';
import { createStepReader } from '../outline/written-steps.ts';
import { fail, succeed, type Tool, type ToolContext, type ToolOutcome } from '../tool.ts';
import { putQuestions } from './elicit-context.ts';
import { HeardChange, readChange, WrittenChange } from './written-change.ts';

const StepAnswer = GivenToStep.shape.answer;

const planId = z.string().describe('PLAN- and 8 hexadecimal digits');

const GetPlan = z.strictObject({
  plan: planId,
  after: z.int().min(0).optional().describe('"next" of the page before; left out: the first page'),
});

const getPlan = defineTool({
  name: 'plan_get',
  description:
    'Read a plan: where it stands, its revision, and of its steps status, call, output or error, a page at a time.',
  input: GetPlan,
  reads: true,
  isOffered: ({ has_plans }) => has_plans,
  async execute({ plan, after = 0 }, { tools, state }) {
    if (tools.atHand === null)
      return { result: succeed(toJson(await tools.getPlan(state.run_id, plan))) };
    return { result: succeed(toJson(await tools.atHand.readPage(state.run_id, plan, after))) };
  },
});

const Continue = z.strictObject({
  plan: planId
    .nullable()
    .default(null)
    .describe(
      'PLAN- and 8 hexadecimal digits; left out: it is unclear which waiting plan they mean',
    ),
  revision: z.int().min(1).describe('that of the plan as you read it'),
  ...WrittenChange.shape,
  title: line(300).optional().describe('of a plan that waits, if it changes'),
  summary: line(1000).optional().describe('of a plan that waits: what the whole of it does now'),
});
const HeardContinue = z.strictObject({ ...Continue.shape, ...HeardChange.shape });
const maxShownProblems = 10;

/** With a button for each waiting plan. */
function askWhich(waiting: { id: string; title: string }[], toolContext: ToolContext): ToolOutcome {
  const [only, ...others] = waiting;
  if (only === undefined) return { result: fail('No plan waits here. Say which plan you mean.') };
  if (others.length === 0) return { result: fail(`Only ${only.id} waits here. Name it.`) };
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
  args: z.infer<typeof HeardContinue>,
  toolContext: ToolContext,
): Promise<ToolOutcome> {
  const { tools, state } = toolContext;
  const { atHand } = tools;
  if (atHand === null) return { result: fail('There is no plan to continue here.') };
  if (args.plan === null) return askWhich(await atHand.listWaiting(state.run_id), toolContext);
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
    result: succeed(
      null,
      'The change is put before the person. Nothing of it runs before an approval.',
    ),
    changes: {
      result: { kind: 'patch', plan_id: args.plan, patch: change, why: args.why },
    },
    ends: 'answered',
  };
}

const continueTool = defineTool({
  name: 'plan_continue',
  description:
    'Change a plan that waits, runs, failed or is done: a waiting one gets its next version; of others what is done stays, and the person approves the rest. For "fix what failed and go on", "also …", "skip step 4".',
  input: HeardContinue,
  shown: Continue,
  isOffered: ({ has_plans }) => has_plans,
  execute: continuePlan,
});

const Again = z.strictObject({ plan: planId });

const repeatTool = defineTool({
  name: 'plan_again',
  description:
    'Take a plan as the draft. Of one that waits, the draft is its next version ("do it for all customers"); of an earlier one it is a new plan ("run it again for March"), and the old one stays as it is. Change what is different, then submit the draft.',
  input: Again,
  produces: ['pattern', 'draft'],
  isOffered: ({ has_plans }) => has_plans,
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
      changes: { pattern: outline.pattern, outline, target },
    };
  },
});

const Answer = z.strictObject({
  plan: planId,
  step: z.string().describe('id of the step that waits'),
  answer: z
    .union([z.string(), z.record(z.string(), AnyJson)])
    .describe('what the person said, in their words; the values of its fields where it has a form'),
});

const answerPause: Pause = { kind: 'answer', resume: 'COLLECT_CONTEXT', gate: null, digest: null };

const answerStep = defineTool({
  name: 'answer_step',
  description:
    'The person has answered a step that waits: put their answer before them to confirm. It answers nothing by itself.',
  input: Answer,
  isOffered: ({ has_plans }) => has_plans,
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

export const goingOnTools: Tool[] = [getPlan, continueTool, repeatTool, answerStep];
