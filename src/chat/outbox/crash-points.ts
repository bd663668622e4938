// Points at which tests can crash delivery: `COUNTERSIGN_CRASH_AT=delivery_sent`.
import { endAt } from '#domain/crash-point.ts';

export const deliveryCrashPoints = [
  /** It is written down that a message is about to be posted; the platform knows nothing of it. */
  'begun',
  /** The platform has answered; that is noted nowhere. */
  'sent',
  /** The people it asks were told; the post is not recorded yet. */
  'told',
  /** It is noted; the place is still held. */
  'settled',
  /** A card is about to be changed. */
  'changing',
  /** It was changed; that is noted nowhere. */
  'changed',
] as const;

/** Ends this process as kill -9 would, when it was asked to at `point`. */
export function passCrashPoint(point: (typeof deliveryCrashPoints)[number]): void {
  endAt(`delivery_${point}`);
}
