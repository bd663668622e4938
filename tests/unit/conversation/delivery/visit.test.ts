// A slow platform call is given up, but its end is still noticed.
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { settleWithin } from '#chat/outbox/visit.ts';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

function startCall(ms: number) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const late: (string | undefined)[] = [];
  const signals: AbortSignal[] = [];
  const outcome = settleWithin(
    ms,
    (givenUp) => {
      signals.push(givenUp);
      return promise;
    },
    (value) => void late.push(value),
  ).catch((error: unknown) => error);
  const [givenUp] = signals;
  if (givenUp === undefined) throw new Error('The call was not made.');
  return { resolve, reject, late, givenUp, outcome };
}

test('a call that ends in time is not given up, then or later', async () => {
  const { resolve, outcome, givenUp, late } = startCall(100);
  await vi.advanceTimersByTimeAsync(99);
  resolve('posted');
  expect(await outcome).toBe('posted');
  await vi.advanceTimersByTimeAsync(1000);
  expect(givenUp.aborted).toBe(false);
  expect(late).toEqual([]);
});

test('a call that does not end in time is given up, with the reason that whoever waits is told', async () => {
  const { outcome, givenUp } = startCall(100);
  await vi.advanceTimersByTimeAsync(99);
  expect(givenUp.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(givenUp.aborted).toBe(true);
  expect(await outcome).toMatchObject({ code: 'timed_out', passesAfterMs: 0 });
  expect(givenUp.reason).toBe(await outcome);
});

test.each([
  ['gets through', 'posted'],
  ['fails', undefined],
])('what was given up and %s is heard of once', async (_what, value) => {
  const { resolve, reject, outcome, late } = startCall(100);
  await vi.advanceTimersByTimeAsync(100);
  expect(late).toEqual([]);
  if (value === undefined) reject(new Error('aborted'));
  else resolve(value);
  await vi.advanceTimersByTimeAsync(0);
  expect(late).toEqual([value]);
  expect(await outcome).toMatchObject({ code: 'timed_out' });
});
