// Conversation tools beside the thirteen: answer, read plans. None of them decides anything.
import { z } from 'zod';
import { PlanStatus } from '#domain/plan/plan.ts';
import { summarisePlan } from '../reads/describe-plans.ts';
import type { ToolContext, ToolOutcome } from '../tool.ts';
import { fail, fromSchema, succeed } from '../tool-result.ts';
import { goingOnTools } from './going-on.ts';
import { memoryTool } from './memory-tools.ts';
import { RouteChange, routeChange } from './route-change.ts';
import { setPolicy } from './set-policy.ts';
import { besideStages, type StageTool } from './stage-tool.ts';

/** What a person is shown of one answer. */
const answerAtMost = 12_000;

type Run = (args: object, toolContext: ToolContext) => Promise<ToolOutcome>;

function verb(
  name: string,
  description: string,
  schema: z.ZodType,
  run: Run,
  more: Partial<StageTool> = {},
): StageTool {
  return {
    name,
    description,
    ...besideStages,
    ...fromSchema(schema),
    run,
    ...more,
  };
}

/** An answer as it is shown: storable, and not longer than anybody reads. */
export function cutAnswer(text: string): string {
  const clean = text.replaceAll('\u0000', '').toWellFormed();
  if (clean.length <= answerAtMost) return clean;
  return `${clean.slice(0, answerAtMost)}\n… (cut: the answer has ${clean.length} characters)`;
}

const Answer = z.strictObject({
  text: z.string().describe('the whole answer, as the person reads it'),
  asked_for_change: z.boolean().describe('they asked for something to be done or changed'),
  cannot: z
    .string()
    .nullable()
    .describe(
      'where no operation can do what was asked: what that is, in English, as it follows "I can\'t" (book flights)',
    ),
});
/** Looser servers leave things out. */
const HeardAnswer = Answer.extend({
  asked_for_change: z.boolean().default(false),
  cannot: Answer.shape.cannot.default(null),
});

const wantedAtMost = 200;

const answer = verb(
  'answer',
  'Answer the person without a plan.',
  Answer,
  async (args) => {
    const { text: said, cannot, asked_for_change } = HeardAnswer.parse(args);
    const text = said.trim();
    if (text === '') return { result: fail('The answer is empty.') };
    const wanted = cutAnswer(cannot ?? '')
      .trim()
      .slice(0, wantedAtMost)
      .toWellFormed();
    // Nothing runs while planning, even if the model claims otherwise; a preference may have been stored.
    const shown = cutAnswer(
      asked_for_change && wanted === '' ? `No plan was made, so nothing has run. ${text}` : text,
    );
    return {
      result: succeed(null, 'The person reads it.'),
      changes: {
        result:
          wanted === '' ? { kind: 'answer', text: shown } : { kind: 'cannot', text: shown, wanted },
      },
      ends: 'answered',
    };
  },
  { check: fromSchema(HeardAnswer).check },
);

const PlanFilter = z.strictObject({
  status: z.string().nullable().describe('only these: proposed, executing, failed, …'),
});
const HeardFilter = z.strictObject({ status: PlanStatus.nullable().default(null) });

const listPlans = verb(
  'plan_list',
  'List the latest plans; "plan_get" reads one.',
  PlanFilter,
  async (args, { tools, state }) => {
    const { status } = HeardFilter.parse(args);
    const { plans } = await tools.listPlans(state.run_id, {
      ...(status === null ? {} : { status: [status] }),
      limit: 20,
    });
    const result = succeed(plans.map(summarisePlan).join('\n'));
    return plans.length === 0 ? { result } : { result, changes: { has_plans: true } };
  },
  { reads: true, check: fromSchema(HeardFilter).check },
);

const PlanId = z.strictObject({ id: z.string().describe('PLAN- and 8 hexadecimal digits.') });

/** A model decides nothing: the call is answered, and the plan waits as before. */
function decide(name: 'plan_approve' | 'plan_reject'): StageTool {
  const word = name === 'plan_approve' ? 'approve' : 'reject';
  return verb(
    name,
    `Only a person can ${word} a plan. Calling this changes nothing.`,
    PlanId,
    async () => ({
      result: fail(
        `Only a person can ${word} a plan, on its card or by the word "${word}". Nothing has been decided.`,
      ),
    }),
    { check: () => [], isOffered: () => false },
  );
}

const route = verb(
  'route_change',
  'Says which part of the plan the feedback concerns. Call it once; drafting comes next.',
  RouteChange,
  async (args, toolContext) => routeChange(RouteChange.parse(args), toolContext),
  { stages: ['SEEK_APPROVAL'], isOffered: () => false },
);

export const conversationTools: StageTool[] = [
  answer,
  setPolicy,
  memoryTool,
  listPlans,
  ...goingOnTools,
  decide('plan_approve'),
  decide('plan_reject'),
  route,
];
