// What Slack wants to be left alone with stays so for every process, until it said, and for nothing else.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAsk } from '#adapters/slack/port/hold.ts';
import { type Database, openDatabase } from '#db/database.ts';
import { createRateLimits } from '#db/rate-limits.ts';
import { useDatabase } from '../../setup/database.ts';
import { clientOf, useSlack } from '../../unit/fixtures/slack-client.ts';

const database = useDatabase();
/** Two processes. */
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
  deed: 'post a message',
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
  expect(await limits.waitMs('both')).toBeGreaterThan(20_000);
  await first.query.execute(
    sql`update countersign.rate_limits set until = until - interval '1 hour'`,
  );
  expect(await limits.waitMs('both')).toBe(0);
  await limits.hold('another', 1000);
  const { rows } = await first.query.execute<{ key: string }>(
    sql`select key from countersign.rate_limits`,
  );
  expect(rows).toEqual([{ key: 'another' }]);
});
