// Points at which tests can crash the inbox: `COUNTERSIGN_CRASH_AT=inbox_handled`.
import { endAt } from '#domain/crash-point.ts';

export const inboxCrashPoints = [
  /** Events are about to be written, or written and not committed: nobody but this process knows of them. */
  'writing',
  /** They are committed; nobody has been told. */
  'stored',
  /** An event was taken; its handler has not been called. */
  'taken',
  /** Its handler has returned; that is noted nowhere. */
  'handled',
  /** The event is noted as handled; its thread is still held. */
  'settled',
] as const;

/** Ends this process as kill -9 would, when it was asked to at `point`. */
export function passCrashPoint(point: (typeof inboxCrashPoints)[number]): void {
  endAt(`inbox_${point}`);
}
