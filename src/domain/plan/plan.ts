// A plan's draft, stored form and decisions.
import { z } from 'zod';
import { JsonObject, JsonValue, line, StorableText } from '../text.ts';
import { Effect } from '../tool.ts';
import { OpenFindings } from './finding.ts';
import { PlanningModes } from './modes.ts';
import { PatchOutcome } from './patch-outcome.ts';
import { PatternSpec } from './pattern.ts';
import { StepDraft, storedShape } from './step-content.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.int();

export const PlanStatus = z.enum([
  'proposed',
  'approved',
  'executing',
  'completed',
  'failed',
  'rejected',
  'cancelled',
  'stalled',
  'needs_review',
]);
export type PlanStatus = z.infer<typeof PlanStatus>;

export const StepStatus = z.enum([
  'pending',
  'ready',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
  'stale',
  'unknown',
]);
export type StepStatus = z.infer<typeof StepStatus>;

export const StepCounts = z.record(StepStatus, whole);
export type StepCounts = z.infer<typeof StepCounts>;

/** Let guests and other organisations count in unnamed rules. */
const withGuests = { guests: z.literal(true).exactOptional() };

/** A8. Default: the requester. */
export const ApproverPolicy = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('requester') }),
  z.strictObject({ kind: z.literal('anyone'), ...withGuests }),
  z.strictObject({ kind: z.literal('named'), people: z.array(line(200)).min(1).max(50) }),
  z.strictObject({
    kind: z.literal('n_of'),
    people: z.array(line(200)).min(1).max(50),
    n: z.number().int().min(1).max(50),
  }),
  z.strictObject({ kind: z.literal('not_requester'), ...withGuests }),
]);
export type ApproverPolicy = z.infer<typeof ApproverPolicy>;

export const Risk = z.strictObject({
  text: line(1000),
  sign: line(1000).optional(),
});
export type Risk = z.infer<typeof Risk>;

/** US dollars. */
export const BudgetUsd = z.number().min(0).max(1_000_000);

/** A13; at most 50 KB inline. */
export const PlanContext = z.strictObject({
  tool_outputs: z
    .record(line(200), z.strictObject({ tool: line(200), operation: line(200), data: JsonValue }))
    .default({}),
  notes: StorableText.default(''),
  artifacts: z
    .array(z.strictObject({ id: line(80), name: line(300), size: z.number().int() }))
    .default([]),
  pattern: PatternSpec.optional(),
  modes: PlanningModes.optional(),
  /** US dollars, planning included. */
  budget_usd: BudgetUsd.exactOptional(),
  /** By group, for planners that change it. */
  groups: z
    .record(line(200), z.strictObject({ title: line(3000), each: JsonObject }))
    .exactOptional(),
});
export type PlanContext = z.infer<typeof PlanContext>;

/** B17: copies of `steps`, with `#<date>` appended to IDs, within a rolling horizon. One approval covers all. */
export const Series = z.strictObject({
  id: line(100),
  title: line(300),
  /** RFC 5545, in `timezone`. */
  rrule: line(500),
  starts_at: z.iso.datetime({ offset: true }),
  timezone: line(100),
  /** Last possible start; null for no end. */
  until: z.iso.datetime({ offset: true }).nullable(),
  steps: z.array(StepDraft).min(1).max(500),
});
export type Series = z.infer<typeof Series>;

export const PlanDraft = z.strictObject({
  title: line(300),
  /** True once done. */
  summary: line(1000).optional(),
  steps: z.array(StepDraft).max(1_000_000),
  context: z.union([StorableText, PlanContext]).optional(),
  risks: z
    .array(z.union([line(1000), Risk]))
    .max(50)
    .optional(),
  approvers: ApproverPolicy.optional(),
  /** `each`: every step waits for a person (B13). */
  step_approval: z.enum(['none', 'each']).optional(),
  /** Default: the process's. */
  executor_model: line(200).optional(),
  series: z.array(Series).max(100).optional(),
});
export type PlanDraft = z.infer<typeof PlanDraft>;

