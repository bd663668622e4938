// How tools fail: what an aborted signal means, and the mark for a call that may have taken effect.
import { CountersignError } from '#domain/errors.ts';

/**
 * `details` of an error after which nobody knows whether the call took effect (the answer never
 * came). The executor settles such a step as unknown, unless the operation may be repeated.
 */
export const outcomeUnknown = { outcome: 'unknown' } as const;

/** `details` of an error after which it is certain that nothing was done: the call never left this process. */
export const nothingDone = { outcome: 'none' } as const;

/** Whether it is certain that the call behind `error` did nothing. */
export function isNothingDone(error: unknown): boolean {
  return error instanceof CountersignError && error.details.outcome === nothingDone.outcome;
}

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
        passesAfterMs: 0,
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

/** Network and operating system errors that come and go. A host that is not known (ENOTFOUND) stays unknown. */
const passingCodes = new Set([
  'EAGAIN',
  'EAI_AGAIN',
  'EBUSY',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETDOWN',
  'ENETUNREACH',
  'ENFILE',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/** `passesAfterMs` of what the system or the network threw, judged by its code and those of its causes. */
export function passesOf(error: unknown): number | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (passingCodes.has(systemCode(cause) ?? '')) return 0;
  return null;
}

/** `passesAfterMs` of an HTTP answer: what its status says, and how long it asks to wait. `afterMs` null: it does not say. */
export function passesOfStatus(status: number, afterMs: number | null = null): number | null {
  const passes = status === 408 || status === 425 || status === 429 || status >= 500;
  return passes ? (afterMs ?? 0) : null;
}
