// Handling stored events in order, despite failures and crashes.
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { InboxHandler, InboxRule } from '#chat/inbox/inbox-context.ts';
import { listFailedEvents, readInboxState, retryFailedEvents } from '#db/chat/inbox.ts';
import { CountersignError } from '#domain/errors.ts';
import { makeEvent } from '../../fixtures/inbox-events.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { createSharing } from '../../setup/share.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, openWorker, readInbox, settled, textOf } from './bench.ts';

const database = useDatabase();
let gateway: TestInstance;
beforeAll(async () => {
  gateway = await openTestInstance(database.url, { work: false });
  await gateway.db.query.execute(sql`create table effects (event bigint)`);
});
afterAll(() => gateway.close());
afterEach(async () => {
  await clearInbox(gateway);
  await gateway.db.query.execute(sql`delete from effects`);
});

async function openOwn(handler: InboxHandler, rule?: Partial<InboxRule>): Promise<TestInstance> {
  const instance = await openWorker(database.url, handler, rule);
  onTestFinished(() => instance.close());
  return instance;
}

let handler: InboxHandler = async () => {};
const share = createSharing(
  async (url: string, { rule }: { rule: Partial<InboxRule>; own?: boolean }) => {
    const instance = await openWorker(url, (...event) => handler(...event), rule);
    let closing: Promise<void> | null = null;
    const close = () => {
      closing ??= instance.close();
      return closing;
    };
    return { ...instance, close };
  },
  async () => {},
);

// Reused if the previous test's rule is the same.
function work(handling: InboxHandler, rule: Partial<InboxRule> = {}): Promise<TestInstance> {
  handler = handling;
  return share(database, { rule });
}

async function send(instance: TestInstance, thread: string, ...names: string[]): Promise<void> {
  for (const name of names) await instance.receive(makeEvent(name, { thread }));
}

const numbered = (n: number, prefix = '') => Array.from({ length: n }, (_, i) => `${prefix}${i}`);

describe('one thread', () => {
  test('is handled in the order of arrival, one at a time, by many processes and with retries', async () => {
    const begun: string[] = [];
    const done: string[] = [];
    let atOnce = 0;
    let most = 0;
    const handler: InboxHandler = async (event) => {
      const text = textOf(event);
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      const first = !begun.includes(text);
      begun.push(text);
      if (first && Number(text) % 20 === 7) throw new Error('not now');
      done.push(text);
    };
    const [one, other] = await Promise.all([openOwn(handler), openOwn(handler)]);
    const names = numbered(60);
    for (const [i, name] of names.entries()) await send(i % 2 === 0 ? one : other, 'C1', name);
    const rows = await settled(one);
    expect(done).toEqual(names);
    expect(begun).toHaveLength(63);
    expect(most).toBe(1);
    expect(rows.map(({ failures }) => failures)).toEqual(
      names.map((name) => (Number(name) % 20 === 7 ? 2 : 1)),
    );
  });

  test('with more events than a turn takes goes on after it', async () => {
    const done: string[] = [];
    await send(gateway, 'C1', ...numbered(120));
    await openOwn(async (event) => void done.push(textOf(event)));
    await settled(gateway);
    expect(done).toEqual(numbered(120));
  });

  test('keeps its lease as long as a handler takes', async () => {
    const gate = Promise.withResolvers<void>();
    let calls = 0;
    const handler: InboxHandler = async (_, { signal }) => {
      calls += 1;
      await gate.promise;
      signal.throwIfAborted();
    };
    const [one] = await Promise.all([openOwn(handler), openOwn(handler)]);
    await send(one, 'C1', 'long');
    const readLease = async () => {
      const { rows } = await one.db.query.execute<{ lease_until: string }>(
        sql`select lease_until::text from countersign.inbox_leases`,
      );
      return rows[0]?.lease_until;
    };
    // Several renewals outlast the first lease.
    const seen = new Set<string>();
    await waitFor('the lease to be renewed five times', async () => {
      const lease = await readLease();
      if (lease !== undefined) seen.add(lease);
      return seen.size > 5;
    });
    gate.resolve();
    await settled(one);
    expect(calls).toBe(1);
  });
});

