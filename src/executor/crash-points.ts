// Named places where a test can end the process as kill -9 would. Inert unless COUNTERSIGN_CRASH_AT names one.

export const crashPoints = [
  /** A step is ready; its attempt is not recorded yet. */
  'before_attempt',
  /** The attempt is recorded; the call has not been made. */
  'after_attempt',
  /** The call is marked as possibly under way; it has not been made. */
  'before_call',
  /** The call has been made; its outcome is recorded nowhere. */
  'after_call',
  /** The outcome is written but not committed. */
  'in_settle',
  /** The outcome is committed; the next steps are ready. */
  'after_outcome',
  /** Before the next ready steps are looked for. */
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
