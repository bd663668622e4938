// "About to call": marks written just before the calls they belong to, those of neighbours grouped into one statement.
import { patiently } from '#store/patiently.ts';
import { type Lease, markCalling } from '#store/sql/leases.ts';
import type { ExecutorContext } from './executor-context.ts';
import { keyOfLease } from './leases.ts';

/**
 * A function that resolves to whether the call may be made. Marks asked for in the same turn of the event loop, or
 * while another statement is under way, share one statement.
 */
export function createMarker({
  db,
  worker,
  warn,
}: Pick<ExecutorContext, 'db' | 'worker' | 'warn'>): (lease: Lease) => Promise<boolean> {
  type Waiting = {
    lease: Lease;
    resolve: (may: boolean) => void;
    reject: (error: unknown) => void;
  };
  let waiting: Waiting[] = [];
  let flushing = false;

  async function flush(): Promise<void> {
    flushing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const leases = batch.map(({ lease }) => lease);
      try {
        const marked = await patiently(
          () => markCalling(db.query, worker, leases),
          (error) => warn('Calls could not be marked; trying again.', error),
        );
        const keys = new Set(marked.map(keyOfLease));
        for (const { lease, resolve } of batch) resolve(keys.has(keyOfLease(lease)));
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
