// Points at which tests can crash replanning: `COUNTERSIGN_CRASH_AT=patch_verified`.
import { endAt } from '#domain/crash-point.ts';

export const replanCrashPoints = [
  /** A change is worked out; it is stored nowhere. */
  'replan_proposed',
  /** The change has been checked; nothing of it is applied. */
  'patch_verified',
  /** The change is applied, or waits for approval; the outcome of the step that did it is recorded nowhere. */
  'patch_applied',
] as const;

/** Ends this process as kill -9 would, when it was asked to at `point`. */
export function passReplanPoint(point: (typeof replanCrashPoints)[number]): void {
  endAt(point);
}
