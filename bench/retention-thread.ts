// A retention round in a thread, timing each transaction.
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '#db/database.ts';
import { systemClock, systemRandom } from '#domain/clock.ts';
import type { Retention } from '#domain/settings.ts';
import { runRetention } from '#retention/run-retention.ts';

export type RoundOrder = { url: string; home: string; settings: Retention };
export type RoundResult = {
  /** By kind; null if another process is deleting. */
  deleted: Record<string, number> | null;
  ms: number;
  longestMs: number;
};

const { url, home, settings } = workerData as RoundOrder;
const warn = (message: string) => {
  throw new Error(message);
};
const db = openDatabase(url, {
  max: 2,
  applicationName: 'countersign bench retention',
  onError: ({ message }) => warn(message),
});
let longestMs = 0;
const timed: typeof db = {
  ...db,
  async transaction(work, options) {
    const began = performance.now();
    try {
      return await db.transaction(work, options);
    } finally {
      longestMs = Math.max(longestMs, performance.now() - began);
    }
  },
};
const began = performance.now();
const deleted = await runRetention(
  { db: timed, clock: systemClock, random: systemRandom, settings, auditKey: null, home, warn },
  new AbortController().signal,
);
const result: RoundResult = { deleted, ms: performance.now() - began, longestMs };
await db.close();
parentPort?.postMessage(result);
