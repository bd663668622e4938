// How tools fail, and whether a call may have taken effect.
import { CountersignError } from '#domain/errors.ts';

/** The answer never came. */
export const outcomeUnknown = { outcome: 'unknown' } as const;

/** The call never left this process. */
export const nothingDone = { outcome: 'none' } as const;

export function isNothingDone(error: unknown): boolean {
  return error instanceof CountersignError && error.details.outcome === nothingDone.outcome;
}

export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof CountersignError && error.details.outcome === outcomeUnknown.outcome;
}

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

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw toAbortError(signal);
}

export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** An unknown host (ENOTFOUND) isn't transient. */
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

export function passesOf(error: unknown): number | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (passingCodes.has(systemCode(cause) ?? '')) return 0;
  return null;
}

export function passesOfStatus(status: number, afterMs: number | null = null): number | null {
  const passes = status === 408 || status === 425 || status === 429 || status >= 500;
  return passes ? (afterMs ?? 0) : null;
}
