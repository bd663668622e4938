// Statements per event, which limit a worker's throughput.
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { type InboxContext, inboxRule } from '#chat/inbox/inbox-context.ts';
import { holdThread, workOnThread } from '#chat/inbox/work-on-thread.ts';
import type { Queryable, Statement } from '#db/database.ts';
import { makeEvent } from '../../fixtures/inbox-events.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { clearInbox, readInbox, textOf } from './bench.ts';

const instance = useInstance({ work: false });
beforeEach(() => clearInbox(instance));

const thread = { platform: 'slack', tenant: 'T1', thread: 'C1' } as const;
const never = new AbortController().signal;

async function work(slack: NonNullable<InboxContext['handlers']['slack']>) {
  const statements: string[] = [];
  const asked: [Statement, Record<string, unknown>][] = [];
  const handled: string[] = [];
  const run: Queryable['run'] = (statement: Statement, values) => {
    statements.push(statement.name);
    asked.push([statement, values]);
    return instance.db.query.run(statement, values);
  };
  const context: InboxContext = {
    db: { ...instance.db, query: { ...instance.db.query, run } },
    enqueue: async () => {},
    enqueueAll: async () => {},
    handlers: {
      slack: async (event, one) => {
        handled.push(textOf(event));
        await slack(event, one);
      },
    },
    random: { hex: (bytes) => '0'.repeat(bytes * 2) },
    rule: inboxRule,
    warn: (message, error) => {
      throw new Error(message, { cause: error });
    },
  };
  const held = await holdThread(context, thread);
  if (held !== null) await workOnThread(context, held, never);
  return { statements, asked, handled };
}

const states = async () =>
  (await readInbox(instance)).map(({ state, attempt }) => ({ state, attempt }));
const handledOnce = { state: 'handled', attempt: 1 };

test('an event is settled and the next taken by one statement; the last one lets the thread go', async () => {
  for (const name of ['a', 'b', 'c']) await instance.receive(makeEvent(name, { thread: 'C1' }));
  const { statements, handled } = await work(async () => {});
  expect(handled).toEqual(['a', 'b', 'c']);
  const settled = Array.from({ length: 3 }, () => 'settle_and_take');
  expect(statements).toEqual(['enter_thread', ...settled, 'enter_thread']);
  expect(await states()).toEqual([handledOnce, handledOnce, handledOnce]);
});

test('an event that its handler marks is settled once, and the next is taken all the same', async () => {
  for (const name of ['a', 'b']) await instance.receive(makeEvent(name, { thread: 'C1' }));
  const { handled } = await work((_, { markHandled }) => markHandled(instance.db.query));
  expect(handled).toEqual(['a', 'b']);
  expect(await states()).toEqual([handledOnce, handledOnce]);
});

test('an event that comes while the last one is handled is handled under the same lease', async () => {
  await instance.receive(makeEvent('a', { thread: 'C1' }));
  const { statements, handled } = await work(async (event) => {
    if (textOf(event) === 'a') await instance.receive(makeEvent('b', { thread: 'C1' }));
  });
  expect(handled).toEqual(['a', 'b']);
  expect(statements).toEqual([
    'enter_thread',
    'settle_and_take',
    'settle_and_take',
    'enter_thread',
  ]);
});

test('no statement of a thread reads what is open in other threads', async () => {
  for (const name of ['a', 'b']) await instance.receive(makeEvent(name, { thread: 'C1' }));
  const { asked } = await work(async () => {});
  expect(asked.map(([{ name }]) => name)).toContain('settle_and_take');
  const plans = await instance.db.transaction(async (tx) => {
    // Postgres prefers full scans of small tables.
    await tx.execute(sql`set local enable_seqscan = off`);
    const explained: string[][] = [];
    for (const [{ name, text, params }, values] of asked) {
      const explaining = { name: `explain_${name}`, text: `explain ${text}`, params };
      const rows = await tx.run<{ 'QUERY PLAN': string }>(explaining, values);
      explained.push(rows.map((row) => row['QUERY PLAN']));
    }
    return explained;
  });
  const conditions = plans.flatMap((lines) =>
    lines.flatMap((line, at) => (line.includes('using inbox_open') ? [lines[at + 1]] : [])),
  );
  expect(conditions).not.toEqual([]);
  for (const condition of conditions) expect(condition).toContain('(thread = ');
});
