// Test-only points that kill the process, set by COUNTERSIGN_CRASH_AT, as in `after_call:3`.
import { env, kill, pid } from 'node:process';

export const crashPoints = {
  executor: [
    /** The attempt and the outcomes settled with it are uncommitted. */
    'before_attempt',
    /** Recorded; the call is not made. */
    'after_attempt',
    /** Marked, not made. */
    'before_call',
    /** The outcome is not recorded. */
    'after_call',
    /** Written, not committed. */
    'in_settle',
    /** Committed with the next attempts. */
    'after_outcome',
    /** An outcome is unwritten; next steps are not claimed. */
    'before_next_job',
  ],
  inbox: [
    /** Not committed; only this process knows the events. */
    'inbox_writing',
    /** Committed; no worker was woken. */
    'inbox_stored',
    /** The handler has not been called. */
    'inbox_taken',
    /** The handler's return is not recorded. */
    'inbox_handled',
    /** Marked as handled; the thread is still held. */
    'inbox_settled',
  ],
  delivery: [
    /** Recorded; the platform doesn't know it. */
    'delivery_begun',
    /** The platform's answer is not recorded. */
    'delivery_sent',
    /** People were notified; the post is not recorded. */
    'delivery_told',
    /** Recorded; the place is still held. */
    'delivery_settled',
    'delivery_changing',
    /** Not recorded. */
    'delivery_changed',
  ],
  replanning: [
    /** Not stored. */
    'replan_proposed',
    /** Checked, not applied. */
    'patch_verified',
    /** Applied or waiting; the step's outcome is not recorded. */
    'patch_applied',
  ],
  drafts: [
    /** Stored; the step has not succeeded. */
    'draft_stored',
    /** Paid for and stored; the step has not succeeded. */
    'draft_finalised',
  ],
  parts: [
    /** Stored; the planners have not begun. */
    'scaffold_stored',
    'part_claimed',
    /** Steps are stored; the job has not ended. */
    'part_planned',
    /** The session is not stored. */
    'parts_assembled',
  ],
  requests: [
    'request_filed',
    /** Fetched, not stored. */
    'request_fetched',
  ],
  webhooks: [
    /** The endpoint's answer is not recorded. */
    'webhook_sent',
  ],
} as const;

/** `planner_before_DRAFT_OUTLINE`: around a transition's checkpoint. */
type PlannerPoint = `planner_${'before' | 'after'}_${string}`;
type CrashPoint = (typeof crashPoints)[keyof typeof crashPoints][number] | PlannerPoint;

const [wanted, count = '1'] = (env.COUNTERSIGN_CRASH_AT ?? '').split(':');
let left = Number(count);

export function passCrashPoint(point: CrashPoint): void {
  if (point !== wanted) return;
  left--;
  if (left === 0) kill(pid, 'SIGKILL');
}
