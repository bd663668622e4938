// Test hook: places where a planner can be made to crash, as in `COUNTERSIGN_CRASH_AT=planner_after_DRAFT_ROADMAP`.
import { endAt } from '#domain/crash-point.ts';

/** Ends this process as kill -9 would, when it was asked to at `place`. */
export function passCrashPoint(place: string): void {
  endAt(`planner_${place}`);
}
