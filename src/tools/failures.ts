// How tools fail: what an aborted signal means, and the mark for a call that may have acted all the same.
import { CountersignError } from '#contracts/errors.ts';

/**
 * `details` of an error after which nobody knows whether the call took effect (the answer never
 * came). The executor settles such a step as unknown, unless the operation may be repeated.
 */
export const outcomeUnknown = { outcome: 'unknown' } as const;

/** Whether `error` leaves open if the call took effect. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof CountersignError && error.details.outcome === outcomeUnknown.outcome;
}

/** Why a signal was aborted, as an error with a code. */
export function toAbortError(signal: AbortSignal): CountersignError {
  const reason: unknown = signal.reason;
  if (reason instanceof CountersignError) return reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  return timedOut
    ? new CountersignError('timed_out', 'The call took too long and was stopped.', {
        cause: reason,
      })
    : new CountersignError('cancelled', 'The call was cancelled.', { cause: reason });
}

/** @throws CountersignError when the call should not go on */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw toAbortError(signal);
}

/** The `code` of a system error (`ENOENT`), or undefined. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
