// Silent database connections, as after a failover, are given up.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowForSteps, type Database, openDatabase } from '#db/database.ts';
import { openListener } from '#db/notify.ts';
import { isTransient } from '#db/transient.ts';
import { openTcpProxy, type TcpProxy } from '../fixtures/tcp-proxy.ts';
import { useDatabase } from '../setup/database.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
let proxy: TcpProxy;
beforeAll(async () => {
  proxy = await openTcpProxy(database.url);
});
afterAll(() => proxy.close());

function open(silenceMs: number): Database {
  return openDatabase(proxy.urlOf(database.url), {
    max: 4,
    applicationName: 'test',
    silenceMs,
    onError: () => {},
  });
}

const one = (db: Database) => db.query.execute(sql`select 1 as one`);

const fill = (db: Database) =>
  Promise.all([1, 2, 3].map(() => db.query.execute(sql`select pg_sleep(0.05)`)));

describe('a pool whose connections have gone silent', () => {
  it('fails what was asked on one of them, and works again at once', async () => {
    const db = open(3500);
    await fill(db);
    proxy.silence();
    await expect(one(db)).rejects.toSatisfy(isTransient);
    const began = performance.now();
    expect((await one(db)).rows).toEqual([{ one: 1 }]);
    await Promise.all([one(db), one(db), one(db)]);
    expect(performance.now() - began).toBeLessThan(1500);
    await db.close();
  });

  it('fails a transaction that was under way, once, without waiting for its rollback', async () => {
    const db = open(3500);
    const began = performance.now();
    const attempt = db.transaction(async (tx) => {
      await tx.execute(sql`select 1`);
      proxy.silence();
      await tx.execute(sql`select 1`);
    });
    await expect(attempt).rejects.toSatisfy(isTransient);
    expect(performance.now() - began).toBeLessThan(6000);
    expect(await db.transaction(async () => 'done')).toBe('done');
    await db.close();
  });

  it('gives up those that the server no longer has, and waits for the others', async () => {
    const limit = 3_600_000;
    const db = open(limit);
    const asked = db.transaction(async (tx) => {
      const { rows } = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      const direct = openDatabase(database.url, {
        ...{ max: 1, applicationName: 'direct', silenceMs: limit, onError: () => {} },
      });
      proxy.silence();
      await direct.query.execute(sql`select pg_terminate_backend(${rows[0]?.pid ?? 0}::int)`);
      // Longer than the silence after which the server is asked.
      const { rows: slept } = await direct.query.execute(sql`select 1 as one, pg_sleep(7)::text`);
      expect(slept).toMatchObject([{ one: 1 }]);
      await direct.close();
      await tx.execute(sql`select 1`);
    });
    await expect(asked).rejects.toSatisfy(isTransient);
    await db.close();
  });

  it('is closed without their goodbye', async () => {
    const db = open(3500);
    await fill(db);
    let closed = 0;
    db.pool.on('remove', () => {
      closed += 1;
    });
    proxy.silence();
    await db.close();
    await waitFor('the connections to be cut', () => closed === 3);
  });
});

describe('a statement that is slow', () => {
  it('is waited for on a line that delays everything', async () => {
    const db = open(3500);
    proxy.delay(400);
    expect((await one(db)).rows).toEqual([{ one: 1 }]);
    proxy.delay(0);
    await db.close();
  });

  it('is ended by the server before its connection is given up', async () => {
    const db = open(3500);
    const slow = db.query.execute(sql`select pg_sleep(10)`);
    await expect(slow).rejects.toMatchObject({ cause: { code: '57014' } });
    await db.close();
  });

  it('has more time in a change of a large plan', async () => {
    const db = open(3500);
    const slow = db.transaction(async (tx) => {
      await allowForSteps(tx, 100_000);
      await tx.execute(sql`select pg_sleep(4)`);
      return 'done';
    });
    await expect(slow).resolves.toBe('done');
    await expect(db.query.execute(sql`select pg_sleep(10)`)).rejects.toThrow();
    await db.close();
  });
});

it('a listener whose connection has gone silent connects again', async () => {
  const lost: Error[] = [];
  const listener = await openListener(proxy.urlOf(database.url), (error) => lost.push(error), {
    everyMs: 100,
    answerMs: 300,
  });
  let woken = 0;
  listener.on('work', () => {
    woken += 1;
  });
  proxy.silence();
  await waitFor('the listener to have connected again', () => woken > 0);
  expect(lost).toHaveLength(1);
  expect(lost[0]).toSatisfy(isTransient);
  await listener.close();
});
