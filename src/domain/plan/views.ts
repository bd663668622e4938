// Views of a plan that don't load it whole: overview, diff, pages of steps, audit.
import { z } from 'zod';
import { AnyJson } from '#domain/text.ts';
import { Blockage } from './blockage.ts';
import { CallDescription, ShownStep } from './call.ts';
import { OpenFindings } from './finding.ts';
import { ApproverPolicy, PlanStatus, StepCounts, StepStatus } from './plan.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.int();

export const Change = z.object({
  revision: whole,
  /** Null for the plan itself. */
  step_id: text.nullable(),
  /** `proposed`, `approved`, `step_started`, `step_succeeded`, … */
  kind: text,
  status: z.union([StepStatus, PlanStatus]).exactOptional(),
  at: time,
  detail: text.exactOptional(),
});
export type Change = z.infer<typeof Change>;

export const Overview = z.object({
  revision: whole,
  status: PlanStatus,
  counts: StepCounts,
  total: whole,
  partitions: z.array(z.object({ name: text, counts: StepCounts })),
  recent_events: z.array(Change),
  /** Steps that no worker can run now, or that wait for a resource. */
  blocked: z.array(Blockage),
  findings_open: OpenFindings,
  /** When a recurring plan is next due, or null if it isn't or is due now. */
  next_at: time.nullable(),
});
export type Overview = z.infer<typeof Overview>;

export const Diff = z.object({
  from: whole,
  to: whole,
  changes: z.array(Change),
  more: z.boolean(),
});
export type Diff = z.infer<typeof Diff>;

export const StepPage = z.object({ steps: z.array(ShownStep), next_cursor: text.nullable() });
export type StepPage = z.infer<typeof StepPage>;

/** Matching steps per partition (empty name for none), most matches first. */
export const StepMatches = z.object({
  total: whole,
  partitions: z.array(z.object({ name: text, steps: whole })),
  partitions_total: whole,
});
export type StepMatches = z.infer<typeof StepMatches>;
/** IDs of all direct and indirect prerequisites and dependents of a step. */
export const StepChain = z.object({
  needs: z.array(text),
  needed_by: z.array(text),
  /** There are more than are listed. */
  more: z.boolean(),
});
export type StepChain = z.infer<typeof StepChain>;

/** A partition for a reviewer. */
export const PartitionSummary = z.object({
  name: text,
  steps: whole,
  /** Steps by rank: 4 guarded, 3 destructive, 2 external, 1 changes something, 0 only reads locally. */
  ranks: z.array(z.object({ rank: z.int().min(0).max(4), steps: whole })),
  /** The step to review first. */
  sample: ShownStep.nullable(),
});
export type PartitionSummary = z.infer<typeof PartitionSummary>;

export const PartitionPage = z.object({
  partitions: z.array(PartitionSummary),
  next_cursor: text.nullable(),
});
export type PartitionPage = z.infer<typeof PartitionPage>;

export const AuditEntry = z.object({
  id: whole,
  at: time,
  plan_id: text.nullable(),
  actor: text,
  actor_kind: z.enum(['person', 'model', 'system']),
  via: text,
  action: text,
  version: whole.nullable(),
  digest: text.nullable(),
  reason: text.nullable(),
  /** The action's other subjects: the step, the operation. */
  data: z.record(text, AnyJson).nullable(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** A value in two versions. */
const delta = <T extends z.ZodType>(value: T) => z.object({ from: value, to: value });

/** A field before and after, as short text, or null if absent. */
const FieldChange = z.object({ field: text, from: text.nullable(), to: text.nullable() });
export type FieldChange = z.infer<typeof FieldChange>;

/** A step of one of two versions: its call, and the planner's description. */
const ComparedStep = z.object({ id: text, description: text, call: CallDescription });
export type ComparedStep = z.infer<typeof ComparedStep>;

/** A readable comparison of two versions of a plan (A7). Step lists hold the first 100 of each kind. */
export const VersionDiff = z.object({
  from: whole,
  to: whole,
  added: z.array(ComparedStep),
  removed: z.array(ComparedStep),
  /** `changes` holds the first 20 differing fields; `changes_total` counts all. */
  changed: z.array(
    ComparedStep.extend({
      fields: z.array(text),
      changes: z.array(FieldChange),
      changes_total: whole,
    }),
  ),
  /** All steps of each kind, listed or not. */
  counts: z.object({ added: whole, removed: whole, changed: whole }),
  operations_added: z.array(text),
  operations_removed: z.array(text),
  title_changed: z.boolean(),
  /** Other changed terms, in phrases: whether each step asks, recurrence, the pattern. */
  terms: z.array(text),
  /** Who may approve, if changed. */
  approvers: delta(ApproverPolicy).nullable(),
  risks_added: z.array(text),
  risks_removed: z.array(text),
  total: delta(whole),
  /** Planning cost of the version. */
  cost_usd: delta(z.number()),
  /** Expected minutes along the longest chain, or null without durations. */
  minutes: delta(z.number().nullable()),
  /** Earliest start of the first dated step. */
  earliest: delta(time.nullable()),
});
export type VersionDiff = z.infer<typeof VersionDiff>;
