// Partial views of a plan: overview, diff, steps, audit.
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
  /** Null for the plan. */
  step_id: text.nullable(),
  /** `proposed`, `approved`, `step_started`, … */
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
  blocked: z.array(Blockage),
  findings_open: OpenFindings,
  /** Null if not recurring, or due now. */
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

/** Per partition (empty name: none), most first. */
export const StepMatches = z.object({
  total: whole,
  partitions: z.array(z.object({ name: text, steps: whole })),
  partitions_total: whole,
});
export type StepMatches = z.infer<typeof StepMatches>;
export const StepChain = z.object({
  needs: z.array(text),
  needed_by: z.array(text),
  more: z.boolean(),
});
export type StepChain = z.infer<typeof StepChain>;

export const PartitionSummary = z.object({
  name: text,
  steps: whole,
  /** 4 guarded, 3 destructive, 2 external, 1 changes, 0 reads. */
  ranks: z.array(z.object({ rank: z.int().min(0).max(4), steps: whole })),
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
  /** Other subjects: step, operation. */
  data: z.record(text, AnyJson).nullable(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

const delta = <T extends z.ZodType>(value: T) => z.object({ from: value, to: value });

/** Short text; null if absent. */
const FieldChange = z.object({ field: text, from: text.nullable(), to: text.nullable() });
export type FieldChange = z.infer<typeof FieldChange>;

const ComparedStep = z.object({ id: text, description: text, call: CallDescription });
export type ComparedStep = z.infer<typeof ComparedStep>;

/** A7. At most 100 steps of each kind. */
export const VersionDiff = z.object({
  from: whole,
  to: whole,
  added: z.array(ComparedStep),
  removed: z.array(ComparedStep),
  /** `changes`: at most 20 fields. */
  changed: z.array(
    ComparedStep.extend({
      fields: z.array(text),
      changes: z.array(FieldChange),
      changes_total: whole,
    }),
  ),
  counts: z.object({ added: whole, removed: whole, changed: whole }),
  operations_added: z.array(text),
  operations_removed: z.array(text),
  title_changed: z.boolean(),
  /** Phrases on recurrence, pattern, steps that ask. */
  terms: z.array(text),
  approvers: delta(ApproverPolicy).nullable(),
  risks_added: z.array(text),
  risks_removed: z.array(text),
  total: delta(whole),
  cost_usd: delta(z.number()),
  /** Along the longest chain. */
  minutes: delta(z.number().nullable()),
  /** The first dated step's. */
  earliest: delta(time.nullable()),
});
export type VersionDiff = z.infer<typeof VersionDiff>;
