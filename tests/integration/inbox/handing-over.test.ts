// A thread released at the moment another event enters it.
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { handleEvent } from '#chat/inbox/handle-event.ts';
import { type InboxHandler, inboxRule } from '#chat/inbox/inbox-context.ts';
import {
  enterThread,
  leaveThread,
  postpone,
  type Taken,
  type TakenEvent,
} from '#db/chat/inbox-thread.ts';
import type { Database, Transaction } from '#db/database.ts';
import { makeEvent } from '../../fixtures/inbox-events.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, readInbox } from './bench.ts';

const instance = useInstance({ work: false });
beforeEach(() => clearInbox(instance));

const thread = { platform: 'slack', tenant: 'T1', thread: 'C1' } as const;
const mine = { ...thread, holder: 'mine' };
const yours = { ...thread, holder: 'yours' };
const hour = 3_600_000;

async function takeEvent(seconds: number): Promise<TakenEvent> {
  await instance.receive(makeEvent('e', { thread: thread.thread }));
  const { event } = await enterThread(instance.db.query, mine, seconds);
  if (event === null) throw new Error('takeEvent: nothing was taken');
  return event;
}

// Blocked by a row lock, or ended.
async function waitUntilHeld(statement: Promise<unknown>): Promise<void> {
  let ended = false;
  void statement
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  await waitFor('somebody to wait for a lock', async () => {
    if (ended) return true;
    const { rows } = await instance.db.query.execute(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return rows.length > 0;
  });
}

test('an event that was put off meanwhile is not taken', async () => {
  const event = await takeEvent(10);
  const { entering } = await instance.db.transaction(async (tx) => {
    await leaveThread(tx, mine);
    await postpone(tx, event, { inMs: hour, counts: true, error: 'not now' });
    const statement = enterThread(instance.db.query, yours, 10);
    await waitUntilHeld(statement);
    // Wrapped, so that `await` does not wait for it.
    return { entering: statement };
  });
  expect(await entering).toEqual({ held: true, event: null });
  expect(await readInbox(instance)).toMatchObject([{ attempt: 1, failures: 1 }]);
});

describe('an event that fails under a lease that has just run out', () => {
  const warnings: string[] = [];
  beforeEach(() => void warnings.splice(0));

  async function failWhileEntered(handler: InboxHandler): Promise<Taken> {
    const event = await takeEvent(0);
    let entering: Promise<Taken> | undefined;
    const db: Database = {
      ...instance.db,
      transaction: (work, options) =>
        instance.db.transaction((tx) => {
          const execute = async (query: Parameters<Transaction['execute']>[0]) => {
            const result = await tx.execute(query);
            if (entering === undefined) {
              entering = enterThread(instance.db.query, yours, 10);
              await waitUntilHeld(entering);
            }
            return result;
          };
          // Typed for any promise; only the result is passed on.
          return work({ ...tx, execute: execute as unknown as Transaction['execute'] });
        }, options),
    };
    const never = new AbortController().signal;
    await handleEvent(
      {
        db,
        enqueue: async () => {},
        enqueueAll: async () => {},
        handlers: {},
        random: { hex: (bytes) => '0'.repeat(bytes * 2) },
        rule: { ...inboxRule, backoffMs: hour, longestBackoffMs: hour },
        warn: (message) => void warnings.push(message),
      },
      handler,
      mine,
      event,
      { signal: never, stopping: never, last: false },
    );
    if (entering === undefined) throw new Error('failWhileEntered: nobody entered');
    return entering;
  }

  test('is put back without a deadlock, and whoever enters leaves it until it is due', async () => {
    const taken = await failWhileEntered(async () => {
      throw new Error('not now');
    });
    expect(taken).toEqual({ held: true, event: null });
    expect(warnings).toEqual([expect.stringContaining('failed; retrying in')]);
  });

  test('is not said to be tried again when it was marked as handled before it failed', async () => {
    const taken = await failWhileEntered(async (_, { markHandled }) => {
      await markHandled(instance.db.query);
      throw new Error('the answer could not be posted');
    });
    expect(taken.event).toBeNull();
    expect(warnings).toEqual([
      expect.stringContaining('was marked as handled and failed after that'),
    ]);
  });
});
