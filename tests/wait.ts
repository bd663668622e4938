// Waiting for something to become true, instead of sleeping.
import { setTimeout as pause } from 'node:timers/promises';
import { errorMessage } from '#domain/errors.ts';

export type WaitOptions = {
  /** Gives up after this long; default 30 s. */
  timeoutMs?: number;
  /** Longest pause between probes, which begin at 5 ms and double; default 40 ms. */
  everyMs?: number;
};

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/**
 * Probes until `probe` answers something truthy, and returns that answer.
 * A probe that throws has not succeeded yet; its last error is the cause when the wait gives up.
 */
export async function waitFor<T>(
  description: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs = 40 }: WaitOptions = {},
): Promise<Truthy<T>> {
  const deadline = performance.now() + timeoutMs;
  let interval = Math.min(5, everyMs);
  let cause: unknown;
  for (;;) {
    try {
      const answer = await probe();
      if (answer) return answer as Truthy<T>; // What is truthy is not one of the excluded values.
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) break;
    await pause(interval);
    interval = Math.min(2 * interval, everyMs);
  }
  const why = cause === undefined ? '' : `: ${errorMessage(cause)}`;
  throw new Error(`waited ${timeoutMs} ms in vain for ${description}${why}`, { cause });
}
