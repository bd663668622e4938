import { expect, it } from 'vitest';
import { createWaiters } from '#api/mcp/waiters.ts';
import { CountersignError } from '#domain/errors.ts';

function refusalOf(work: () => unknown): CountersignError | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof CountersignError) return error;
    throw error;
  }
}

it('refuses one caller beyond the limit, says when the first of their calls ends, and lets others in', () => {
  let now = 0;
  const waiters = createWaiters({ ofCaller: 2, ofAll: 10 }, () => now);
  const leave = waiters.enter('ana', 50_000);
  waiters.enter('ana', 20_000);
  now = 5000;
  expect(refusalOf(() => waiters.enter('ana', 1000))).toMatchObject({
    code: 'rate_limited',
    message: expect.stringMatching(
      /^You already have 2 open plan_wait calls, the limit. Try again in 15 s/,
    ),
    details: { limit: 'waiting_calls', retry_after_seconds: 15 },
  });
  expect(refusalOf(() => waiters.enter('ben', 1000))).toBeNull();
  leave();
  leave();
  expect(refusalOf(() => waiters.enter('ana', 1000))).toBeNull();
  expect(refusalOf(() => waiters.enter('ana', 1000))).not.toBeNull();
});

it('refuses everybody beyond the limit of the process', () => {
  const waiters = createWaiters({ ofCaller: 2, ofAll: 3 }, () => 0);
  for (const caller of ['ana', 'ben', 'cleo']) waiters.enter(caller, 9000);
  expect(refusalOf(() => waiters.enter('dan', 1000))).toMatchObject({
    details: { limit: 'waiting_calls_of_all', retry_after_seconds: 9 },
  });
});
