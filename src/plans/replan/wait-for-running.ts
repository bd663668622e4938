// Waits for a finding's running steps before a change.
import { setTimeout as pause } from 'node:timers/promises';
import type { Queryable } from '#db/database.ts';
import { readCovered } from '#db/plans/replanning.ts';

const lookEveryMs = 200;
/** Longer runs count against the change. */
export const maxWaitMs = 600_000;

/** @returns IDs of those still running */
export async function waitForRunning(
  db: Queryable,
  planId: string,
  findingId: string,
  signal: AbortSignal,
): Promise<string[]> {
  const until = performance.now() + maxWaitMs;
  for (;;) {
    const running = await readCovered(db, planId, findingId, ['running']);
    if (running.length === 0 || performance.now() >= until) return running.map(({ id }) => id);
    await pause(lookEveryMs, undefined, { signal });
  }
}
