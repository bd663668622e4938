import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import {
  endWatch,
  longestTurnMs,
  mayHoldLoop,
  measureTurn,
  startWatch,
} from '../../setup/watch-loop.ts';

function work(ms: number): void {
  const begun = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(begun);
    if (user + system > ms * 1000) return;
  }
}
const long = longestTurnMs + 60;
const end = () => endWatch(() => 1);

async function runMicrotasks(): Promise<void> {
  for (let at = 0; at < 10; at++) {
    work(long / 10);
    await null;
  }
}

// Ends with a watch that has seen nothing.
afterEach(startWatch);

test.each<[string, () => unknown]>([
  ['at once', () => work(long)],
  ['in a chain of promises', runMicrotasks],
  ['in a timer', () => new Promise((resolve) => setTimeout(() => resolve(work(long)), 1))],
])('the loop that is held %s is found', async (_, hold) => {
  startWatch();
  await hold();
  expect(end).toThrow(/event loop was held/);
});

const many = { numRuns: 30 };
test.each<[string, () => unknown]>([
  [
    'rests',
    async () => {
      for (let at = 0; at < 10; at++) {
        work(long / 10);
        await nextTurn();
      }
    },
  ],
  [
    'has many short cases',
    () =>
      fc.assert(
        fc.property(fc.nat(), () => work(long / 25)),
        many,
      ),
  ],
  ['judges a time itself', () => measureTurn(() => work(long))],
  ['says why it may', () => [mayHoldLoop('It is a test.'), work(long)]],
])('a test that %s does not hold it', async (_, hold) => {
  startWatch();
  await hold();
  expect(end).not.toThrow();
});
