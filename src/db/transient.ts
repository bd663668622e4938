// Classifies transient database errors: a lost or refused connection, a server that starts or stops, a deadlock, a lock
// timeout, a full disk.
import { setTimeout as pause } from 'node:timers/promises';
import { CountersignError, errorMessage } from '#domain/errors.ts';

const lockTimeout = '55P03';
const deadlock = '40P01';
/** The server's code for a full disk. */
export const diskFull = '53100';
const transientStates = /^(08|25P03|55P03|57P0[123]|40001|40P01|53100|53300)/;
const transientCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);
const transientTexts =
  /connection terminated|timeout exceeded when trying to connect|timeout expired|query read timeout|client has encountered a connection error|not queryable|after calling end on the pool/i;

function someCause(error: unknown, is: (code: string, message: string) => boolean): boolean {
  for (
    let at: unknown = error, depth = 0;
    at instanceof Error && depth < 5;
    at = at.cause, depth++
  ) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : '';
    if (is(code, at.message)) return true;
  }
  return false;
}

/** The innermost error of the database or connection. */
export function causeOf(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  if (at instanceof AggregateError && at.message === '') return causeOf(at.errors[0]);
  return errorMessage(at);
}

/** Whether trying the same statement again later can succeed. */
export function isTransient(error: unknown): boolean {
  return someCause(
    error,
    (code, message) =>
      transientStates.test(code) || transientCodes.has(code) || transientTexts.test(message),
  );
}

/**
 * Whether our statement failed because the database was briefly unavailable. Unreachable models, tools and chat platforms have
 * codes of their own.
 */
export function isDatabaseAway(error: unknown): boolean {
  return !(error instanceof CountersignError) && isTransient(error);
}

/** Whether the database has no room for what was to be stored. Nothing of its transaction was. */
export function isDiskFull(error: unknown): boolean {
  return someCause(error, (code) => code === diskFull);
}

/** The server's code for a statement timeout. */
const statementTimeout = '57014';

/** Whether the database, and not what was asked of it, is what failed: it is away or took too long. */
export function isDatabaseTrouble(error: unknown): boolean {
  return isTransient(error) || someCause(error, (code) => code === statementTimeout);
}

/** Whether a statement waited for a lock longer than its transaction allows. */
export function isLockTimeout(error: unknown): boolean {
  return someCause(error, (code) => code === lockTimeout);
}

/** Whether locks of other transactions ended this one: it waited too long, or they waited for each other. */
export function isLockedOut(error: unknown): boolean {
  return someCause(error, (code) => code === lockTimeout || code === deadlock);
}

/** A pool this process has closed; it never recovers. */
const isClosed = (error: unknown) =>
  someCause(error, (_, message) => message.includes('after calling end on the pool'));

// Retries while the database is briefly unavailable.

const firstWaitMs = 100;
const longestWaitMs = 5000;

/**
 * Retries `work`, which must be idempotent, until it succeeds, fails permanently, or the pool was closed. @param warn called
 * per transient failure @param signal once aborted, it is tried one last time at once and that failure is thrown
 */
export async function retryUntilDatabaseAnswers<T>(
  work: () => Promise<T>,
  warn: (error: unknown) => void,
  signal?: AbortSignal,
): Promise<T> {
  for (let wait = firstWaitMs; ; wait = Math.min(wait * 2, longestWaitMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || isClosed(error) || signal?.aborted === true) throw error;
      warn(error);
      await pause(wait, undefined, { signal }).catch(() => {});
    }
  }
}
