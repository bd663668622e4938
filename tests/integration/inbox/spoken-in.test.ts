// Whether anything was said where something is overheard: asked for many together, and kept waiting by none of them.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from '#tests/setup/database.ts';
import { ana, openTestHouse, type TestHouse } from '#tests/setup/house.ts';
import { waitFor } from '#tests/wait.ts';

const database = useDatabase();
let house: TestHouse;
beforeAll(async () => {
  house = await openTestHouse(database.url, { work: false });
  for (const conversation of ['said', 'said twice', 'said twice'])
    await house.service.say(conversation, 'status', ana);
});
afterAll(() => house.close());

test('each conversation is told apart, however many are asked about at once', async () => {
  const silent = Array.from({ length: 150 }, (_, i) => `silent ${i}`);
  const asked = ['said', ...silent, 'said twice', 'said'];
  const answers = await Promise.all(asked.map((name) => house.service.isSpokenIn(name)));
  expect(asked.filter((_, i) => answers[i])).toEqual(['said', 'said twice', 'said']);
});

/** How many look-ups wait for a lock now. */
async function countWaiting(): Promise<number> {
  const { rows } = await house.db.query.execute<{ n: number }>(sql`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%asked(conversation)%'
      and application_name = 'countersign'`);
  return rows[0]?.n ?? 0;
}

test('one that is kept waiting does not keep those who ask after it', async () => {
  const { answers } = await house.db.transaction(async (tx) => {
    await tx.execute(sql`lock table countersign.messages in access exclusive mode`);
    const first = house.service.isSpokenIn('said');
    await waitFor('the first to wait alone', async () => (await countWaiting()) === 1);
    const second = house.service.isSpokenIn('silent');
    await waitFor('the second beside it', async () => (await countWaiting()) === 2);
    return { answers: Promise.all([first, second]) };
  });
  expect(await answers).toEqual([true, false]);
});
