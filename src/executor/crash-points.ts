// Points at which tests can crash the executor: `COUNTERSIGN_CRASH_AT=after_call`.
import { endAt } from '#domain/crash-point.ts';

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

/** Ends this process as kill -9 would, when it was asked to at `point`. */
export function passCrashPoint(point: CrashPoint): void {
  endAt(point);
}
