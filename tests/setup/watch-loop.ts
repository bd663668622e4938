// Watches that nothing holds the event loop: what comes from outside may not. Time of the processor counts, not that of the clock: the
// machine has other things to do, and what is loaded once is loaded before.
import { afterEach, beforeEach, expect } from 'vitest';

/** Milliseconds of this thread in one turn of the loop. */
export const longestTurnMs = 200;
const tickMs = 5;

/** Milliseconds of this thread that `work` takes. */
export function measureTurn<T>(work: () => T): { value: T; ms: number } {
  const before = process.threadCpuUsage();
  const value = work();
  const { user, system } = process.threadCpuUsage(before);
  return { value, ms: (user + system) / 1000 };
}

/** Fails each test of the file during which the loop was held. */
export function watchLoop(): void {
  let longest = 0;
  let last = process.threadCpuUsage();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
  };
  beforeEach(() => {
    longest = 0;
    last = process.threadCpuUsage();
    timer = setInterval(look, tickMs);
  });
  afterEach(() => {
    look();
    clearInterval(timer);
    expect(longest).toBeLessThan(longestTurnMs + tickMs);
  });
}
