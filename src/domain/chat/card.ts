// The facts of a plan's card, gathered from the database each time, and the press that comes back from it. `cards/` turns the facts
// into words and layouts.
import { z } from 'zod';
import type { Blockage } from '../plan/blockage.ts';
import type { CallDescription, ShownStep } from '../plan/call.ts';
import { settledStands } from '../plan/expected-step.ts';
import type { Finding } from '../plan/finding.ts';
import type { PassedStarts } from '../plan/passed-starts.ts';
import type { PatchOutcome } from '../plan/patch-outcome.ts';
import type { Plan, StepStatus } from '../plan/plan.ts';
import type { PartitionSummary, VersionDiff } from '../plan/views.ts';
import type { StepMove } from '../planning/artifacts.ts';

/**
 * A call that changes something or goes outside; steps that make the same call are one. `uneven`: they may begin at different
 * times, of which only the first is shown.
 */
export type ReviewedCall = { step: ShownStep; times: number; uneven: boolean };

/** What a reviewer should see before anything else: guarded calls, then destructive, outgoing and other changing ones. */
export type ReviewFacts = {
  /** The first of them, at most 24. */
  calls: ReviewedCall[];
  /** How many steps make such calls, and how many different calls there are. */
  steps: number;
  different: number;
  /** There are more steps than were counted. */
  more: boolean;
};

/** One rule of those that an approval has to satisfy, and how far it is. */
export type ApprovalRule = {
  /** The operations that ask for it; empty: the plan's own rule. */
  operations: string[];
  needed: number;
  /** Who of those it counts has approved. */
  given: string[];
  /** What it still asks for, in words: `one of Ben or Cleo for http_request`; empty when nothing. */
  missing: string;
};

/**
 * One operation of a change in words; where it adds or removes a step or gives it other arguments, with the effect of that call.
 * `kind`: what becomes of a step, or nothing that a sign stands for.
 */
export type ShownChange = {
  kind: 'added' | 'removed' | 'changed' | 'other';
  text: string;
  call: CallDescription | null;
  /** The planner's own words about an added step, or empty. */
  reason: string;
};

/** A change that waits for an approval of its own, and who can give it. */
export type PatchFacts = PatchOutcome & {
  /** What it does, nothing cut, and how many more operations it has than are shown: a change of thousands is not shown whole. */
  shown: ShownChange[];
  operations_hidden: number;
  /** Who has approved it, and how many approvals suffice. */
  approved: string[];
  approvals_needed: number;
  /** Whose approval is still needed, in words. */
  approvers: string;
  may_approve: boolean;
  passed?: PassedStarts;
};

/** How many steps of a partition are in each status; a status that none has is left out. */
export type PartProgress = { name: string; counts: Partial<Record<StepStatus, number>> };

export type PlanCardFacts = {
  plan: Plan;
  /** The change that waits; null: none does. */
  patch: PatchFacts | null;
  /** The first steps of the plan (at most 24), in order. */
  steps: ShownStep[];
  /** Labels of the steps mentioned here, by id. */
  labels: Record<string, string>;
  review: ReviewFacts;
  /** What its partitions do, of a plan whose steps are not all known here: the first ones, and how many there are. */
  partitions?: { shown: PartitionSummary[]; total: number };
  /** How far its partitions are, of such a plan that runs: the first ones, and how many there are. */
  parts?: { shown: PartProgress[]; total: number };
  /** Against the version before, when there is one and it still is to be decided. */
  diff: VersionDiff | null;
  /** At most 5 of each. */
  running: ShownStep[];
  next: ShownStep[];
  failed: ShownStep[];
  unknown: ShownStep[];
  waiting: ShownStep[];
  /** What nobody can run, or waits for a shared resource; before the start, what would. */
  blocked: Blockage[];
  /** Findings that are open, the worst first, at most 5; and how many more. */
  findings: { open: Finding[]; more: number };
  /** Where its times meet other plans and calendars, one sentence each; empty once it has started. */
  conflicts: string[];
  /** Where steps whose times meet something else could be instead; only starts that are still to come. */
  moves?: StepMove[];
  /** What is agreed besides the steps, one sentence each: what comes again, whether each step asks. */
  terms: string[];
  /** Steps whose start has passed while nobody decided; left out: none. */
  passed?: PassedStarts;
  /** When something of a plan that comes again is next due, while nothing of it is under way; null otherwise. */
  next_at: string | null;
  /** Expected minutes along the longest chain the plan states; null when it states none, or adds days of work to days of waiting. */
  expected_minutes: number | null;
  /** Whether these minutes are people's working time. */
  expected_is_work: boolean;
  /** Minutes of one working day, in which people's work is counted; null: nobody ever works. */
  working_day_minutes: number | null;
  /** When the stored schedule begins and ends, ISO 8601 in UTC; null: there is none, or it has no end because steps recur. */
  scheduled: { starts_at: string; ends_at: string } | null;
  /** Whose approval is still needed, in words ("Ana or Ben"). */
  approvers: string;
  /** How many approvals suffice, those given among them. */
  approvals_needed: number;
  /** All of these must be satisfied; one person may count for several. */
  approval_rules: ApprovalRule[];
  /** Whether an approval by this viewer would bring the plan nearer to its start. */
  may_approve: boolean;
  /** People whom steps ask and whom the platform of the plan's chat knows not at all, or as several. */
  unsure?: Partial<Record<string, 'unknown' | 'several'>>;
  /** What readers are shown in the place of names of people; left out, or of one that is not in it: the name. */
  names?: Record<string, string>;
  /** `names`: theirs, and those of the people whose delegate they are. */
  viewer: { user: string; timezone: string; names?: { own: string[]; lent: string[] } };
  now: string;
  /** The host that steps with a model send text to; left out: there is none. */
  model_host?: string;
  /** Link to the plan in the console, where there is one. */
  link: string | null;
};

/** What a press on a card sends, on every surface. Version and digest are those of the card that was shown, and so is the rest. */
export const CardPress = z.object({
  action: z.enum([
    'approve',
    'reject',
    'propose_changes',
    'reschedule',
    'cancel',
    'pause',
    'resume',
    'retry',
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
  /** The attempt of that step, and how it stood; a word about it settles no other. */
  attempt: z.number().int().min(0).exactOptional(),
  stood: z.enum(settledStands).exactOptional(),
  /** The change that the button itself stands for. */
  choice: z.string().max(600).exactOptional(),
  /** The finding that is settled. */
  finding_id: z.string().max(40).exactOptional(),
  /** When the plan ended that is to be run again. */
  ended_at: z.string().max(40).exactOptional(),
  /** The last start that had passed on the card: such steps start at once. */
  passed: z.string().max(40).exactOptional(),
});
export type CardPress = z.infer<typeof CardPress>;

/** A press on a card in a chat: the name under which it decides once, and when it was pressed. */
export type Pressed = { once: string; at: Date };
