// answer and plan reading; neither decides.
import { z } from 'zod';
import { PlanStatus } from '#domain/plan/plan.ts';
import { defineTool, showSchema, toolDefaults } from '../define-tool.ts';
import { summarisePlan } from '../reads/describe-plans.ts';
import { fail, succeed, type Tool } from '../tool.ts';
import { existingPlanTools, planDispatcher } from './existing-plans.ts';
import { memoryTool } from './memory-tools.ts';
import { routeChange } from './route-change.ts';
import { setPolicy } from './set-policy.ts';

const maxAnswer = 12_000;

export function cutAnswer(text: string): string {
  const clean = text.replaceAll('\u0000', '').toWellFormed();
  if (clean.length <= maxAnswer) return clean;
  return `${clean.slice(0, maxAnswer)}\n… (cut: the answer has ${clean.length} characters)`;
}

const Answer = z.strictObject({
  text: z.string().describe('all that they read'),
  plan: z
    .string()
    .nullable()
    .describe('where they seem to decide about a plan: its id, for its buttons'),
  cannot: z
    .string()
    .nullable()
    .describe('what nothing can do, in English, as after "I can\'t": book flights'),
});
/** Looser servers omit fields. */
const AnswerInput = Answer.extend({
  plan: Answer.shape.plan.default(null),
  cannot: Answer.shape.cannot.default(null),
});

const maxWanted = 200;

const answer = defineTool({
  name: 'answer',
  description: 'Answer the person without a plan.',
  input: AnswerInput,
  shown: Answer,
  async execute({ text: given, cannot, plan }, { tools, state }) {
    const text = given.trim();
    if (text === '') return { result: fail('The answer is empty.') };
    const wanted = cutAnswer(cannot ?? '')
      .trim()
      .slice(0, maxWanted)
      .toWellFormed();
    const shown = cutAnswer(text);
    const isHere = plan !== null && (await tools.atHand?.isAtHand(state.run_id, plan)) === true;
    return {
      result: succeed(null, 'The person reads it.'),
      changes: {
        result:
          wanted === ''
            ? { kind: 'answer', text: shown, ...(isHere ? { plan_id: plan } : {}) }
            : { kind: 'cannot', text: shown, wanted },
      },
      ends: 'answered',
    };
  },
});

const FilterInput = z.strictObject({ status: PlanStatus.nullable().default(null) });

const listPlans = defineTool({
  name: 'plan_list',
  description: 'Lists the latest plans.',
  input: FilterInput,
  reads: true,
  hidden: true,
  async execute({ status }, { tools, state }) {
    const { plans } = await tools.listPlans(state.run_id, {
      ...(status === null ? {} : { status: [status] }),
      limit: 20,
    });
    return { result: succeed(plans.map(summarisePlan).join('\n')) };
  },
});

const PlanId = z.strictObject({ id: z.string().describe('PLAN- and 8 hexadecimal digits.') });

/** Models don't decide: the plan still waits. */
function decide(word: 'approve' | 'reject'): Tool {
  return {
    ...toolDefaults,
    name: `plan_${word}`,
    description: `Only a person can ${word} a plan. Calling this changes nothing.`,
    parameters: showSchema(PlanId),
    hidden: true,
    prepare: () => ({ input: null }),
    execute: async () => ({
      result: fail(
        `Only a person can ${word} a plan, on its card or by the word "${word}". Nothing has been decided.`,
      ),
    }),
  };
}

export const conversationTools: Tool[] = [
  answer,
  setPolicy,
  memoryTool,
  listPlans,
  planDispatcher,
  ...existingPlanTools,
  decide('approve'),
  decide('reject'),
  routeChange,
];
