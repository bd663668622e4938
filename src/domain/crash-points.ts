// Points at which a test can end the process as kill -9 would. Inert unless COUNTERSIGN_CRASH_AT names one: `after_call`, or
// `after_call:3` for the third time.
import { env, kill, pid } from 'node:process';

export const crashPoints = {
  executor: [
    /** A step is ready; neither its attempt nor the outcomes settled with it are committed. */
    'before_attempt',
    /** The attempt is recorded; the call has not been made. */
    'after_attempt',
    /** The call is marked as possibly under way; it has not been made. */
    'before_call',
    /** The call has been made; its outcome is recorded nowhere. */
    'after_call',
    /** The outcome is written but not committed. */
    'in_settle',
    /** The outcome is committed, with the attempts of the next steps. */
    'after_outcome',
    /** An outcome is known; nothing of it is written, and the next ready steps are not looked for yet. */
    'before_next_job',
  ],
  inbox: [
    /** Events are about to be written, or written and not committed: nobody but this process knows of them. */
    'inbox_writing',
    /** They are committed; nobody has been told. */
    'inbox_stored',
    /** An event was taken; its handler has not been called. */
    'inbox_taken',
    /** Its handler has returned; that is noted nowhere. */
    'inbox_handled',
    /** The event is noted as handled; its thread is still held. */
    'inbox_settled',
  ],
  delivery: [
    /** It is written down that a message is about to be posted; the platform knows nothing of it. */
    'delivery_begun',
    /** The platform has answered; that is noted nowhere. */
    'delivery_sent',
    /** The people it asks were told; the post is not recorded yet. */
    'delivery_told',
    /** It is noted; the place is still held. */
    'delivery_settled',
    /** A card is about to be changed. */
    'delivery_changing',
    /** It was changed; that is noted nowhere. */
    'delivery_changed',
  ],
  replanning: [
    /** A change is worked out; it is stored nowhere. */
    'replan_proposed',
    /** The change has been checked; nothing of it is applied. */
    'patch_verified',
    /** The change is applied, or waits for approval; the outcome of the step that did it is recorded nowhere. */
    'patch_applied',
  ],
  drafts: [
    /** A draftbook is stored; its step has not succeeded yet. */
    'draft_stored',
    /** A report is written, paid for and stored; its step has not succeeded yet. */
    'draft_finalised',
  ],
  parts: [
    /** The parts of a scaffold are stored; their planners have not begun. */
    'scaffold_stored',
    /** A planner has taken a part. */
    'part_claimed',
    /** Its steps are stored; its job has not ended. */
    'part_planned',
    /** All parts stand in the draft; the session that holds it is not stored. */
    'parts_assembled',
  ],
  requests: [
    /** A planner's request for data is stored. */
    'request_filed',
    /** The data are fetched; they are stored nowhere. */
    'request_fetched',
  ],
  webhooks: [
    /** The endpoint has answered; that is noted nowhere. */
    'webhook_sent',
  ],
} as const;

/** `planner_before_DRAFT_OUTLINE`: around the checkpoint of each transition of a planning session. */
type PlannerPoint = `planner_${'before' | 'after'}_${string}`;
type CrashPoint = (typeof crashPoints)[keyof typeof crashPoints][number] | PlannerPoint;

const [wanted, count = '1'] = (env.COUNTERSIGN_CRASH_AT ?? '').split(':');
let left = Number(count);

/** Ends this process at once, when it was asked to at `point`. */
export function passCrashPoint(point: CrashPoint): void {
  if (point !== wanted) return;
  left--;
  if (left === 0) kill(pid, 'SIGKILL');
}
