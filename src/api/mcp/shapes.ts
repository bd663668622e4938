// Schemas of `/mcp` tools; agents read every description.
import { z } from 'zod';
import { headlineOf } from '#cards/calls.ts';
import { describeLength } from '#cards/times.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { type Plan, PlanDraft, PlanStatus, StepStatus } from '#domain/plan/plan.ts';
import { StepDraft } from '#domain/plan/step-content.ts';
import { line, longestMessage } from '#domain/text.ts';
import { operationName } from '#domain/tool.ts';

const planId = line(200).describe('PLAN- and 8 hexadecimal digits');

/** Some clients reject recursive schemas; the draft is validated whole. */
const Step = z.strictObject({
  ...StepDraft.shape,
  args: z.record(z.string(), z.unknown()).optional().describe('as operation_describe has them'),
  notes: z.unknown().optional(),
});

const { title, summary, risks, step_approval, executor_model } = PlanDraft.shape;

export const ProposeInput = z.strictObject({
  request: line(longestMessage)
    .optional()
    .describe(
      'What should be done, in words: the planner makes the plan. Instead of title and steps.',
    ),
  title: title.optional().describe('What the plan is for, in a line'),
  summary: summary.describe('One sentence: what will be true afterwards'),
  steps: z.array(Step).max(100_000).optional().describe('One call of an operation each'),
  context: line(20_000).optional().describe('What you found out, for the people who decide'),
  risks,
  step_approval,
  executor_model: executor_model.describe('The model for its texts and run-time values'),
  agent: line(60).optional().describe('What people call you, such as Claude Code'),
  idempotency_key: line(255)
    .optional()
    .describe(
      'A name of your own for this proposal: sent again with it, the same plan is returned',
    ),
});

export const GetInput = z.strictObject({
  plan: planId,
  after: line(400).optional().describe('"next" of the previous page; default: the first page'),
});

export const ListInput = z.strictObject({
  status: z.array(PlanStatus).optional().describe('Only these'),
  everybody: z.boolean().default(false).describe('Also plans that others requested'),
  after: line(400).optional().describe('"next" of the previous page'),
});

/** Most clients time out after a minute. */
const maxWait = 240;

export const WaitInput = z.strictObject({
  plan: planId.optional(),
  run: line(200).optional().describe('Instead of plan: a request that the planner still works on'),
  cursor: line(200)
    .optional()
    .describe(
      'What you have seen: the cursor of the last answer. Left out: a plan that waits for approval',
    ),
  timeout_seconds: z.number().min(1).max(maxWait).default(50),
});

export const SearchInput = z.strictObject({
  query: line(2000).describe('What it should do, in English'),
});
export const DescribeInput = z.strictObject({
  names: z.array(line(400)).min(1).max(5),
});

/** `planning`, `revising`: the planner works; `needs_person`: something waits; otherwise as the plan. */
export const State = z.enum([
  'planning',
  'awaiting_approval',
  'revising',
  'running',
  'needs_person',
  'completed',
  'failed',
  'rejected',
  'cancelled',
]);
export type State = z.infer<typeof State>;

export const PlanFacts = z.object({
  plan: z.string(),
  title: z.string(),
  state: State,
  version: z.int(),
  digest: z.string(),
  requester: z.string().describe('the requester'),
  link: z.string().nullable().describe('where a person reads and decides; give it to them'),
  steps_total: z.int(),
  steps: z.record(StepStatus, z.int()).describe('how many are in each status'),
  result: z.string().nullable(),
  decided_by: z.string().nullable(),
  feedback: z.string().nullable().describe('why it was rejected, or what should change'),
});
export type PlanFacts = z.infer<typeof PlanFacts>;

const lastStates: Partial<Record<PlanStatus, State>> = {
  completed: 'completed',
  failed: 'failed',
  rejected: 'rejected',
  cancelled: 'cancelled',
  stalled: 'needs_person',
  proposed: 'awaiting_approval',
  needs_review: 'awaiting_approval',
};

export function stateOf(plan: Plan): State {
  if (plan.revising) return 'revising';
  const { waiting, unknown } = plan.counts;
  const asks =
    waiting + unknown > 0 || plan.paused || plan.pending_patch?.status === 'needs_approval';
  return lastStates[plan.status] ?? (asks ? 'needs_person' : 'running');
}

export function factsOf(plan: Plan, link: string | null): PlanFacts {
  return {
    plan: plan.id,
    title: plan.title,
    state: stateOf(plan),
    version: plan.version,
    digest: plan.digest,
    requester: plan.requester,
    link,
    steps_total: plan.total_steps,
    steps: plan.counts,
    result: plan.result_summary,
    decided_by: plan.decided_by,
    feedback: plan.rejection_history.at(-1)?.feedback ?? null,
  };
}

export const StepFacts = z.object({
  id: z.string(),
  label: z.string().describe('what people call it'),
  operation: z.string(),
  effect: z.string().describe('what the call does, computed from its arguments'),
  status: StepStatus,
  takes: z.string().nullable().describe('how long it is expected to take'),
  not_before: z.string().nullable(),
  summary: z.string().nullable(),
  error: z.string().nullable(),
  question: z.string().nullable().describe('what a person is asked; only they can answer'),
  output: z.string().nullable().describe('JSON, truncated if long'),
});
export type StepFacts = z.infer<typeof StepFacts>;

const maxOutput = 4000;

function cutOutput(step: ShownStep): string | null {
  if (step.status !== 'succeeded' || step.output === null) return null;
  const text = JSON.stringify(step.output);
  if (text.length <= maxOutput) return text;
  return `${text.slice(0, maxOutput).toWellFormed()}… (cut: it has ${text.length} characters)`;
}

export function stepFactsOf(step: ShownStep): StepFacts {
  return {
    id: step.id,
    label: step.label,
    operation: operationName(step.tool, step.operation),
    effect: headlineOf(step.call),
    status: step.status,
    takes: describeLength(step, null),
    not_before: step.not_before,
    summary: step.result_summary,
    error: step.error?.message ?? null,
    question: step.question,
    output: cutOutput(step),
  };
}
