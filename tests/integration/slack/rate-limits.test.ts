// Slack's pauses apply to every process until they end.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAsk, queueProgress } from '#adapters/slack/calls/hold.ts';
import { type Database, openDatabase } from '#db/database.ts';
import { createRateLimits } from '#db/rate-limits.ts';
import { useDatabase } from '../../setup/database.ts';
import { clientOf, useSlack } from '../../unit/fixtures/slack-client.ts';

const database = useDatabase();
let first: Database;
let second: Database;
beforeAll(() => {
  const options = { max: 2, applicationName: 'test', onError: () => {} };
  first = openDatabase(database.url, options);
  second = openDatabase(database.url, options);
});
afterAll(() => Promise.all([first.close(), second.close()]));

const call = (channel: string) => ({
  team: 'T1',
  method: 'chat.postMessage',
  channel,
  action: 'post a message',
});

test('a limit that one process was told of holds for the other, and ends when Slack said', async () => {
  const slack = await useSlack();
  slack.fail('auth.test', { status: 429, retryAfter: 60 });
  const limited: unknown = await clientOf(slack)
    .auth.test()
    .catch((error: unknown) => error);
  const [ask, askElsewhere] = [first, second].map(({ query }) =>
    createAsk(createRateLimits(query)),
  );
  if (ask === undefined || askElsewhere === undefined) expect.fail();
  await expect(ask(call('C1'), () => Promise.reject(limited))).rejects.toMatchObject({
    code: 'tool_unavailable',
  });
  let asked = 0;
  const count = async () => {
    asked += 1;
  };
  const refused = await askElsewhere(call('C1'), count).catch((error: unknown) => error);
  expect(refused).toMatchObject({ details: { slack: 'ratelimited' } });
  const { passesAfterMs } = refused as { passesAfterMs: number };
  expect(passesAfterMs).toBeGreaterThan(50_000);
  expect(passesAfterMs).toBeLessThanOrEqual(60_000);
  expect(asked).toBe(0);
  await askElsewhere(call('C2'), count);
  expect(asked).toBe(1);
  await first.query.execute(
    sql`update countersign.rate_limits set until = until - interval '1 minute'`,
  );
  await askElsewhere(call('C1'), count);
  expect(asked).toBe(2);
});

test('of two that were told the later end counts, and what has passed is forgotten', async () => {
  const limits = createRateLimits(first.query);
  await createRateLimits(second.query).hold('both', 30_000);
  await limits.hold('both', 1000);
  expect(await limits.take('both', null)).toBeGreaterThan(20_000);
  await first.query.execute(
    sql`update countersign.rate_limits set until = until - interval '1 hour', spent_until = '-infinity'`,
  );
  expect(await limits.take('both', null)).toBe(0);
  await limits.hold('another', 1000);
  const { rows } = await first.query.execute<{ key: string }>(
    sql`select key from countersign.rate_limits`,
  );
  expect(rows).toEqual([{ key: 'another' }]);
});

describe('the budget of a workspace for one method', () => {
  beforeEach(() => first.query.execute(sql`delete from countersign.rate_limits`));
  const update = (more: object = {}) => ({
    ...{ team: 'T1', method: 'chat.update', channel: null, action: 'change a message' },
    ...more,
  });
  /** @returns calls let through, and the first refusal */
  async function spend(count: number, more: object = {}) {
    const asks = [first, second].map(({ query }) => createAsk(createRateLimits(query)));
    let through = 0;
    for (let n = 0; n < count; n++) {
      const ask = asks[n % 2] ?? expect.fail();
      const refused = await ask(update(more), async () => null).catch((error: unknown) => error);
      if (refused !== null) return { through, refused };
      through += 1;
    }
    return { through, refused: null };
  }
  const pass = (seconds: number) =>
    first.query.execute(sql`
      update countersign.rate_limits set until = until - make_interval(secs => ${seconds}),
        spent_until = spent_until - make_interval(secs => ${seconds})`);

  test('is spent by all processes together, and refilled', async () => {
    const { through, refused } = await spend(100);
    // Some calls are refilled meanwhile.
    expect(through).toBeGreaterThanOrEqual(20);
    expect(through).toBeLessThan(30);
    expect(refused).toMatchObject({ code: 'tool_unavailable', details: { limited: true } });
    expect((refused as { passesAfterMs: number }).passesAfterMs).toBeLessThanOrEqual(1200);
    await pass(12);
    expect((await spend(100)).through).toBeGreaterThanOrEqual(10);
    expect((await spend(1, { team: 'T2' })).refused).toBeNull();
    expect((await spend(1, { method: 'chat.postMessage', channel: 'C1' })).refused).toBeNull();
  });

  test('progress leaves the larger part to what has ended, was decided or is asked', async () => {
    const { through } = await spend(100, { progress: true });
    expect(through).toBeGreaterThanOrEqual(8);
    expect(through).toBeLessThan(16);
    expect((await spend(8)).through).toBe(8);
    expect((await spend(1, { progress: true })).through).toBe(0);
  });

  test('progress has its turns one after the other, whichever process asks', async () => {
    const limits = [first, second].map(({ query }) => createRateLimits(query));
    const turns: number[] = [];
    for (let n = 0; n < 40; n++)
      turns.push(await queueProgress(limits[n % 2] ?? expect.fail(), 'T1'));
    expect(turns[0]).toBe(0);
    expect(turns.at(-1)).toBeGreaterThan(40_000);
    expect(turns.toSorted((a, b) => a - b)).toEqual(turns);
    expect(await queueProgress(limits[0] ?? expect.fail(), 'T2')).toBe(0);
  });

  test('what Slack refuses is left alone, whatever is left of the budget', async () => {
    await createRateLimits(first.query).hold('slack T1 chat.update ', 30_000);
    const { through, refused } = await spend(1);
    expect(through).toBe(0);
    expect((refused as { passesAfterMs: number }).passesAfterMs).toBeGreaterThan(20_000);
    await pass(31);
    expect((await spend(1)).through).toBe(1);
  });
});
