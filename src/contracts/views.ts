// What can be read of a plan without loading it: overview, diff, pages of steps, audit.

import type { Actor } from './actor.ts';
import type { PlanStatus, Step, StepCounts, StepStatus } from './plan.ts';
import type { JsonObject } from './text.ts';

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
};

export type Diff = { from: number; to: number; changes: Change[]; more: boolean };
export type StepPage = { steps: Step[]; next_cursor: string | null };

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

/** What changed between two versions of a plan, readable (A7). */
export type VersionDiff = {
  from: number;
  to: number;
  added: { id: string; description: string }[];
  removed: { id: string; description: string }[];
  changed: { id: string; description: string; fields: string[] }[];
  operations_added: string[];
  operations_removed: string[];
  title_changed: boolean;
};
