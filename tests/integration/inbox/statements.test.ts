// The round trips and statements per event of a thread, which limit a worker's throughput and delay acknowledgements.
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { type InboxContext, inboxRule } from '#chat/inbox/inbox-context.ts';
import { holdThread, workOnThread } from '#chat/inbox/work-on-thread.ts';
import { enterThread, type Taken } from '#db/chat/inbox-thread.ts';
import {
  type Database,
  type FilledStatement,
  joinTransaction,
  type Queryable,
} from '#db/database.ts';
import { makeEvent } from '../../fixtures/inbox-events.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, readInbox, textOf } from './bench.ts';

const instance = useInstance({ work: false });
beforeEach(() => clearInbox(instance));

const thread = { platform: 'slack', tenant: 'T1', thread: 'C1' } as const;
const never = new AbortController().signal;

/**
 * @param after called after each statement, inside its transaction
 * @returns the statements of each round trip of working on the thread, and the handled events
 */
async function work(
  slack: NonNullable<InboxContext['handlers']['slack']>,
  after: ((name: string) => Promise<void>) | null = null,
) {
  const trips: string[] = [];
  const asked: FilledStatement[] = [];
  const handled: string[] = [];
  const atOnce: Database['atOnce'] = (statements, options) => {
    trips.push(statements.map(({ statement }) => statement.name).join(' '));
    asked.push(...statements);
    if (after === null) return instance.db.atOnce(statements, options);
    return instance.db.transaction((tx) => {
      const run: Queryable['run'] = async (statement, values) => {
        const rows = await tx.run<never>(statement, values);
        await after(statement.name);
        return rows;
      };
      return joinTransaction(instance.db, Object.assign(Object.create(tx), { run })).atOnce(
        statements,
      );
    });
  };
  const context: InboxContext = {
    db: { ...instance.db, atOnce },
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
  return { trips, asked, handled };
}

const states = async () =>
  (await readInbox(instance)).map(({ state, attempt }) => ({ state, attempt }));
const readLeases = async () =>
  (await instance.db.query.execute(sql`select from countersign.inbox_leases`)).rows;
const handledOnce = { state: 'handled', attempt: 1 };

const settleAndTake = 'settle_and_take enter_thread';

test('an event is settled and the next taken in one round trip; the last one lets the thread go', async () => {
  for (const name of ['a', 'b', 'c']) await instance.receive(makeEvent(name, { thread: 'C1' }));
  const { trips, handled } = await work(async () => {});
  expect(handled).toEqual(['a', 'b', 'c']);
  expect(trips).toEqual(['enter_thread', settleAndTake, settleAndTake, settleAndTake]);
  expect(await readLeases()).toEqual([]);
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
  const { trips, handled } = await work(async (event) => {
    if (textOf(event) === 'a') await instance.receive(makeEvent('b', { thread: 'C1' }));
  });
  expect(handled).toEqual(['a', 'b']);
  expect(trips).toEqual(['enter_thread', settleAndTake, settleAndTake]);
});

test('an event that comes while the thread is let go is handled, and nobody else takes it', async () => {
  await instance.receive(makeEvent('a', { thread: 'C1' }));
  let entering: Promise<Taken> | undefined;
  const { handled } = await work(
    async () => {},
    async (name) => {
      if (name !== 'settle_and_take' || entering !== undefined) return;
      await instance.receive(makeEvent('b', { thread: 'C1' }));
      entering = enterThread(instance.db, { ...thread, holder: 'another' }, 10);
      await waitFor('another to wait for the thread', async () => {
        const { rows } = await instance.db.query.execute(
          sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
    },
  );
  expect(handled).toEqual(['a', 'b']);
  expect(await entering).toEqual({ held: false, event: null });
  expect(await states()).toEqual([handledOnce, handledOnce]);
});

test('no statement of a thread reads what is open in other threads', async () => {
  for (const name of ['a', 'b']) await instance.receive(makeEvent(name, { thread: 'C1' }));
  const { asked } = await work(async () => {});
  expect(asked.map(({ statement }) => statement.name)).toContain('settle_and_take');
  const plans = await instance.db.transaction(async (tx) => {
    // Few rows are read faster without an index.
    await tx.execute(sql`set local enable_seqscan = off`);
    const explained: string[][] = [];
    for (const { statement, values } of asked) {
      const { name, text, params } = statement;
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
