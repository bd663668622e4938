// Points at which tests can end the process while a draft or a report is made: `COUNTERSIGN_CRASH_AT=draft_stored`.
import { endAt } from '#domain/crash-point.ts';

export const crashPoints = [
  /** A draftbook is stored; its step has not succeeded yet. */
  'draft_stored',
  /** A report is written, paid for and stored; its step has not succeeded yet. */
  'draft_finalised',
] as const;

/** Ends this process as kill -9 would, when it was asked to at `point`. */
export function passCrashPoint(point: (typeof crashPoints)[number]): void {
  endAt(point);
}
