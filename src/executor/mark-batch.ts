// Marks calls as about to happen just before they do, several in one statement.
import { type Lease, markCalling } from '#db/sql/leases.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import type { Clock } from '#domain/clock.ts';
import type { ExecutorContext, Mark, Permit } from './executor-context.ts';
import { keyOfLease } from './leases.ts';

/** The share of a lease that may pass between the mark and its call; the rest is left for the call to go out. */
const usableShare = 2 / 3;

/** Marks requested in one turn of the event loop, or during another statement, share one statement. */
export function createMarker({
  db,
  worker,
  warn,
  clock,
  settings,
}: Pick<ExecutorContext, 'db' | 'worker' | 'warn' | 'clock' | 'settings'>): Mark {
  type Waiting = {
    lease: Lease;
    resolve: (permit: Permit | null) => void;
    reject: (error: unknown) => void;
  };
  const usableMs = settings.lease_seconds * 1000 * usableShare;
  let waiting: Waiting[] = [];
  let flushing = false;

  /** A lease lasts at least from the time its renewal was requested. */
  async function ask(leases: Lease[]): Promise<{ keys: Set<string>; permit: Permit }> {
    const passedMs = startStopwatch(clock);
    const marked = await markCalling(db.query, worker, leases, settings.lease_seconds);
    const permit = { isFresh: () => passedMs() < usableMs };
    return { keys: new Set(marked.map(keyOfLease)), permit };
  }

  async function flush(): Promise<void> {
    flushing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const leases = batch.map(({ lease }) => lease);
      try {
        const { keys, permit } = await retryUntilDatabaseAnswers(
          () => ask(leases),
          (error) => warn('Calls could not be marked; trying again.', error),
        );
        for (const { lease, resolve } of batch)
          resolve(keys.has(keyOfLease(lease)) ? permit : null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    flushing = false;
  }

  return (lease) =>
    new Promise((resolve, reject) => {
      waiting.push({ lease, resolve, reject });
      if (!flushing && waiting.length === 1) setImmediate(() => void flush());
    });
}

// Measures time that passes even while this process or its machine is suspended.

/**
 * Returns milliseconds since the call. The monotonic clock stops while the machine sleeps, and the wall clock can be set back, so
 * the greater of the two counts.
 */
export function startStopwatch(clock: Clock): () => number {
  const since = performance.now();
  const at = clock.now().getTime();
  return () => Math.max(performance.now() - since, clock.now().getTime() - at);
}
