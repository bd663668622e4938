// Closes what a process opened, in reverse, within a time limit.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

export type Closers = {
  add(what: string, close: () => Promise<void>): void;
  /** Continues after failures; abandons what takes too long, such as a dead connection. */
  closeAll(): Promise<void>;
};

/** For everything, then for each remaining one. */
const allWithinMs = 12_000;
const lateWithinMs = 200;

export function createClosers(log: Logger): Closers {
  const closers: { what: string; close: () => Promise<void> }[] = [];
  return {
    add(what, close) {
      closers.push({ what, close });
    },
    async closeAll() {
      const until = performance.now() + allWithinMs;
      for (const { what, close } of closers.splice(0).reverse()) {
        const waiting = new AbortController();
        const left = Math.max(until - performance.now(), lateWithinMs);
        const closed = close().catch((err: unknown) =>
          log.warn({ err }, `Closing ${what} failed.`),
        );
        const late = pause(left, 'late' as const, { signal: waiting.signal }).catch(() => {});
        if ((await Promise.race([closed, late])) === 'late')
          log.warn(`Gave up waiting for ${what} to close.`);
        waiting.abort();
      }
    },
  };
}