/** `code`: an ErrorCode. */
const Failure = z.object({
  code: text,
  message: text,
  /** `attempt`: the next, at `available_at`; `of`: the maximum. */
  retry: z.object({ attempt: whole, of: whole }).exactOptional(),
  questions: z.array(text).exactOptional(),
});

const StepError = Failure.extend({
  /** Running and unknown steps become stale when they end. */
  finding: text.exactOptional(),
  others: z.array(text).exactOptional(),
  was: z.object({ status: StepStatus, error: Failure.nullable() }).exactOptional(),
});
export type StepError = z.infer<typeof StepError>;

/** Times: ISO 8601, UTC. */
export const Step = z.object({
  ...storedShape,
  /** From 1; stable. */
  position: whole,
  /** `2a`; unique and stable within a version. */
  label: text,
  effect: Effect,
  guarded: z.boolean(),
  status: StepStatus,
  attempt: whole,
  /** Since a person or the start made it ready. */
  tries: whole,
  /** Since when it can run, or when it is retried. */
  available_at: time.nullable(),
  started_at: time.nullable(),
  ended_at: time.nullable(),
  result_summary: text.nullable(),
  error: StepError.nullable(),
  output: JsonValue,
  question: text.nullable(),
  /** Null unless confirmed by a person. */
  final_args: JsonObject.nullable(),
});
export type Step = z.infer<typeof Step>;

export const StepComment = z.strictObject({ step_id: text.nullable(), text });
export type StepComment = z.infer<typeof StepComment>;

const Rejection = z.object({
  version: whole,
  by: text,
  at: time,
  feedback: text.nullable(),
  /** By step; also part of the text. */
  comments: z.array(StepComment).exactOptional(),
});
export type Rejection = z.infer<typeof Rejection>;

/** A1, without steps. Times: ISO 8601, UTC. */
export const Plan = z.object({
  id: text,
  title: text,
  summary: text.nullable(),
  status: PlanStatus,
  /** Proposals: 1, 2, 3. */
  version: whole,
  /** SHA-256 (hex) of this version's canonical JSON. */
  digest: text,
  /** Counts every change of plan and steps. */
  revision: whole,
  created_at: time,
  updated_at: time,
  requester: text,
  approver_policy: ApproverPolicy,
  conversation: text.nullable(),
  planner_model: text,
  /** That proposed it for the requester. */
  agent: text.exactOptional(),
  executor_model: text.nullable(),
  tools_required: z.array(text),
  guarded_operations: z.array(text),
  execution_started_at: time.nullable(),
  execution_ended_at: time.nullable(),
  result_summary: text.nullable(),
  pattern_type: text.nullable(),
  pattern_subtype: text.nullable(),
  pattern_variant: text.nullable(),
  decided_by: text.nullable(),
  decided_at: time.nullable(),
  /** Running steps end; none starts. */
  paused: z.boolean(),
  revising: z.boolean(),
  step_approval: z.enum(['none', 'each']),
  /** End of its last series (year 9999: none); null if not recurring. */
  open_until: time.nullable(),
  confidence: z.number().nullable(),
  cost_usd: z.number(),
  total_steps: whole,
  counts: StepCounts,
  card_refs: z.array(z.object({ surface: text, ref: text })),
  context: PlanContext,
  risks: z.array(Risk),
  rejection_history: z.array(Rejection),
  approvals: z.array(z.object({ by: text, at: time })),
  pending_patch: PatchOutcome.nullable(),
  findings_open: OpenFindings,
  series: z.array(Series),
});
export type Plan = z.infer<typeof Plan>;

/** `asked_by`: display name; `repeats`: `every Monday`. */
export const PlanSummary = Plan.omit({
  context: true,
  risks: true,
  card_refs: true,
  rejection_history: true,
  approvals: true,
  pending_patch: true,
  findings_open: true,
  series: true,
}).extend({
  asked_by: z.string().exactOptional(),
  repeats: z.array(z.string()).exactOptional(),
});
export type PlanSummary = z.infer<typeof PlanSummary>;
