// The facts of a plan's card, read fresh each time, and the press it sends. `cards/` turns facts into words and layouts.
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

/**
 * A call that changes something or goes outside; steps with the same call are merged. `uneven`: their start times differ and only
 * the first is shown.
 */
export type ReviewedCall = { step: ShownStep; times: number; uneven: boolean };

/** Shown to reviewers first: guarded calls, then destructive, external and other changes. */
export type ReviewFacts = {
  /** The first of them, at most 24. */
  calls: ReviewedCall[];
  steps: number;
  different: number;
  /** There are more steps than were counted. */
  more: boolean;
};

/** A rule that an approval has to satisfy, and its progress. */
export type ApprovalRule = {
  /** The operations that require it; empty for the plan's own rule. */
  operations: string[];
  needed: number;
  /** Approvers who count for it. */
  given: string[];
  /** Still required, in words: `one of Ben or Cleo for http_request`; empty if nothing. */
  missing: string;
};

/** A step that a change adds, removes or alters, as it will be, or another effect in words. */
export type ShownChange = {
  kind: 'added' | 'removed' | 'changed' | 'other';
  text: string;
  call: CallDescription | null;
  /** The planner's words about an added step, or empty. */
  reason: string;
  /** How a changed step differs; only arguments are cut, which its call has. */
  fields?: FieldChange[];
};

/** A change that needs its own approval, and who can give it. */
export type PatchFacts = PatchOutcome & {
  /** Its effects, uncut, and the number of those not shown: a change of thousands isn't shown whole. */
  shown: ShownChange[];
  changes_hidden: number;
  /** Who has approved it, and how many approvals suffice. */
  approved: string[];
  approvals_needed: number;
  /** Missing approvers, in words. */
  approvers: string;
  may_approve: boolean;
  passed?: PassedStarts;
};

/** When a step takes place, and by when it has to be done; ISO 8601. */
export type StepTimes = { starts_at: string; ends_at: string; deadline: string | null };

/** The work with the least time to spare, and the step that decides when the plan ends, or null if unknown. */
type TightestDeadline = {
  at: string;
  ends_at: string;
  label: string;
  decides: string | null;
};

/** A partition's steps by status, without zeros. */
export type PartProgress = { name: string; counts: Partial<Record<StepStatus, number>> };

export type PlanCardFacts = {
  plan: Plan;
  /** The pending change, or null. */
  patch: PatchFacts | null;
  /** The first steps of the plan (at most 24), in order. */
  steps: ShownStep[];
  /** Labels of the steps mentioned here, by ID. */
  labels: Record<string, string>;
  review: ReviewFacts;
  /** If not all steps are loaded: the first partitions and their total. */
  partitions?: { shown: PartitionSummary[]; total: number };
  /** The progress of partitions of such a plan: the first ones and the total. */
  parts?: { shown: PartProgress[]; total: number };
  /** Against the previous version, while undecided. */
  diff: VersionDiff | null;
  /** At most 5 of each. */
  running: ShownStep[];
  next: ShownStep[];
  failed: ShownStep[];
  unknown: ShownStep[];
  waiting: ShownStep[];
  /** Steps that no worker can run or that wait for a resource; before the start, those that would. */
  blocked: Blockage[];
  /** Open findings, the worst first, at most 5; and how many more. */
  findings: { open: Finding[]; more: number };
  /** Schedule conflicts with other plans and calendars, one sentence each; empty once started. */
  conflicts: string[];
  /** Alternative future times for conflicting steps. */
  moves?: StepMove[];
  /** How full the working time of the schedule's people is; absent once started. */
  weeks?: BookedWeek[];
  /** The orders compared, if there was a choice. */
  orders?: Pick<Roadmap, 'options_tried' | 'chosen' | 'reason'>;
  /** Other agreed terms, one sentence each: recurrence, whether each step asks. */
  terms: string[];
  /** Steps whose start has passed undecided, if any. */
  passed?: PassedStarts;
  /** Rhythms of its series: `every Monday`. */
  repeats?: string[];
  /** Scheduled times of the first steps by ID, until the plan starts. */
  times?: Record<string, StepTimes>;
  /** While it runs: the work that ends later than scheduled. */
  moved?: MovedWork[];
  /** The tightest deadline of the schedule, until the plan starts. */
  deadline?: TightestDeadline;
  /** When a recurring plan is next due, while nothing of it is in progress; else null. */
  next_at: string | null;
  /** Expected minutes: between the scheduled dates, else along the longest chain; null if unknown or if units mix. */
  expected_minutes: number | null;
  expected_is_work: boolean;
  /** Minutes of a working day for people's work, or null without working hours. */
  working_day_minutes: number | null;
  /** The stored schedule in ISO 8601, UTC, with a bound that no order beats, or null if there is none or it recurs without end. */
  scheduled: { starts_at: string; ends_at: string; earliest_end?: string } | null;
  /** Missing approvers, in words ("Ana or Ben"). */
  approvers: string;
  /** How many approvals suffice, those given among them. */
  approvals_needed: number;
  /** All must be satisfied; one person may count for several. */
  approval_rules: ApprovalRule[];
  /** Whether this viewer's approval would count. */
  may_approve: boolean;
  /** Assignees that the plan's chat platform doesn't know, or knows as several people. */
  unsure?: Partial<Record<string, 'unknown' | 'several'>>;
  /** Display names by name; default: the name itself. */
  names?: Record<string, string>;
  /** `names`: their own, and those they are a delegate for. */
  viewer: { user: string; timezone: string; names?: { own: string[]; lent: string[] } };
  now: string;
  /** The model host that steps send text to, if any. */
  model_host?: string;
  /** Link to the plan in the console, if there is one. */
  link: string | null;
};

/** Sent by a press on a card, with the version and digest of the card shown. */
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
  /** The step's attempt and status; the press applies to no other. */
  attempt: z.number().int().min(0).exactOptional(),
  stood: z.enum(settledStatuses).exactOptional(),
  /** The change that the button proposes. */
  choice: z.string().max(600).exactOptional(),
  /** The version to go back to; by default the one before. */
  to: z.number().int().min(1).exactOptional(),
  /** The finding that is settled. */
  finding_id: z.string().max(40).exactOptional(),
  /** When the plan to run again ended. */
  ended_at: z.string().max(40).exactOptional(),
  /** The last passed start on the card: such steps start at once. */
  passed: z.string().max(40).exactOptional(),
});
export type CardPress = z.infer<typeof CardPress>;

/** A press on a card in a chat: its deduplication key and time. */
export type Pressed = { once: string; at: Date };
