// pg-boss: its events in the log, and its queues.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createQueues, openBoss } from '#db/boss.ts';
import { openDatabase } from '#db/database.ts';
import { bossSchema } from '#db/instance.ts';
import { queuesFor } from '#jobs/queues.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();

test('a worker that cannot fetch jobs reports an error with its reason', async () => {
  const db = openDatabase(database.url, { max: 4, applicationName: 'test', onError: () => {} });
  let away = false;
  const query = db.pool.query.bind(db.pool);
  db.pool.query = ((...args: Parameters<typeof query>) =>
    away ? Promise.reject(new Error('The database is away.')) : query(...args)) as typeof query;
  const reported: unknown[] = [];
  const boss = await openBoss(
    db,
    { listen: async () => ({ close: async () => {} }) },
    { work: true, onError: (error) => reported.push(error) },
  );
  away = true;
  await waitFor('a report', () => reported.length > 0);
  away = false;
  expect(reported.every((error) => error instanceof Error)).toBe(true);
  expect(String(reported[0])).toContain('The database is away.');
  await boss.stop({ graceful: false });
  await db.close();
});

test.each(['postgres', 'yugabytedb'])('pg-boss installs itself for %s if set so', async (kind) => {
  const db = openDatabase(database.url, { max: 1, applicationName: 'test', onError: () => {} });
  await db.query.execute(sql`drop schema if exists ${sql.identifier(bossSchema)} cascade`);
  const settings = { pgBossBackend: kind };
  const instance = await openTestInstance(database.url, { work: false, settings });
  const { rows } = await db.query.execute<{ relkind: string }>(
    sql`select relkind from pg_class where oid = ${`${bossSchema}.job`}::regclass`,
  );
  // YugabyteDB gets a plain table, PostgreSQL a partitioned one.
  expect(rows).toEqual([{ relkind: kind === 'postgres' ? 'p' : 'r' }]);
  await instance.close();
  await db.close();
});

test('one process at a time compares plans with their schedules', async () => {
  const db = openDatabase(database.url, { max: 4, applicationName: 'test', onError: () => {} });
  const listener = { listen: async () => ({ close: async () => {} }) };
  const boss = await openBoss(db, listener, {
    work: false,
    onError: (error) => expect.fail(error.message),
  });
  await createQueues(boss, queuesFor([]));
  const send = () => boss.send('shift', {});
  const first = await send();
  expect([typeof first, await send()]).toEqual(['string', null]);
  const [job] = await boss.fetch('shift');
  expect([job?.id, await send()]).toEqual([first, null]);
  await boss.complete('shift', String(first));
  expect(await send()).not.toBeNull();
  await boss.stop({ graceful: false });
  await db.close();
});
