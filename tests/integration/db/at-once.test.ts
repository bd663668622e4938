// Statements sent together: one transaction, one round trip.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Database,
  type FilledStatement,
  joinTransaction,
  openDatabase,
  prepareStatement,
} from '#db/database.ts';
import { isTransient } from '#db/transient.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
let db: Database;
let other: Database;

beforeAll(async () => {
  const options = { max: 1, applicationName: 'test', onError: () => {} };
  db = openDatabase(database.url, options);
  other = openDatabase(database.url, options);
  await other.query.execute(sql`create table notes (text text primary key, n int)`);
});
beforeEach(() => other.query.execute(sql`truncate notes`));
afterAll(() => Promise.all([db.close(), other.close()]));

const placeholder = sql.placeholder;
const inserting = prepareStatement(
  'insert_notes',
  sql`insert into notes select ${placeholder('text')} || n, n from unnest(${placeholder('list')}::int[]) n returning text`,
);
const insert = (text: string, list = [1]): FilledStatement => ({
  statement: inserting,
  values: { text, list },
});
const count: FilledStatement = {
  statement: prepareStatement('count_notes', sql`select count(*)::int as n from notes`),
  values: {},
};
const cancel: FilledStatement = {
  statement: prepareStatement('end_oneself', sql`select pg_terminate_backend(pg_backend_pid())`),
  values: {},
};
const look: FilledStatement = {
  statement: prepareStatement(
    'look_at_settings',
    sql`select pg_backend_pid() as pid, current_setting('plan_cache_mode') as mode`,
  ),
  values: {},
};

async function countCommitted(): Promise<number> {
  const [row] = await other.query.run<{ n: number }>(count.statement, {});
  return row?.n ?? Number.NaN;
}

test('each statement sees what those before it did, and all of it is committed', async () => {
  const text = `it's "so" {1,2} \\ ü\n`;
  const rows = await db.atOnce<[{ text: string }, { n: number }, { text: string }]>([
    insert(text, [1, 2]),
    count,
    insert('none', []),
  ]);
  expect(rows).toEqual([[{ text: `${text}1` }, { text: `${text}2` }], [{ n: 2 }], []]);
  expect(await countCommitted()).toBe(2);
});

test('a statement that fails leaves nothing of those before it, and none after it is run', async () => {
  const [[before]] = await db.atOnce<[{ pid: number }]>([look]);
  const failing = db.atOnce([insert('a'), insert('a'), insert('b')]);
  await expect(failing).rejects.toMatchObject({ code: '23505' });
  expect(await countCommitted()).toBe(0);
  // On a new connection, whose prepared statements are known.
  expect(await db.atOnce([insert('a'), insert('b')])).toHaveLength(2);
  const [[after]] = await db.atOnce<[{ pid: number }]>([look]);
  expect(after?.pid).not.toBe(before?.pid);
  expect(await countCommitted()).toBe(2);
});

test('what fails only when it commits leaves nothing', async () => {
  await other.query.execute(sql`
    create table later (text text unique deferrable initially deferred)`);
  const twice: FilledStatement = {
    statement: prepareStatement(
      'insert_twice',
      sql`insert into later values ('same'), ('same') returning text`,
    ),
    values: {},
  };
  const failing = db.atOnce([insert('a'), twice]);
  await expect(failing).rejects.toMatchObject({ code: '23505' });
  expect(await countCommitted()).toBe(0);
});

test('a connection that is lost in between leaves nothing, and the pool goes on', async () => {
  await expect(db.atOnce([insert('a'), cancel, insert('b')])).rejects.toSatisfy(isTransient);
  expect(await countCommitted()).toBe(0);
  expect(await db.atOnce([count])).toEqual([[{ n: 0 }]]);
});

test('values that Postgres would read as something else are refused before anything is sent', async () => {
  const values = { text: null, list: [1] };
  await expect(db.atOnce([{ statement: inserting, values }])).rejects.toThrow(TypeError);
  expect(await db.atOnce([count])).toEqual([[{ n: 0 }]]);
});

test('inside a transaction it is a part of that one', async () => {
  const outer = db.transaction(async (tx) => {
    const joined = joinTransaction(db, tx);
    await expect(joined.atOnce([insert('a'), insert('a')])).rejects.toThrow();
    expect(await joined.atOnce([insert('a'), count])).toEqual([[{ text: 'a1' }], [{ n: 1 }]]);
    throw new Error('rolled back');
  });
  await expect(outer).rejects.toThrow('rolled back');
  expect(await countCommitted()).toBe(0);
});
