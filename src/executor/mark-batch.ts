// Marks calls as about to happen just before they do, several in one statement.
import { type Lease, markCalling } from '#db/sql/leases.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import type { Clock } from '#domain/clock.ts';
import type { ExecutorContext, Mark, Permit } from './executor-context.ts';
import { keyOfLease } from './leases.ts';

/** How much of a lease may pass between the question for a mark and its call; the rest is for the call to go out in. */
const usableShare = 2 / 3;

/**
 * Marks asked for in the same turn of the event loop, or while another statement is under way, share one statement.
 */
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

  /** Each lease runs at least as long as from the question on which it was renewed. */
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

// Time that passes for others while this process, or its whole machine, stands still.

/**
 * Milliseconds since it was called. The monotonic clock goes on while the process is stopped, but not while the machine
 * sleeps; the clock on the wall does that, but may be set back. The greater of the two is believed.
 */
export function startStopwatch(clock: Clock): () => number {
  const since = performance.now();
  const at = clock.now().getTime();
  return () => Math.max(performance.now() - since, clock.now().getTime() - at);
}
