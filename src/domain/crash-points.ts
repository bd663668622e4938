// Test-only points that kill the process, set by COUNTERSIGN_CRASH_AT, as in `after_call:3`.
import { env, kill, pid } from 'node:process';

export const crashPoints = {
  executor: [
    /** Uncommitted, with the outcomes settled before. */
    'before_attempt',
    'after_attempt',
    'before_call',
    'after_call',
    'in_settle',
    /** Committed with the next attempts. */
    'after_outcome',
    /** An outcome is unwritten; next steps are not claimed. */
    'before_next_job',
  ],
  inbox: [
    /** Not committed; only this process knows the events. */
    'inbox_writing',
    'inbox_stored',
    'inbox_taken',
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
    'delivery_changed',
  ],
  replanning: [
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
  requests: ['request_filed', 'request_fetched'],
  webhooks: ['webhook_sent'],
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
