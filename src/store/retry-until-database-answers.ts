// Waiting for a database that is away for a moment: what is needed of it is asked for again, not given up.
import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from './transient.ts';

const firstWaitMs = 100;
const longestWaitMs = 5000;

/**
 * Does `work` until it succeeds or fails for a reason that does not pass. `work` must be safe to repeat.
 * @param warn called with each passing failure
 * @param signal aborted: it is tried once more at once, and that failure is thrown, whatever its reason
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
      if (!isTransient(error) || signal?.aborted === true) throw error;
      warn(error);
      await pause(wait, undefined, { signal }).catch(() => {});
    }
  }
}
