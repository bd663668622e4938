// Waits for steps that still run on the subject of a finding: a change is worked out and checked once they have ended.
import { setTimeout as pause } from 'node:timers/promises';
import type { Queryable } from '#db/database.ts';
import { readCovered } from '#db/plans/replanning.ts';

/** Poll interval in milliseconds. */
const lookEveryMs = 200;
/** Limit in milliseconds; steps that run longer count as a reason against the change. */
export const maxWaitMs = 600_000;

/** @returns IDs of those that still run after that time */
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