describe('what was lost is found again', () => {
  test('when the slip is gone', async () => {
    await send(gateway, 'C1', 'e');
    await gateway.db.query.execute(sql`delete from pgboss.job where name like 'inbox%'`);
    await openOwn(async () => {});
    expect(await settled(gateway)).toMatchObject([{ state: 'handled' }]);
  });

  test('when a process stops in the middle, without counting the try', async () => {
    const began = Promise.withResolvers<void>();
    const stopping = await openWorker(database.url, async (_, { signal }) => {
      began.resolve();
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    });
    await send(gateway, 'C1', 'e', 'f');
    await began.promise;
    await stopping.close();
    expect(await readInbox(gateway)).toMatchObject([
      { state: 'open', attempt: 1, failures: 0, error: null },
      { state: 'open', attempt: 0 },
    ]);
    await openOwn(async () => {});
    await settled(gateway);
  });

  test('when the slip came while nobody served the platform: it is left to whoever does', async () => {
    const unserved = await openTestInstance(database.url);
    await send(unserved, 'C1', 'e');
    await unserved.close();
    const instance = await openOwn(async () => {}, { lateSeconds: 3600 });
    expect(await settled(instance)).toMatchObject([{ state: 'handled', attempt: 1 }]);
  });
});

describe('a process that serves another platform', () => {
  const openForTeams = async (handled: string[]) => {
    const instance = await openTestInstance(database.url, {
      inboxHandlers: { teams: async (event) => void handled.push(textOf(event)) },
      inboxRule: { lateSeconds: 3600 },
    });
    onTestFinished(() => instance.close());
    return instance;
  };

  test('takes no slip of this one', async () => {
    const handled: string[] = [];
    const teams = await openForTeams(handled);
    await send(teams, 'C1', 'for slack');
    await teams.receive(makeEvent('for teams', { thread: 'C1', platform: 'teams' }));
    const rows = await waitFor('what is its own', async () => {
      const all = await readInbox(teams);
      return all[1]?.state === 'handled' && all;
    });
    expect(rows).toMatchObject([{ state: 'open' }, { state: 'handled' }]);
    expect(handled).toEqual(['for teams']);
    await openOwn(async (event) => void handled.push(textOf(event)), { lateSeconds: 3600 });
    await settled(teams);
    expect(handled).toEqual(['for teams', 'for slack']);
  });
});

// Tests share their worker from here on.
describe('a thread', () => {
  test('that waits does not keep others waiting', async () => {
    const gate = Promise.withResolvers<void>();
    const done: string[] = [];
    const instance = await work(async (event) => {
      if (textOf(event) === 'slow') await gate.promise;
      done.push(textOf(event));
    });
    await send(instance, 'C1', 'slow', 'after slow');
    await send(instance, 'C2', 'a', 'b');
    await send(instance, 'C3', 'c');
    await waitFor('the others to be handled', () => done.length === 3);
    expect(done).not.toContain('after slow');
    gate.resolve();
    await settled(instance);
    expect(done.slice(3)).toEqual(['slow', 'after slow']);
  });

  test('whose holder is gone goes on once its lease is over, and not before', async () => {
    await gateway.db.query.execute(sql`
      insert into countersign.inbox_leases values ('slack', 'T1', 'C1', 'gone', clock_timestamp() + interval '1 hour')`);
    const done: string[] = [];
    await work(async (event) => void done.push(textOf(event)));
    await send(gateway, 'C1', 'held');
    await send(gateway, 'C2', 'free');
    await waitFor('the free one', () => done.includes('free'));
    expect(done).toEqual(['free']);
    await gateway.db.query.execute(
      sql`update countersign.inbox_leases set lease_until = clock_timestamp()`,
    );
    await settled(gateway);
    expect(done).toEqual(['free', 'held']);
  });
});

