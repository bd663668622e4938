// Classifies transient database errors.
import { setTimeout as pause } from 'node:timers/promises';
import { CountersignError, errorMessage } from '#domain/errors.ts';

const lockTimeout = '55P03';
const deadlock = '40P01';
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

/** The database's or connection's innermost error. */
export function causeOf(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  if (at instanceof AggregateError && at.message === '') return causeOf(at.errors[0]);
  return errorMessage(at);
}

export function isTransient(error: unknown): boolean {
  return someCause(
    error,
    (code, message) =>
      transientStates.test(code) || transientCodes.has(code) || transientTexts.test(message),
  );
}

export function isDatabaseAway(error: unknown): boolean {
  return !(error instanceof CountersignError) && isTransient(error);
}

/** Nothing of its transaction was stored. */
export function isDiskFull(error: unknown): boolean {
  return someCause(error, (code) => code === diskFull);
}

const statementTimeout = '57014';

/** It is away or took too long: the fault isn't the statement's. */
export function isDatabaseTrouble(error: unknown): boolean {
  return isTransient(error) || someCause(error, (code) => code === statementTimeout);
}

export function isLockTimeout(error: unknown): boolean {
  return someCause(error, (code) => code === lockTimeout);
}

/** Locks of other transactions ended this one. */
export function isLockedOut(error: unknown): boolean {
  return someCause(error, (code) => code === lockTimeout || code === deadlock);
}

const isClosed = (error: unknown) =>
  someCause(error, (_, message) => message.includes('after calling end on the pool'));

const firstWaitMs = 100;
const longestWaitMs = 5000;

/** `work` must be idempotent. @param warn per transient failure @param signal once aborted, tries a last time */
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
