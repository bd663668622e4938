// "About to call": marks written just before the calls they belong to, those of neighbours grouped into one statement.
import type { Database } from '#store/database.ts';
import { type Lease, markCalling } from '#store/sql/leases.ts';

/**
 * A function that resolves to whether the call may be made. Marks asked for in the same turn of the event loop, or
 * while another statement is under way, share one statement.
 */
export function createMarker(db: Database, worker: string): (lease: Lease) => Promise<boolean> {
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
      try {
        const marked = await markCalling(
          db.query,
          worker,
          batch.map(({ lease }) => lease),
        );
        const keys = new Set(marked.map(({ plan_id, position }) => `${plan_id}/${position}`));
        for (const { lease, resolve } of batch)
          resolve(keys.has(`${lease.plan_id}/${lease.position}`));
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
