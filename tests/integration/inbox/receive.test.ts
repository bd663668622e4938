// Each event is stored once before it is acknowledged.
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { examine } from '#app/doctor.ts';
import { countKeptEvents, keepRefused } from '#chat/inbox/keep-refused.ts';
import { createReceiver, createWaker, type Receive } from '#chat/inbox/receive.ts';
import { findWaitingThreads, readInboxState, storeEvent } from '#db/chat/inbox.ts';
import { type Database, joinTransaction, openDatabase } from '#db/database.ts';
import { CountersignError } from '#domain/errors.ts';
import { makeEvent } from '../../fixtures/inbox-events.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { runRound } from '../../setup/retention.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, readInbox } from './bench.ts';

const database = useDatabase();
let one: TestInstance;
let other: TestInstance;
beforeAll(async () => {
  [one, other] = await Promise.all([
    openTestInstance(database.url, { work: false }),
    openTestInstance(database.url, { work: false }),
  ]);
});
afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
});
beforeEach(async () => {
  // Earlier wakeups may be pending.
  await countNamedThreads();
  await clearInbox(one);
});

type Statements = Parameters<Database['atOnce']>[0];

let marks = 0;

async function countNamedThreads(): Promise<number> {
  // Wakeups are ordered: after the mark's, none is missing.
  for (const instance of [one, other]) {
    marks += 1;
    const mark = `mark ${marks}`;
    await instance.receive(makeEvent(mark, { thread: mark }));
    await waitFor('the wakeup of the mark', async () => {
      const { rows } = await one.db.query.execute(
        sql`select from pgboss.job where name like 'inbox%' and data ->> 'thread' = ${mark}`,
      );
      return rows.length > 0;
    });
  }
  const { rows } = await one.db.query.execute<{ n: number }>(sql`
    select count(*)::int as n from pgboss.job
    where name like 'inbox%' and state = 'created' and data ->> 'thread' not like 'mark %'`);
  return rows[0]?.n ?? 0;
}

describe('an event that comes again', () => {
  test('is the same by its id, and the same by its channel and timestamp', async () => {
    const first = await one.receive(makeEvent('first', { keys: ['Ev1', 'C1:1.1'] }));
    expect(first.stored).toBe(true);
    for (const keys of [['Ev1'], ['Ev2', 'C1:1.1'], ['C1:1.1', 'Ev1', 'Ev1']]) {
      const again = await other.receive(makeEvent('again', { keys }));
      expect(again).toEqual({ stored: false, id: first.id });
    }
    expect(await readInbox(one)).toMatchObject([{ body: 'first', state: 'open' }]);
  });

  test('brings a further name that is known from then on', async () => {
    const { id } = await one.receive(makeEvent('first', { keys: ['Ev1', 'C1:1.1'] }));
    await one.receive(makeEvent('again', { keys: ['Ev2', 'C1:1.1'] }));
    expect(await other.receive(makeEvent('third', { keys: ['Ev2'] }))).toEqual({
      stored: false,
      id,
    });
  });

  test('is another when the workspace or the platform is another', async () => {
    const answers = [
      await one.receive(makeEvent('Ev1')),
      await one.receive(makeEvent('Ev1', { tenant: 'T2' })),
      await one.receive(makeEvent('Ev1', { platform: 'teams' })),
    ];
    expect(answers.map(({ stored }) => stored)).toEqual([true, true, true]);
  });

  test('is stored once when it comes in one moment, under either name', async () => {
    const answers = await Promise.all(
      [['Ev1', 'C1:1.1'], ['Ev2', 'C1:1.1'], ['Ev1'], ['Ev2'], ['C1:1.1']].map((keys) =>
        one.receive(makeEvent('e', { keys })),
      ),
    );
    const id = answers[0]?.id;
    const again = { stored: false, id };
    expect(answers).toEqual([{ stored: true, id }, again, again, again, again]);
    expect(await readInbox(one)).toHaveLength(1);
  });

  test('is stored once when two processes receive it at the same moment', async () => {
    const names = Array.from({ length: 100 }, (_, i) => i);
    const send = (instance: TestInstance, order: number[], prefix: string) =>
      Promise.all(
        order.map(async (i) => ({
          i,
          ...(await instance.receive(makeEvent(`e${i}`, { keys: [`${prefix}${i}`, `C1:${i}`] }))),
        })),
      );
    const [here, there] = await Promise.all([
      send(one, names, 'Ev'),
      send(other, names.toReversed(), 'Retry'),
    ]);
    for (const answer of here) {
      const twin = there.find(({ i }) => i === answer.i);
      expect(twin?.id).toBe(answer.id);
      expect([answer.stored, twin?.stored].filter(Boolean)).toHaveLength(1);
    }
    const rows = await readInbox(one);
    expect(new Set(rows.map(({ body }) => body)).size).toBe(100);
    expect(rows).toHaveLength(100);
  });
});

