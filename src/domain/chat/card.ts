// A plan card's facts and presses; `cards/` words and lays them out.
import { z } from 'zod';
import type { Blockage } from '../plan/blockage.ts';
import type { CallDescription, ShownStep } from '../plan/call.ts';
import { settledStatuses } from '../plan/expected-step.ts';
import type { Finding } from '../plan/finding.ts';
import type { PassedStarts } from '../plan/passed-starts.ts';
import type { PatchOutcome } from '../plan/patch-outcome.ts';
import type { Plan, StepStatus } from '../plan/plan.ts';
import type { FieldChange, PartitionSummary, VersionDiff } from '../plan/views.ts';
import type { StepMove } from '../planning/artifacts.ts';
import type { Roadmap } from '../planning/roadmap.ts';
import type { BookedWeek } from '../planning/schedule.ts';
import type { MovedWork } from '../planning/shift.ts';

/** Equal calls are merged. `uneven`: start times differ; the first is shown. */
export type ReviewedCall = { step: ShownStep; times: number; uneven: boolean };

/** Order: guarded, destructive, external, other. */
export type ReviewFacts = {
  /** At most 24. */
  calls: ReviewedCall[];
  steps: number;
  different: number;
  /** More than counted. */
  more: boolean;
};

export type ApprovalRule = {
  /** Empty for the plan's own rule. */
  operations: string[];
  needed: number;
  given: string[];
  /** `one of Ben or Cleo for http_request`; empty if satisfied. */
  missing: string;
};

/** As after the change, or another effect in words. */
export type ShownChange = {
  kind: 'added' | 'removed' | 'changed' | 'other';
  text: string;
  call: CallDescription | null;
  reason: string;
  /** Without arguments. */
  fields?: FieldChange[];
};

export type PatchFacts = PatchOutcome & {
  /** Uncut, with the number of those not shown. */
  shown: ShownChange[];
  changes_hidden: number;
  approved: string[];
  approvals_needed: number;
  approvers: string;
  may_approve: boolean;
  passed?: PassedStarts;
};

/** ISO 8601. */
export type StepTimes = { starts_at: string; ends_at: string; deadline: string | null };

/** Least slack; and the one that decides the end. */
type TightestDeadline = {
  at: string;
  ends_at: string;
  label: string;
  decides: string | null;
};

export type PartProgress = { name: string; counts: Partial<Record<StepStatus, number>> };

export type PlanCardFacts = {
  plan: Plan;
  patch: PatchFacts | null;
  /** At most 24. */
  steps: ShownStep[];
  labels: Record<string, string>;
  review: ReviewFacts;
  /** Unless all steps are loaded. */
  partitions?: { shown: PartitionSummary[]; total: number };
  parts?: { shown: PartProgress[]; total: number };
  /** Against the previous version; null once decided. */
  diff: VersionDiff | null;
  /** At most 5 of each. */
  running: ShownStep[];
  next: ShownStep[];
  failed: ShownStep[];
  unknown: ShownStep[];
  waiting: ShownStep[];
  /** Before the start: steps that would be. */
  blocked: Blockage[];
  /** Worst first, at most 5. */
  findings: { open: Finding[]; more: number };
  /** Sentences; empty once started. */
  conflicts: string[];
  moves?: StepMove[];
  /** How booked people are; absent once started. */
  weeks?: BookedWeek[];
  /** Absent without a choice. */
  orders?: Pick<Roadmap, 'options_tried' | 'chosen' | 'reason'>;
  terms: string[];
  passed?: PassedStarts;
  repeats?: string[];
  /** By step ID, until the plan starts. */
  times?: Record<string, StepTimes>;
  /** Work that ends later than scheduled. */
  moved?: MovedWork[];
  deadline?: TightestDeadline;
  /** Null while a run is in progress. */
  next_at: string | null;
  /** Between scheduled dates, else along the longest chain; null if unknown or if units mix. */
  expected_minutes: number | null;
  expected_is_work: boolean;
  /** Null without working hours. */
  working_day_minutes: number | null;
  /** UTC; `earliest_end`: no order beats it. Null without a schedule or end. */
  scheduled: { starts_at: string; ends_at: string; earliest_end?: string } | null;
  /** "Ana or Ben". */
  approvers: string;
  /** Includes those given. */
  approvals_needed: number;
  /** One person may count for several. */
  approval_rules: ApprovalRule[];
  may_approve: boolean;
  /** Assignees the chat platform can't resolve. */
  unsure?: Partial<Record<string, 'unknown' | 'several'>>;
  names?: Record<string, string>;
  /** `lent`: names they are a delegate for. */
  viewer: { user: string; timezone: string; names?: { own: string[]; lent: string[] } };
  now: string;
  model_host?: string;
  /** To the console. */
  link: string | null;
};

/** Names the version and digest of the card shown. */
export const CardPress = z.object({
  action: z.enum([
    'approve',
    'reject',
    'propose_changes',
    'go_back',
    'reschedule',
    'cancel',
    'pause',
    'resume',
    'retry',
    'retry_edited',
    'save_playbook',
    'mark_failed',
    'settle_retry',
    'settle_done',
    'settle_failed',
    'settle_skip',
    'human_done',
    'human_blocked',
    'human_take_over',
    'finding_replan',
    'finding_proceed',
    'finding_leave_out',
    'finding_dismiss',
    'details',
  ]),
  plan_id: z.string().max(40),
  version: z.number().int(),
  digest: z.string().max(128),
  step_id: z.string().max(200).exactOptional(),
  /** For no other attempt or status. */
  attempt: z.number().int().min(0).exactOptional(),
  stood: z.enum(settledStatuses).exactOptional(),
  choice: z.string().max(600).exactOptional(),
  /** Default: the previous version. */
  to: z.number().int().min(1).exactOptional(),
  finding_id: z.string().max(40).exactOptional(),
  /** The end of the plan to run again. */
  ended_at: z.string().max(40).exactOptional(),
  /** Steps up to this start run at once. */
  passed: z.string().max(40).exactOptional(),
});
export type CardPress = z.infer<typeof CardPress>;

/** `once`: deduplication key. */
export type Pressed = { once: string; at: Date };
