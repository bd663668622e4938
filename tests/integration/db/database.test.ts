// Broken connections fail the statement, not the process or the pool.
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import { planningMemo } from '#db/schema.ts';
import { copyRows } from '#db/steps/steps.ts';
import { isLockTimeout, isTransient, retryUntilDatabaseAnswers } from '#db/transient.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let db: Database;
let other: Database;

beforeAll(() => {
  const options = { max: 1, applicationName: 'test', onError: () => {} };
  db = openDatabase(database.url, options);
  other = openDatabase(database.url, options);
});
afterAll(() => Promise.all([db.close(), other.close()]));

const terminate = (pid: number) => other.query.execute(sql`select pg_terminate_backend(${pid})`);

async function pidOf(tx: Pick<Database['query'], 'execute'>): Promise<number> {
  const { rows } = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return rows[0]?.pid ?? 0;
}

// The message depends on which side notices first.
function isLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    /terminat|ECONNRESET|EPIPE|closed|not queryable/i.test(error.message) || isLoss(error.cause)
  );
}

test('a pool that this process has closed is not waited for', async () => {
  const closed = openDatabase(database.url, { max: 1, applicationName: 'test', onError: () => {} });
  await closed.close();
  const waits: unknown[] = [];
  const work = retryUntilDatabaseAnswers(
    () => closed.transaction(pidOf),
    (error) => waits.push(error),
  );
  await expect(work).rejects.toThrow('after calling end on the pool');
  expect(waits).toEqual([]);
});

// Vitest fails a run for unhandled errors, which would end a worker.
describe('a connection that is lost in a transaction', () => {
  test.each([
    ['while a statement runs', (tx) => tx.execute(sql`select pg_sleep(30)`)],
    [
      'while rows are copied',
      async (tx) => {
        const lanes = Array.from({ length: 200_000 }, (_, lane) => ({ lane }));
        const fields = { lane: ({ lane }: { lane: number }) => lane };
        await copyRows(tx, 'PLAN-00000000', lanes, { table: 'plan_lanes', fields });
      },
    ],
  ] satisfies [
    string,
    (tx: Parameters<Parameters<Database['transaction']>[0]>[0]) => Promise<unknown>,
  ][])('%s fails the transaction only', async (_, work) => {
    const attempt = db.transaction(async (tx) => {
      const pid = await pidOf(tx);
      const running = work(tx);
      await Promise.all([running, terminate(pid)]);
    });
    await expect(attempt).rejects.toSatisfy(isLoss);
    expect(await db.transaction(pidOf)).toBeGreaterThan(0);
  });

  test('between two statements fails the next one', async () => {
    const attempt = db.transaction(async (tx) => {
      await terminate(await pidOf(tx));
      await new Promise((resolve) => setTimeout(resolve, 200));
      await pidOf(tx);
    });
    await expect(attempt).rejects.toSatisfy(isLoss);
    expect(await db.transaction(pidOf)).toBeGreaterThan(0);
  });
});

describe('a transaction with limits', () => {
  const limits = { lockMs: 120.2, statementMs: 0, idleMs: 10_000 };
  const readSettings = async (tx: Pick<Database['query'], 'execute'>) => {
    const { rows } = await tx.execute<{ setting: string }>(sql`
      select setting from pg_settings where name in
        ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout') order by name`);
    return rows.map(({ setting }) => Number(setting));
  };

  test('has them as whole milliseconds, none of them unlimited, and later transactions have the usual ones', async () => {
    const long = { ...limits, statementMs: 5000.5 };
    expect(await db.transaction(readSettings, { limits: long })).toEqual([10_000, 121, 5001]);
    expect(await db.transaction(readSettings)).toEqual([15_000, 17_000, 18_000]);
    await expect(
      db.transaction((tx) => tx.execute(sql`select pg_sleep(30)`), { limits }),
    ).rejects.toMatchObject({ cause: { code: '57014' } });
  });

  test('answers before it is on disk where that is said, and so does no later one', async () => {
    const read = async (tx: Pick<Database['query'], 'execute'>) => {
      const { rows } = await tx.execute<{ setting: string }>(
        sql`select current_setting('synchronous_commit') as setting`,
      );
      return rows[0]?.setting;
    };
    // The test server has it off by default.
    await db.query.execute(sql`set synchronous_commit = on`);
    expect(await db.transaction(read, { lazily: true })).toBe('off');
    expect(await db.transaction(read)).toBe('on');
    await db.query.execute(sql`reset synchronous_commit`);
  });

  test('gives up a lock that another holds, which passes by itself', async () => {
    await other.transaction(async (holder) => {
      await holder.execute(sql`lock table countersign.inbox_keys`);
      const waiting = db.transaction(
        (tx) => tx.execute(sql`select from countersign.inbox_keys limit 1`),
        { limits: { ...limits, lockMs: 20, statementMs: 20_000 } },
      );
      await expect(waiting).rejects.toSatisfy(
        (error) => isLockTimeout(error) && isTransient(error),
      );
    });
  });

  // Holds locks in silence until the server disconnects.
  async function fallSilent(tx: Parameters<Parameters<Database['transaction']>[0]>[0]) {
    const pid = await pidOf(tx);
    await tx.execute(sql`lock table countersign.inbox_keys`);
    await waitFor('the server to end it', async () => {
      const { rows } = await other.query.execute(
        sql`select from pg_stat_activity where pid = ${pid}`,
      );
      return rows.length === 0;
    });
    await other.query.execute(sql`select from countersign.inbox_keys limit 1`);
    await pidOf(tx);
  }

  test('lets go of its locks when nothing more is heard of it', async () => {
    const silent = db.transaction(fallSilent, {
      limits: { ...limits, statementMs: 20_000, idleMs: 20 },
    });
    await expect(silent).rejects.toSatisfy(isTransient);
    expect(await db.transaction(pidOf)).toBeGreaterThan(0);
  });

  test.each([
    ['an ordinary connection', {}],
    ['a connection with limits of its own', { session: { lockMs: 100, statementMs: 5000 } }],
  ])('is not needed for that on %s', async (_, kind) => {
    const silent = openDatabase(database.url, {
      max: 1,
      applicationName: 'silent',
      idleMs: 250,
      onError: () => {},
      ...kind,
    });
    await expect(silent.transaction(fallSilent)).rejects.toSatisfy(isTransient);
    expect(await silent.transaction(pidOf)).toBeGreaterThan(0);
    await silent.close();
  });
});

test.each([
  ['a text that looks like a number', '9007199254740993'],
  ['a text that looks like JSON', '{"a":1}'],
  ['a number beyond what a double holds', 9007199254740993n],
  ['both, deep inside', { a: [{ b: 9007199254740993n, c: '007' }] }],
])('JSON in a column is read as it was stored: %s', async (_, value) => {
  const key = `exact ${typeof value} ${JSON.stringify(value)}`;
  await db.query.insert(planningMemo).values({ key, kind: 'test', run_id: 'r', value });
  const [row] = await db.query
    .select({ value: planningMemo.value })
    .from(planningMemo)
    .where(eq(planningMemo.key, key));
  expect(row?.value).toEqual(value);
});
