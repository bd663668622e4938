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

/** One change, in the order of revisions. */
export const Change = z.object({
  revision: whole,
  /** null: the plan itself changed. */
  step_id: text.nullable(),
  /** What happened: `proposed`, `approved`, `step_started`, `step_succeeded`, … */
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
  /** What nobody can run now, or waits for a shared resource. */
  blocked: z.array(Blockage),
  findings_open: OpenFindings,
  /** When something of a plan that comes again is next due; null: nothing does, or it is due now. */
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

/** The steps that match some words, counted by partition (empty name: no partition), most matches first. */
export const StepMatches = z.object({
  total: whole,
  partitions: z.array(z.object({ name: text, steps: whole })),
  partitions_total: whole,
});
export type StepMatches = z.infer<typeof StepMatches>;
/** Ids of all steps that a step needs and of all that need it, directly or not. */
export const StepChain = z.object({
  needs: z.array(text),
  needed_by: z.array(text),
  /** There are more than are listed. */
  more: z.boolean(),
});
export type StepChain = z.infer<typeof StepChain>;

/** A partition as a reviewer meets it. */
export const PartitionSummary = z.object({
  name: text,
  steps: whole,
  /** How many of its steps do what: 4 guarded, 3 destructive, 2 goes outside, 1 changes something, 0 only reads here. */
  ranks: z.array(z.object({ rank: z.int().min(0).max(4), steps: whole })),
  /** The step that a reviewer should see first. */
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
  /** What the action was about beside the plan: the step, the operation. */
  data: z.record(text, AnyJson).nullable(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** A value in two versions. */
const delta = <T extends z.ZodType>(value: T) => z.object({ from: value, to: value });

/** One field before and after, as text that is short enough to read; null: it was, or is, not there. */
const FieldChange = z.object({ field: text, from: text.nullable(), to: text.nullable() });
export type FieldChange = z.infer<typeof FieldChange>;

/** A step of one of two versions: what its call does, and the planner's words about it. */
const ComparedStep = z.object({ id: text, description: text, call: CallDescription });
export type ComparedStep = z.infer<typeof ComparedStep>;

/** What changed between two versions of a plan, readable (A7). The lists of steps hold the first 100 of each kind. */
export const VersionDiff = z.object({
  from: whole,
  to: whole,
  added: z.array(ComparedStep),
  removed: z.array(ComparedStep),
  /** `changes` holds the first 20 fields that differ, `changes_total` says how many do. */
  changed: z.array(
    ComparedStep.extend({
      fields: z.array(text),
      changes: z.array(FieldChange),
      changes_total: whole,
    }),
  ),
  /** How many steps there are of each kind, listed or not. */
  counts: z.object({ added: whole, removed: whole, changed: whole }),
  operations_added: z.array(text),
  operations_removed: z.array(text),
  title_changed: z.boolean(),
  /** What else is agreed differently, in phrases: whether each step asks, what comes again, the pattern. */
  terms: z.array(text),
  /** Who may approve, when that differs. */
  approvers: delta(ApproverPolicy).nullable(),
  risks_added: z.array(text),
  risks_removed: z.array(text),
  total: delta(whole),
  /** What planning the version cost. */
  cost_usd: delta(z.number()),
  /** Expected minutes along the longest chain; null where no step states a duration. */
  minutes: delta(z.number().nullable()),
  /** When the first dated step may begin. */
  earliest: delta(time.nullable()),
});
export type VersionDiff = z.infer<typeof VersionDiff>;
