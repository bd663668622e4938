// Connections that break in the middle of something: the statement fails, the process and the pool go on.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyRows } from '#store/copy-rows.ts';
import { type Database, openDatabase } from '#store/database.ts';
import { useDatabase } from '#tests/setup/database.ts';

const database = useDatabase();
let db: Database;
let other: Database;

beforeAll(() => {
  const options = { max: 1, applicationName: 'test', onError: () => {} };
  db = openDatabase(database.url, options);
  other = openDatabase(database.url, options);
});
afterAll(() => Promise.all([db.close(), other.close()]));

/** Ends the connection as a server that stops would. */
const terminate = (pid: number) => other.query.execute(sql`select pg_terminate_backend(${pid})`);

async function pidOf(tx: Pick<Database['query'], 'execute'>): Promise<number> {
  const { rows } = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return rows[0]?.pid ?? 0;
}

/** Whether an error, or what caused it, says that the connection is gone; the words depend on who notices first. */
function isLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    /terminat|ECONNRESET|EPIPE|closed|not queryable/i.test(error.message) || isLoss(error.cause)
  );
}

/** Vitest fails a run for errors that nobody caught; a worker would have ended. */
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
