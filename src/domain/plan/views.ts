// Views of a plan that don't load it whole: overview, diff, pages of steps, audit.
import type { Actor } from '../people/actor.ts';
import type { PlanOutline } from '../planning/outline.ts';
import type { Roadmap } from '../planning/roadmap.ts';
import type { Schedule } from '../planning/schedule.ts';
import type { JsonObject } from '../text.ts';
import type { Blockage } from './blockage.ts';
import type { CallDescription, ShownStep } from './call.ts';
import type { ApproverPolicy, PlanStatus, StepCounts, StepStatus } from './plan.ts';

/** One change, in the order of revisions. */
export type Change = {
  revision: number;
  /** null: the plan itself changed. */
  step_id: string | null;
  /** What happened: `proposed`, `approved`, `step_started`, `step_succeeded`, … */
  kind: string;
  status?: StepStatus | PlanStatus;
  at: string;
  detail?: string;
};

export type Overview = {
  revision: number;
  status: PlanStatus;
  counts: StepCounts;
  total: number;
  partitions: { name: string; counts: StepCounts }[];
  recent_events: Change[];
  /** What nobody can run now, or waits for a shared resource. */
  blocked: Blockage[];
  /** When something of a plan that comes again is next due; null: nothing does, or it is due now. */
  next_at: string | null;
};

export type Diff = { from: number; to: number; changes: Change[]; more: boolean };
export type StepPage = { steps: ShownStep[]; next_cursor: string | null };

export type AuditEntry = {
  id: number;
  at: string;
  plan_id: string | null;
  actor: string;
  actor_kind: Actor['kind'];
  via: string;
  action: string;
  version: number | null;
  digest: string | null;
  reason: string | null;
  /** What the action was about beside the plan: the step, the operation. */
  data: JsonObject | null;
};

export type Delta<T> = { from: T; to: T };

/** One field before and after, as text that is short enough to read; null: it was, or is, not there. */
export type FieldChange = { field: string; from: string | null; to: string | null };

/** A step of one of two versions: what its call does, and the planner's words about it. */
export type ComparedStep = { id: string; description: string; call: CallDescription };

/** What changed between two versions of a plan, readable (A7). The lists of steps hold the first 100 of each kind. */
export type VersionDiff = {
  from: number;
  to: number;
  added: ComparedStep[];
  removed: ComparedStep[];
  /** `changes` holds the first 20 fields that differ, `changes_total` says how many do. */
  changed: (ComparedStep & { fields: string[]; changes: FieldChange[]; changes_total: number })[];
  /** How many steps there are of each kind, listed or not. */
  counts: { added: number; removed: number; changed: number };
  operations_added: string[];
  operations_removed: string[];
  title_changed: boolean;
  /** What else is agreed differently, in phrases: whether each step asks, what comes again, the pattern. */
  terms: string[];
  /** Who may approve, when that differs. */
  approvers: Delta<ApproverPolicy> | null;
  risks_added: string[];
  risks_removed: string[];
  total: Delta<number>;
  /** What planning the version cost. */
  cost_usd: Delta<number>;
  /** Expected minutes along the longest chain; null where no step states a duration. */
  minutes: Delta<number | null>;
  /** When the first dated step may begin. */
  earliest: Delta<string | null>;
};

/** Something found out about a plan after it was made. */
export type PlanningNote = { at: string; text: string };

/** What a version of a plan was made from. */
export type PlanningArtifacts = {
  /** The version for which they were made: what came by patches since is not in them. */
  version: number | null;
  outline: PlanOutline | null;
  roadmap: Roadmap | null;
  schedule: Schedule | null;
  /** Steps of the plan by the node whose work they do. */
  node_steps: Record<string, string[]>;
  /** What the world has answered since. */
  notes: PlanningNote[];
};