describe('one transaction', () => {
  test('wakes who waits for work', async () => {
    const listener = await other.db.pool.connect();
    onTestFinished(async () => {
      listener.removeAllListeners('notification');
      await listener.query('unlisten *');
      listener.release();
    });
    const words: (string | undefined)[] = [];
    listener.on('notification', ({ payload }) => words.push(payload));
    await listener.query(`listen pgboss_${hash('sha224', 'pgboss', 'hex').slice(0, 24)}`);
    await Promise.all(
      ['C1', 'C1', 'C2'].map((thread, i) => one.receive(makeEvent(`e${i}`, { thread }))),
    );
    expect(await countNamedThreads()).toBe(2);
    await waitFor('the word about the slips', () => words.length > 0);
    expect(new Set(words)).toEqual(new Set(['inbox-slack']));
  });

  test('notes for which events somebody waits', async () => {
    await one.receive(makeEvent('awaited', { awaited: true }));
    await one.receive(makeEvent('left'));
    const { rows } = await one.db.query.execute<{ body: string; awaited: boolean }>(sql`
      select convert_from(body, 'utf8') as body, awaited_at between stored_at - interval '1 s' and clock_timestamp() as awaited
      from countersign.inbox order by id`);
    expect(rows.map(({ body, awaited }) => [body, awaited])).toEqual([
      ['awaited', true],
      ['left', null],
    ]);
  });

  test('meets a twin that is stored while it runs: the event is that one, under every name', async () => {
    const twin = makeEvent('e', { keys: ['Ev1', 'C1:1.1'] });
    let again: ReturnType<TestInstance['receive']> | null = null;
    const stored = await other.db.transaction(async (tx) => {
      const answer = await storeEvent(joinTransaction(other.db, tx), twin, {
        lockMs: 1000,
        statementMs: 1000,
      });
      again = one.receive(makeEvent('e', { keys: ['C1:1.1', 'Ev2'] }));
      await waitFor('the other to wait for the name', async () => {
        const { rows } = await tx.execute(sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
        return rows.length > 0;
      });
      return answer;
    });
    const same = { stored: false, id: stored.id };
    expect(await again).toEqual(same);
    expect(await one.receive(makeEvent('e', { keys: ['Ev2'] }))).toEqual(same);
    expect(await readInbox(one)).toHaveLength(1);
  });

  test('leads its further name there, by nothing that comes after it', async () => {
    const { id } = await one.receive(makeEvent('e', { keys: ['Ev1', 'C1:1.1'] }));
    const dying: Pick<Database, 'transaction'> = {
      transaction: () => Promise.reject(new Error('killed')),
    };
    const receive = createReceiver({ db: { ...one.db, ...dying } }, () => {});
    const same = { stored: false, id };
    expect(await receive(makeEvent('e', { keys: ['Ev2', 'C1:1.1', 'Ev3'] }))).toEqual(same);
    for (const name of ['Ev3', 'Ev2'])
      expect(await other.receive(makeEvent('e', { keys: [name] }))).toEqual(same);
    expect(await readInbox(one)).toHaveLength(1);
  });
});

describe('what is stored', () => {
  test('is the bytes that came', async () => {
    const body = Buffer.from(Array.from({ length: 256 }, (_, i) => 255 - i));
    const { id } = await one.receive(makeEvent('bytes', { body }));
    const { rows } = await one.db.query.execute<{ body: Buffer }>(
      sql`select body from countersign.inbox where id = ${id}`,
    );
    expect(rows[0]?.body.equals(body)).toBe(true);
  });

  test('has numbers in the order in which it came', async () => {
    const ids: number[] = [];
    for (const instance of [one, other, other, one])
      ids.push((await instance.receive(makeEvent(`e${ids.length}`))).id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    const together = await Promise.all(
      Array.from({ length: 50 }, (_, i) => one.receive(makeEvent(`t${i}`, { thread: 'C1' }))),
    );
    const later = together.map(({ id }) => id);
    expect(later).toEqual(later.toSorted((a, b) => a - b));
  });

  test('has its thread named once, and not again for what was there before', async () => {
    await Promise.all(
      ['a', 'b', 'c'].map((name) => one.receive(makeEvent(name, { thread: 'C1' }))),
    );
    await one.receive(makeEvent('d', { thread: 'C2' }));
    expect(await countNamedThreads()).toBe(2);
    await one.db.query.execute(sql`delete from pgboss.job where name like 'inbox%'`);
    await one.receive(makeEvent('a', { thread: 'C1' }));
    expect(await countNamedThreads()).toBe(0);
  });

  test('has its wakeup when the process that stored it ends', async () => {
    const ending = await openTestInstance(database.url, { work: false });
    await Promise.all(['a', 'b', 'c'].map((name) => ending.receive(makeEvent(name))));
    await ending.close();
    expect(await countNamedThreads()).toBe(3);
  });

  test('wakes at once for the first, and for all that come soon after by one transaction', async () => {
    const sent: number[] = [];
    const gatherMs = 300;
    const waker = createWaker(
      {
        db: one.db,
        enqueueAll: async (_, __, jobs) => void sent.push(jobs.length),
        warn: (_, error) => expect.fail(String(error)),
      },
      gatherMs,
    );
    const wake = (at: number) => waker.wake({ platform: 'slack', tenant: 'T1', thread: `C${at}` });
    wake(0);
    await waitFor('the first wakeup', async () => sent.length === 1);
    for (let at = 1; at <= 20; at += 1) {
      await one.db.query.execute(sql`select 1`);
      wake(at);
    }
    await waker.close();
    expect(sent).toEqual([1, 20]);
  });

  test('is stored by reading as little of many names as of few', async () => {
    const db = openDatabase(database.url, {
      max: 1,
      applicationName: 'test',
      onError: () => {},
    });
    onTestFinished(db.close);
    const receive = createReceiver({ db }, () => {});
    const countReadBy = async (from: number, to: number) => {
      const count = async () => {
        await db.query.execute(sql`select pg_stat_force_next_flush()`);
        const { rows } = await db.query.execute<{ n: number }>(sql`
          select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as n
          from pg_statio_user_tables where relname in ('inbox', 'inbox_keys')`);
        return rows[0]?.n ?? 0;
      };
      const before = await count();
      for (let at = from; at < to; at += 1)
        await receive(makeEvent(`${at}`, { keys: [`Ev${at}`, `C1:${at}`] }));
      return (await count()) - before;
    };
    // Plan prepared statements while there are few rows.
    const ofFew = await countReadBy(0, 20);
    await db.query.execute(sql`
      insert into countersign.inbox_keys (platform, tenant, key, event_id)
      select 'slack', 'T1', 'other ' || n, 0 from generate_series(1, 10000) n`);
    expect(await countReadBy(20, 40)).toBeLessThan(2 * ofFew);
  });

  test('has names as long as may be, slip included', async () => {
    const long = (letter: string) => letter.repeat(600);
    const event = makeEvent('long', {
      tenant: long('t'),
      thread: '"'.repeat(600),
      keys: [long('k')],
    });
    expect(await one.receive(event)).toMatchObject({ stored: true });
    expect(await one.receive(event)).toMatchObject({ stored: false });
  });
});

describe('an event that is refused', () => {
  test('is handled by the round when nobody could be woken for it', async () => {
    const waker = createWaker({
      db: one.db,
      enqueueAll: () => Promise.reject(new Error('no wakeup')),
      warn: () => {},
    });
    const receive = createReceiver(one, waker.wake);
    expect(await receive(makeEvent('e', { thread: 'C1' }))).toMatchObject({ stored: true });
    await waker.close();
    expect(await countNamedThreads()).toBe(0);
    const { waiting } = await findWaitingThreads(
      one.db.query,
      'slack',
      { tenant: '', thread: '' },
      { lateSeconds: 0, limit: 10 },
    );
    expect(waiting.map(({ thread }) => thread)).toContain('C1');
  });

  test('was refused because the database is away', async () => {
    const db = openDatabase('postgres://nobody@127.0.0.1:1/nothing', {
      max: 1,
      applicationName: 'test',
      onError: () => {},
    });
    const receive = createReceiver({ db }, () => {});
    const answers = await Promise.allSettled(['a', 'b'].map((name) => receive(makeEvent(name))));
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await db.close();
  });

  test.each([
    ['before it was sent', async () => {}],
    ['after it was stored', (statements: Statements) => one.db.atOnce(statements)],
  ])('is not refused for a connection that breaks once, %s', async (_, reach) => {
    let tries = 0;
    const woken: string[] = [];
    const db: Pick<Database, 'atOnce'> = {
      async atOnce(statements) {
        tries += 1;
        if (tries > 1) return one.db.atOnce(statements);
        await reach(statements);
        throw new Error('Connection terminated unexpectedly');
      },
    };
    const receive = createReceiver({ db: { ...one.db, ...db } }, ({ thread }) => {
      woken.push(thread);
    });
    const { id } = await receive(makeEvent('e'));
    expect(await readInbox(one)).toMatchObject([{ id, body: 'e', state: 'open' }]);
    expect(woken).toHaveLength(1);
  });

  test('may have been stored all the same; when it comes again it is the same', async () => {
    const never = new Promise<never>(() => {});
    const db: Pick<Database, 'atOnce'> = {
      async atOnce(statements) {
        await one.db.atOnce(statements);
        return never;
      },
    };
    const receive = createReceiver({ db: { ...one.db, ...db } }, () => {}, { maxWaitMs: 200 });
    await expect(receive(makeEvent('e'))).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(await one.receive(makeEvent('e'))).toMatchObject({ stored: false });
  });

  test('is given up by the server as well, and gives back its connection', async () => {
    const receive = createReceiver(one, () => {}, { maxWaitMs: 50 });
    await other.db.transaction(async (tx) => {
      await tx.execute(sql`lock table countersign.inbox_keys`);
      await expect(receive(makeEvent('e'))).rejects.toMatchObject({ code: 'database_unavailable' });
      await expectIdle(one);
    });
    expect(await one.receive(makeEvent('e'))).toMatchObject({ stored: true });
  });
});

describe('an event that was refused while the database was away', () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const late = new CountersignError('database_unavailable', 'Too late.', { passesAfterMs: 0 });

  const refusing = (times: number, error: Error): { receive: Receive; tries(): number } => {
    let tries = 0;
    return {
      tries: () => tries,
      async receive(event) {
        tries += 1;
        if (tries <= times) throw error;
        return await one.receive(event);
      },
    };
  };

  test.each([
    ['a connection was refused', away],
    ['it took too long', late],
    ['something was tried that lost its connection', new Error('store', { cause: away })],
  ])('is stored once the database answers: %s', async (_, error) => {
    const { receive } = refusing(3, error);
    const keeping = keepRefused(receive, new AbortController().signal, { everyMs: 10 });
    await expect(keeping(makeEvent('kept'))).rejects.toBe(error);
    expect(countKeptEvents()).toBe(1);
    await waitFor('the event', async () => (await readInbox(one)).length > 0);
    await waitFor('memory to be free', () => countKeptEvents() === 0);
    expect(await keeping(makeEvent('kept'))).toMatchObject({ stored: false });
    expect(await readInbox(one)).toMatchObject([{ body: 'kept', state: 'open' }]);
  });

  test('is kept once, however often it comes', async () => {
    const { receive, tries } = refusing(3, away);
    const keeping = keepRefused(receive, new AbortController().signal, { everyMs: 10 });
    await Promise.allSettled([1, 2].map(() => keeping(makeEvent('twice'))));
    await waitFor('the event', async () => (await readInbox(one)).length > 0);
    expect(tries()).toBe(4);
  });

  test('is not kept when it could never be stored, nor by a process that ends', async () => {
    const never = refusing(1, new Error('column does not exist'));
    await expect(
      keepRefused(never.receive, new AbortController().signal, { everyMs: 1 })(makeEvent('n')),
    ).rejects.toThrow('column');
    const ended = new AbortController();
    const ending = refusing(1, away);
    await expect(
      keepRefused(ending.receive, ended.signal, { everyMs: 50 })(makeEvent('m')),
    ).rejects.toBe(away);
    ended.abort();
    await pause(100);
    expect([never.tries(), ending.tries()]).toEqual([1, 1]);
    expect(await readInbox(one)).toEqual([]);
  });
});

const expectIdle = ({ db: { pool } }: TestInstance) =>
  waitFor('every connection to be given back', () => pool.idleCount === pool.totalCount);

describe('a name that somebody holds who does not go on', () => {
  const others = ['a', 'b', 'y', 'z'];

  test('refuses its own event and no other, however often it comes', async () => {
    const stuck = other.db.transaction(async (tx) => {
      await tx.execute(
        sql`insert into countersign.inbox_keys values ('slack', 'T1', 'stuck', 999999)`,
      );
      for (const round of [1, 2, 3]) {
        const results = await Promise.allSettled([
          one.receive(makeEvent('stuck')),
          ...others.map((name) => one.receive(makeEvent(`${name}${round}`))),
        ]);
        expect(results).toMatchObject([
          { status: 'rejected', reason: { code: 'database_unavailable' } },
          ...others.map(() => ({ status: 'fulfilled', value: { stored: true } })),
        ]);
      }
      await expectIdle(one);
      throw new Error('it was stopped');
    });
    await expect(stuck).rejects.toThrow('it was stopped');
    expect(await countNamedThreads()).toBe(12);
    expect(await one.receive(makeEvent('stuck'))).toMatchObject({ stored: true });
  });

  test('leaves the events of a thread in their order', async () => {
    await other.db.transaction(async (tx) => {
      await tx.execute(
        sql`insert into countersign.inbox_keys values ('slack', 'T1', 'stuck', 999999)`,
      );
      await Promise.allSettled(
        ['z', 'stuck', 'a', 'm'].map((name) => one.receive(makeEvent(name, { thread: 'C1' }))),
      );
    });
    expect((await readInbox(one)).map(({ body }) => body)).toEqual(['z', 'a', 'm']);
  });
});

describe('forgetting', () => {
  const age = (name: string, column: 'handled_at' | 'failed_at' | 'stored_at', days: string) =>
    one.db.query.execute(sql`
      update countersign.inbox set ${sql.identifier(column)} = clock_timestamp() - ${days}::interval
      where convert_from(body, 'utf8') = ${name}`);

  test('takes what was handled more than seven days ago, with its names, and nothing else', async () => {
    for (const name of ['old', 'young', 'failed', 'open']) {
      await one.receive(makeEvent(name, { keys: [name, `${name}-ts`] }));
      await one.receive(makeEvent(name, { keys: [`${name}-retry`, `${name}-ts`] }));
    }
    await age('old', 'handled_at', '7 days 1 minute');
    await age('young', 'handled_at', '6 days 23 hours 59 minutes');
    await age('failed', 'failed_at', '70 days');
    await age('open', 'stored_at', '70 days');
    await runRound(one.db);
    expect((await readInbox(one)).map(({ body }) => body)).toEqual(['young', 'failed', 'open']);
    const { rows } = await one.db.query.execute<{ key: string }>(
      sql`select key from countersign.inbox_keys order by key`,
    );
    expect(rows).toHaveLength(9);
    expect(rows.some(({ key }) => key.startsWith('old'))).toBe(false);
    expect(await one.receive(makeEvent('old'))).toMatchObject({ stored: true });
  });

  test('takes more than one delete can', async () => {
    await Promise.all(Array.from({ length: 600 }, (_, i) => one.receive(makeEvent(`e${i}`))));
    await one.db.query.execute(
      sql`update countersign.inbox set handled_at = clock_timestamp() - interval '8 days'`,
    );
    await runRound(one.db);
    expect(await readInbox(one)).toEqual([]);
  });
});

test('the state of the inbox is counted up to a limit', async () => {
  for (const name of ['a', 'b', 'c', 'd']) await one.receive(makeEvent(name));
  await one.db.query.execute(sql`
    update countersign.inbox set failed_at = clock_timestamp(), error = 'it cannot be read'
    where convert_from(body, 'utf8') = 'd'`);
  const state = await readInboxState(one.db.query, 2);
  expect(state).toMatchObject({
    open: 2,
    failed: 1,
    last: { platform: 'slack', kind: 'event', error: 'it cannot be read' },
  });
  expect(state.oldest).toBeInstanceOf(Date);
});

test('doctor says what waits, and what was set aside and why', async () => {
  const find = async () => {
    const findings = await examine(one.config, pino({ level: 'silent' }));
    return findings.find(({ part }) => part === 'Inbox');
  };
  expect(await find()).toBeUndefined();
  await one.receive(makeEvent('a'));
  expect(await find()).toMatchObject({
    state: 'ok',
    text: expect.stringContaining('1 event of chat platforms waits'),
  });
  await one.db.query.execute(
    sql`update countersign.inbox set failed_at = clock_timestamp(), error = 'it cannot be read'`,
  );
  expect(await find()).toMatchObject({
    state: 'broken',
    text: expect.stringContaining('because: it cannot be read'),
    advice: expect.stringContaining('countersign inbox retry --all'),
  });
});
