// Events are handled alternately; a flood delays its sender.
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { threadsAtOnce } from '#chat/inbox/work-on-thread.ts';
import { makeEvent } from '../../fixtures/inbox-events.ts';
import { clearInbox, openWorker, settled, textOf } from '../../integration/inbox/bench.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
const flood = 1500;
// Fetched before another person's event arrives.
const takenAtOnce = 4 * threadsAtOnce;

test('behind 1,500 mentions by one person, one by another person is handled among the next few', async () => {
  const gate = Promise.withResolvers<void>();
  const handled: string[] = [];
  const instance = await openWorker(database.url, async (event) => {
    await gate.promise;
    handled.push(textOf(event));
  });
  onTestFinished(async () => {
    gate.resolve();
    await instance.close();
  });
  await clearInbox(instance);
  const mentions = Array.from({ length: flood }, (_, i) =>
    makeEvent(`mallory ${i}`, { author: 'U-mallory' }),
  );
  for (let from = 0; from < flood; from += 100)
    await Promise.all(mentions.slice(from, from + 100).map((mention) => instance.receive(mention)));
  const waiting = async () => {
    const { rows } = await instance.db.query.execute<{ threads: number; bens: number }>(sql`
      select count(*) filter (where data ->> 'thread' like '%mallory%')::int as threads,
        count(*) filter (where data ->> 'thread' like '%ben%')::int as bens
      from pgboss.job where name = 'inbox-slack' and state = 'created'`);
    return rows[0] ?? { threads: 0, bens: 0 };
  };
  await waitFor('the flood to wait', async () => (await waiting()).threads >= flood - takenAtOnce);
  await instance.receive(makeEvent('ben', { author: 'U-ben' }));
  await waitFor('the mention to wait', async () => (await waiting()).bens > 0);
  gate.resolve();
  await waitFor('the mention to be handled', async () => handled.includes('ben'));
  expect(handled.indexOf('ben')).toBeLessThan(2 * takenAtOnce);
  const rows = await settled(instance);
  expect(rows).toHaveLength(flood + 1);
  expect(rows.every(({ state }) => state === 'handled')).toBe(true);
});
