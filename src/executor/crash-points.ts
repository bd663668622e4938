// Named places where a test can end the process as kill -9 would. Inert unless COUNTERSIGN_CRASH_AT names one.

export const crashPoints = [
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
] as const;
export type CrashPoint = (typeof crashPoints)[number];

const [wanted, count = '1'] = (process.env.COUNTERSIGN_CRASH_AT ?? '').split(':');
let left = Number(count);

/** Ends the process at once when this point is the one asked for (`after_call`, or `after_call:3` for the third time). */
export function passCrashPoint(point: CrashPoint): void {
  if (point !== wanted) return;
  left--;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}
