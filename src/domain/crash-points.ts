// Points at which tests can end the process like kill -9. Inert unless COUNTERSIGN_CRASH_AT names one: `after_call`, or
// `after_call:3` for the third time.
import { env, kill, pid } from 'node:process';

export const crashPoints = {
  executor: [
    /** A step is ready; its attempt and the outcomes settled with it are uncommitted. */
    'before_attempt',
    /** The attempt is recorded; the call has not been made. */
    'after_attempt',
    /** The call is marked; it has not been made. */
    'before_call',
    /** The call has been made; its outcome is not recorded. */
    'after_call',
    /** The outcome is written but not committed. */
    'in_settle',
    /** The outcome is committed with the next attempts. */
    'after_outcome',
    /** An outcome is known but not written; next steps are not claimed. */
    'before_next_job',
  ],
  inbox: [
    /** Events are not committed: only this process knows of them. */
    'inbox_writing',
    /** They are committed; no worker was woken. */
    'inbox_stored',
    /** An event was taken; its handler has not been called. */
    'inbox_taken',
    /** Its handler has returned; that is not recorded. */
    'inbox_handled',
    /** The event is marked as handled; its thread is still held. */
    'inbox_settled',
  ],
  delivery: [
    /** A post is recorded as begun; the platform doesn't know it. */
    'delivery_begun',
    /** The platform has answered; that is not recorded. */
    'delivery_sent',
    /** The people asked were notified; the post is not recorded. */
    'delivery_told',
    /** It is recorded; the place is still held. */
    'delivery_settled',
    /** A card is about to be changed. */
    'delivery_changing',
    /** It was changed; that is not recorded. */
    'delivery_changed',
  ],
  replanning: [
    /** A change is worked out but not stored. */
    'replan_proposed',
    /** The change was checked but not applied. */
    'patch_verified',
    /** The change is applied, or waits for approval; its step's outcome is not recorded. */
    'patch_applied',
  ],
  drafts: [
    /** A draftbook is stored; its step has not succeeded yet. */
    'draft_stored',
    /** A report is written, paid for and stored; its step has not succeeded yet. */
    'draft_finalised',
  ],
  parts: [
    /** A scaffold's parts are stored; their planners have not begun. */
    'scaffold_stored',
    /** A planner has taken a part. */
    'part_claimed',
    /** Its steps are stored; its job has not ended. */
    'part_planned',
    /** All parts are in the draft; the session is not stored. */
    'parts_assembled',
  ],
  requests: [
    /** A planner's request for data is stored. */
    'request_filed',
    /** The data is fetched but not stored. */
    'request_fetched',
  ],
  webhooks: [
    /** The endpoint has answered; that is not recorded. */
    'webhook_sent',
  ],
} as const;

/** `planner_before_DRAFT_OUTLINE`: around the checkpoint of each planning transition. */
type PlannerPoint = `planner_${'before' | 'after'}_${string}`;
type CrashPoint = (typeof crashPoints)[keyof typeof crashPoints][number] | PlannerPoint;

const [wanted, count = '1'] = (env.COUNTERSIGN_CRASH_AT ?? '').split(':');
let left = Number(count);

/** Ends this process if `point` was requested. */
export function passCrashPoint(point: CrashPoint): void {
  if (point !== wanted) return;
  left--;
  if (left === 0) kill(pid, 'SIGKILL');
}