describe('a handler that marks the event in its own transaction', () => {
  const countEffects = async ({ db }: TestInstance) => {
    const { rows } = await db.query.execute(sql`select event from effects`);
    return rows.length;
  };

  test('writes once, though it fails after that', async () => {
    const instance = await work(async ({ id }, { markHandled }) => {
      await instance.db.transaction(async (tx) => {
        await tx.execute(sql`insert into effects (event) values (${id})`);
        await markHandled(tx);
      });
      throw new Error('the process is not well');
    });
    await send(instance, 'C1', 'e', 'f');
    expect(await settled(instance)).toMatchObject([{ state: 'handled' }, { state: 'handled' }]);
    expect(await countEffects(instance)).toBe(2);
  });

  test('writes nothing when its transaction fails, and is tried again', async () => {
    const instance = await work(async ({ id }, { attempt, markHandled }) => {
      await instance.db.transaction(async (tx) => {
        await tx.execute(sql`insert into effects (event) values (${id})`);
        await markHandled(tx);
        if (attempt === 1) throw new Error('rolled back');
      });
    });
    await send(instance, 'C1', 'e');
    expect(await settled(instance)).toMatchObject([{ state: 'handled', attempt: 2 }]);
    expect(await countEffects(instance)).toBe(1);
  });

  test('writes nothing when another has taken the event since', async () => {
    const errors: unknown[] = [];
    const instance = await work(async ({ id }, { attempt, markHandled }) => {
      if (attempt === 1) {
        await instance.db.query.execute(
          sql`update countersign.inbox set attempt = attempt + 1 where id = ${id}`,
        );
      }
      await instance.db
        .transaction(async (tx) => {
          await tx.execute(sql`insert into effects (event) values (${id})`);
          await markHandled(tx);
        })
        .catch((error: unknown) => {
          errors.push(error);
          throw error;
        });
    });
    await send(instance, 'C1', 'e');
    expect(await settled(instance)).toMatchObject([{ state: 'handled', attempt: 3 }]);
    expect(errors).toMatchObject([{ code: 'lease_lost' }]);
    expect(await countEffects(instance)).toBe(1);
  });
});

describe('an event that cannot be handled', () => {
  test('is set aside after its tries, told, and its thread goes on', async () => {
    const done: string[] = [];
    const instance = await work(
      async (event) => {
        if (textOf(event) === 'poison') throw new Error('it cannot be read');
        done.push(textOf(event));
      },
      { tries: 2 },
    );
    await send(instance, 'C1', 'before', 'poison', 'after');
    const rows = await settled(instance);
    expect(done).toEqual(['before', 'after']);
    expect(rows[1]).toMatchObject({ state: 'failed', failures: 2, error: 'it cannot be read' });
    expect(await readInboxState(instance.db.query, 10)).toMatchObject({
      open: 0,
      failed: 1,
      last: { kind: 'event', error: 'it cannot be read' },
    });
  });

  test('is set aside without another try where three have ended their process, and none came back', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const done: string[] = [];
    const instance = await work(async (event) => {
      done.push(textOf(event));
      if (textOf(event) === 'before') await gate;
    });
    await send(instance, 'C1', 'before', 'poison', 'once', 'after');
    await waitFor('the first to be handled', async () => done.length === 1);
    const died = (text: string, times: number) =>
      instance.db.query.execute(
        sql`update countersign.inbox set failures = ${times} where convert_from(body, 'UTF8') like ${`%${text}%`}`,
      );
    await died('poison', 3);
    await died('once', 1);
    open();
    const rows = await settled(instance);
    expect(done).toEqual(['before', 'once', 'after']);
    expect(rows.map(({ state }) => state)).toEqual(['handled', 'failed', 'handled', 'handled']);
  });

  test('is handled after all when it is opened again', async () => {
    let well = false;
    const instance = await work(
      async () => {
        if (!well) throw new Error('not configured');
      },
      { tries: 2 },
    );
    await send(instance, 'C1', 'e');
    expect(await settled(instance)).toMatchObject([{ state: 'failed' }]);
    well = true;
    const [failed] = await listFailedEvents(instance.db.query, 10);
    expect(failed).toMatchObject({ platform: 'slack', thread: 'C1', error: 'not configured' });
    const id = failed?.id ?? 0;
    expect(await retryFailedEvents(instance.db.query, [id])).toEqual({ again: 1, missing: [] });
    expect(await retryFailedEvents(instance.db.query, [id])).toEqual({ again: 0, missing: [id] });
    await waitFor(
      'it to be handled',
      async () => (await readInbox(instance))[0]?.state === 'handled',
    );
  });

  test('keeps its place as long as the cause passes by itself', async () => {
    let tries = 0;
    const instance = await work(
      async () => {
        tries += 1;
        if (tries <= 3) {
          throw new CountersignError('tool_unavailable', 'Slack is away.', { passesAfterMs: 1 });
        }
      },
      { tries: 2 },
    );
    await send(instance, 'C1', 'e', 'f');
    const rows = await settled(instance);
    expect(rows).toMatchObject([
      { state: 'handled', attempt: 4, failures: 1, error: null },
      { state: 'handled', attempt: 1 },
    ]);
  });

  test('is set aside with as much of its error as can be stored', async () => {
    const instance = await work(
      async () => {
        throw new Error('a\0b');
      },
      { tries: 2 },
    );
    await send(instance, 'C1', 'e');
    expect(await settled(instance)).toMatchObject([{ state: 'failed', error: 'a\ufffdb' }]);
  });

  test('is not tried before it is due, and its thread waits with it', async () => {
    let broken = true;
    const instance = await work(
      async () => {
        if (broken) throw new Error('not now');
      },
      { backoffMs: 3_600_000, longestBackoffMs: 3_600_000 },
    );
    await send(instance, 'C1', 'e');
    await waitFor(
      'the try to fail',
      async () => (await readInbox(instance))[0]?.error === 'not now',
    );
    await instance.db.query.execute(sql`delete from pgboss.job where name like 'inbox%'`);
    await send(instance, 'C1', 'f');
    await waitFor('the slip of the second to be taken', async () => {
      const { rows } = await instance.db.query.execute(
        sql`select from pgboss.job where name like 'inbox%' and state = 'completed'`,
      );
      return rows.length === 1;
    });
    expect(await readInbox(instance)).toMatchObject([{ attempt: 1 }, { attempt: 0 }]);
    broken = false;
    await instance.db.query.execute(sql`update countersign.inbox set due_at = clock_timestamp()`);
    expect(await settled(instance)).toMatchObject([{ attempt: 2 }, { attempt: 1 }]);
  });

  test('whose error could not be stored keeps what can be, and waits as after any other', async () => {
    const instance = await work(
      async () => {
        throw new Error(`a\0b${'c'.repeat(5000)}`);
      },
      { backoffMs: 3_600_000, longestBackoffMs: 3_600_000 },
    );
    await send(instance, 'C1', 'e');
    const error = `a\ufffdb${'c'.repeat(1997)}`;
    await waitFor(
      'the error to be kept',
      async () => (await readInbox(instance))[0]?.error === error,
    );
    expect(await readInbox(instance)).toMatchObject([{ state: 'open', attempt: 1, failures: 1 }]);
  });

  test('is cut off when its time is over, and cannot mark what was taken since', async () => {
    let late: Promise<void> | undefined;
    const instance = await work(
      async (_, { attempt, signal, markHandled }) => {
        if (attempt > 1) return;
        late = new Promise((_, reject) => {
          signal.addEventListener(
            'abort',
            () =>
              void waitFor(
                'the second try',
                async () => (await readInbox(instance))[0]?.attempt === 2,
              )
                .then(() => instance.db.transaction(markHandled))
                .catch(reject),
          );
        });
        await late;
      },
      { tryWithinMs: 50 },
    );
    await send(instance, 'C1', 'e');
    expect(await settled(instance)).toMatchObject([{ state: 'handled', attempt: 2, failures: 2 }]);
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
  });
});

