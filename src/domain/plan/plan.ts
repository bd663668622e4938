// The plan: its draft, its stored form and its decisions.
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

/** How many steps are in each status. */
export const StepCounts = z.record(StepStatus, whole);
export type StepCounts = z.infer<typeof StepCounts>;

/** For unnamed rules: whether guests and people of other organisations count. */
const withGuests = { guests: z.literal(true).exactOptional() };

/** Who may approve (A8). The default is the requester. */
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
  /** How to recognise that it has come true. */
  sign: line(1000).optional(),
});
export type Risk = z.infer<typeof Risk>;

/** A plan's own limit, in US dollars. */
export const BudgetUsd = z.number().min(0).max(1_000_000);

/** Planning context (A13); at most 50 KB inline. */
export const PlanContext = z.strictObject({
  tool_outputs: z
    .record(line(200), z.strictObject({ tool: line(200), operation: line(200), data: JsonValue }))
    .default({}),
  notes: StorableText.default(''),
  artifacts: z
    .array(z.strictObject({ id: line(80), name: line(300), size: z.number().int() }))
    .default([]),
  /** The work's shape, if a planner found one. */
  pattern: PatternSpec.optional(),
  /** Planning modes, if not the defaults. */
  modes: PlanningModes.optional(),
  /** The requester's limit of its model calls in US dollars, planning included. */
  budget_usd: BudgetUsd.exactOptional(),
  /** Groups of steps of one kind by ID, with the `for_each` that made each, for planners that change it. */
  groups: z
    .record(line(200), z.strictObject({ title: line(3000), each: JsonObject }))
    .exactOptional(),
});
export type PlanContext = z.infer<typeof PlanContext>;

/**
 * Recurring steps (B17): occurrences are added within a rolling horizon until `until`, as copies of `steps` with `#<date>`
 * appended to IDs. One approval covers all.
 */
export const Series = z.strictObject({
  id: line(100),
  title: line(300),
  /** RFC 5545, in `timezone`. */
  rrule: line(500),
  starts_at: z.iso.datetime({ offset: true }),
  timezone: line(100),
  /** Last possible start, or null for no end. */
  until: z.iso.datetime({ offset: true }).nullable(),
  steps: z.array(StepDraft).min(1).max(500),
});
export type Series = z.infer<typeof Series>;

export const PlanDraft = z.strictObject({
  title: line(300),
  /** One sentence: what will be true afterwards. */
  summary: line(1000).optional(),
  steps: z.array(StepDraft).max(1_000_000),
  context: z.union([StorableText, PlanContext]).optional(),
  risks: z
    .array(z.union([line(1000), Risk]))
    .max(50)
    .optional(),
  approvers: ApproverPolicy.optional(),
  /** `each`: every step waits for a person's word (B13, strict_every_step). */
  step_approval: z.enum(['none', 'each']).optional(),
  /** The model for texts and run-time values; default: the process's. */
  executor_model: line(200).optional(),
  series: z.array(Series).max(100).optional(),
});
export type PlanDraft = z.infer<typeof PlanDraft>;

/** Why a step failed: a stored ErrorCode and the sentence for people. */
const Failure = z.object({
  code: text,
  message: text,
  /** The next automatic attempt, at `available_at`, and the maximum. */
  retry: z.object({ attempt: whole, of: whole }).exactOptional(),
  /** Skipped because of a No: the steps that asked. */
  questions: z.array(text).exactOptional(),
});

/** Why a step failed, was skipped, or is stale. */
const StepError = Failure.extend({
  /** The open finding about the step. A running or unknown step becomes stale when it ends. */
  finding: text.exactOptional(),
  /** Other open findings about it. */
  others: z.array(text).exactOptional(),
  /** The step's state before it became stale. */
  was: z.object({ status: StepStatus, error: Failure.nullable() }).exactOptional(),
});
export type StepError = z.infer<typeof StepError>;

/** A stored step. Times are ISO 8601 in UTC. */
export const Step = z.object({
  ...storedShape,
  /** Place in the plan, from 1; stable. */
  position: whole,
  /** Label on cards and in sentences, such as `2a`; stable and unique within a version. */
  label: text,
  /** The operation's effect, as registered when the plan was proposed. */
  effect: Effect,
  guarded: z.boolean(),
  status: StepStatus,
  attempt: whole,
  /** Attempts since a person or the plan's start last made it ready. */
  tries: whole,
  /** When ready: since when it can run, or when it is retried. */
  available_at: time.nullable(),
  started_at: time.nullable(),
  ended_at: time.nullable(),
  result_summary: text.nullable(),
  error: StepError.nullable(),
  output: JsonValue,
  /** The question of a step that waits for a person. */
  question: text.nullable(),
  /** The call's arguments for confirmation, references resolved, or null without confirmation. */
  final_args: JsonObject.nullable(),
});
export type Step = z.infer<typeof Step>;

/** A comment on one step of a version or, without a step, on all of it. */
export const StepComment = z.strictObject({ step_id: text.nullable(), text });
export type StepComment = z.infer<typeof StepComment>;

const Rejection = z.object({
  version: whole,
  by: text,
  at: time,
  feedback: text.nullable(),
  /** The feedback by step; the text includes it. */
  comments: z.array(StepComment).exactOptional(),
});
export type Rejection = z.infer<typeof Rejection>;

/** A stored plan without its steps (A1). Times are ISO 8601 in UTC. */
export const Plan = z.object({
  id: text,
  title: text,
  summary: text.nullable(),
  status: PlanStatus,
  /** The number of the proposal people decide on: 1, 2, 3. */
  version: whole,
  /** SHA-256 (hex) over the canonical JSON of this version. */
  digest: text,
  /** Counts every change of the plan and its steps; used in `diff?since=`. */
  revision: whole,
  created_at: time,
  updated_at: time,
  requester: text,
  approver_policy: ApproverPolicy,
  conversation: text.nullable(),
  planner_model: text,
  /** The agent that proposed or requested it for the requester, by its own name. */
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
  /** Paused by a person: running steps end, no new one starts. */
  paused: z.boolean(),
  /** A planner is working on feedback for a new version. */
  revising: z.boolean(),
  /** `each`: every step waits for a person's word before it runs. */
  step_approval: z.enum(['none', 'each']),
  /** End of its last series (year 9999 for none), or null if it doesn't recur. */
  open_until: time.nullable(),
  confidence: z.number().nullable(),
  cost_usd: z.number(),
  total_steps: whole,
  counts: StepCounts,
  card_refs: z.array(z.object({ surface: text, ref: text })),
  context: PlanContext,
  risks: z.array(Risk),
  rejection_history: z.array(Rejection),
  /** Approvals of the current version, in order. */
  approvals: z.array(z.object({ by: text, at: time })),
  /** A change that needs its own approval; the plan continues as approved. */
  pending_patch: PatchOutcome.nullable(),
  findings_open: OpenFindings,
  /** Recurring steps, as approved. */
  series: z.array(Series),
});
export type Plan = z.infer<typeof Plan>;

/** In lists for people: `asked_by`, the requester's display name; `repeats`, such as `every Monday`. */
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