describe('without the round', () => {
  // Longer than any test.
  const lateSeconds = 3600;

  test('a slip that is sent now is not dropped for one that is for later', async () => {
    let broken = true;
    const done: string[] = [];
    const instance = await work(
      async (event) => {
        if (broken) {
          throw new CountersignError('tool_unavailable', 'Slack wants less.', {
            passesAfterMs: 3_600_000,
          });
        }
        done.push(textOf(event));
      },
      { lateSeconds },
    );
    await send(instance, 'C1', 'first');
    await waitFor(
      'the try to fail',
      async () => (await readInbox(instance))[0]?.error === 'Slack wants less.',
    );
    broken = false;
    await instance.db.query.execute(sql`update countersign.inbox set due_at = clock_timestamp()`);
    await send(instance, 'C1', 'second');
    await settled(instance);
    expect(done).toEqual(['first', 'second']);
  });

  test('a thread goes on whose event was marked and then failed', async () => {
    const done: string[] = [];
    const instance = await work(
      async (event, { markHandled }) => {
        if (textOf(event) === 'marked') {
          await instance.db.transaction(markHandled);
          throw new Error('the answer could not be posted');
        }
        done.push(textOf(event));
      },
      { lateSeconds },
    );
    // One statement, so that no wakeup is late.
    await Promise.all(
      ['marked', 'after'].map((name) => gateway.receive(makeEvent(name, { thread: 'C1' }))),
    );
    const rows = await settled(instance);
    expect(done).toEqual(['after']);
    expect(rows).toMatchObject([{ state: 'handled', attempt: 1 }, { state: 'handled' }]);
  });
});
