// Storing before acknowledging: each event once, whoever receives it and however often; all of it or nothing.
import { hash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { forgetHandled } from '#conversation/inbox/look-after.ts';
import { createReceiver, receivingLimits } from '#conversation/inbox/receive.ts';
import { type Database, openDatabase, type Queryable } from '#store/database.ts';
import { readInboxState, storeEvents } from '#store/inbox.ts';
import { createStoreAtOnce } from '#store/store-at-once.ts';
import { makeEvent } from '#tests/fixtures/inbox-events.ts';
import { useDatabase } from '#tests/setup/database.ts';
import { openTestHouse, type TestHouse } from '#tests/setup/house.ts';
import { waitFor } from '#tests/wait.ts';
import { examine } from '../../../src/doctor.ts';
import { clearInbox, readInbox } from './bench.ts';

const database = useDatabase();
let one: TestHouse;
let other: TestHouse;
beforeAll(async () => {
  [one, other] = await Promise.all([
    openTestHouse(database.url, { work: false }),
    openTestHouse(database.url, { work: false }),
  ]);
});
afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
});
beforeEach(async () => {
  // Those of the test before are here then.
  await Promise.all([countNamedThreads(one), countNamedThreads(other)]);
  await clearInbox(one);
});

let marks = 0;

/**
 * How often slips name a thread, of what `house` has received so far. They follow, those of one moment together, so that
 * one more says when.
 */
async function countNamedThreads(house = one): Promise<number> {
  marks += 1;
  const mark = `mark ${marks}`;
  await house.receive(makeEvent(mark, { thread: mark }));
  const slips = await waitFor('the slip of the mark', async () => {
    const { rows } = await one.db.query.execute<{ thread: string }>(sql`
      select named.slip ->> 'thread' as thread
      from pgboss.job, jsonb_array_elements(jsonb_build_array(data) || coalesce(data -> 'others', '[]')) as named(slip)
      where name like 'inbox%' and state = 'created'`);
    return rows.some(({ thread }) => thread === mark) ? rows : null;
  });
  return slips.filter(({ thread }) => !thread.startsWith('mark ')).length;
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
    const names = Array.from({ length: 300 }, (_, i) => i);
    const send = (house: TestHouse, order: number[], prefix: string) =>
      Promise.all(
        order.map(async (i) => ({
          i,
          ...(await house.receive(makeEvent(`e${i}`, { keys: [`${prefix}${i}`, `C1:${i}`] }))),
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
    expect(new Set(rows.map(({ body }) => body)).size).toBe(300);
    expect(rows).toHaveLength(300);
  });
});

describe('one statement', () => {
  const onError = (error: Error) => {
    throw error;
  };
  let db: Database;
  beforeAll(async () => {
    const options = { max: 1, applicationName: 'countersign inbox', onError };
    db = openDatabase(database.url, { ...options, session: receivingLimits });
  });
  afterAll(async () => {
    await db.close();
  });

  test('stores events and their names, and has slips sent for threads of what was not known', async () => {
    let statements = 0;
    const counting: Pick<Queryable, 'run'> = {
      run: (statement, values) => {
        statements += 1;
        return db.query.run(statement, values);
      },
    };
    const slips: string[][] = [];
    const receive = createReceiver({
      db: { ...one.db, transaction: () => Promise.reject(new Error('a transaction')) },
      enqueueAll: () => Promise.reject(new Error('another statement')),
      storeAtOnce: createStoreAtOnce(counting, (threads) =>
        slips.push(threads.map(({ thread }) => thread)),
      ),
    });
    const receiveAll = (names: string[]) =>
      Promise.all(names.map((name) => receive(makeEvent(name, { thread: `of ${name}` }))));
    expect((await receiveAll(['a', 'b'])).map(({ stored }) => stored)).toEqual([true, true]);
    expect(statements).toBe(1);
    expect(slips).toEqual([['of a', 'of b']]);
    const again = await receiveAll(['b', 'c']);
    expect(again.map(({ stored }) => stored)).toEqual([false, true]);
    expect(slips).toEqual([['of a', 'of b'], ['of c']]);
  });

  test('wakes who waits for slips', async () => {
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

  test('notes for which events somebody waits, as several statements do', async () => {
    const inSeveral = createReceiver({ db: one.db, enqueueAll: async () => {} });
    for (const [name, receive] of Object.entries({ one: one.receive, several: inSeveral })) {
      await receive(makeEvent(`awaited in ${name}`, { awaited: true }));
      await receive(makeEvent(`left in ${name}`));
    }
    const { rows } = await one.db.query.execute<{ body: string; awaited: boolean }>(sql`
      select convert_from(body, 'utf8') as body, awaited_at between stored_at - interval '1 s' and clock_timestamp() as awaited
      from countersign.inbox order by id`);
    expect(rows.map(({ body, awaited }) => [body, awaited])).toEqual([
      ['awaited in one', true],
      ['left in one', null],
      ['awaited in several', true],
      ['left in several', null],
    ]);
  });

  // One event has a statement of its own.
  test.each([0, 2])(
    'meets a twin that is stored while it runs, and %i others with it: the event is that one, under every name',
    async (beside) => {
      const twin = makeEvent('e', { keys: ['Ev1', 'C1:1.1'] });
      const others = Array.from({ length: beside }, (_, i) => makeEvent(`beside ${i}`));
      let again: ReturnType<TestHouse['receive']>[] = [];
      const [stored] = await other.db.transaction(async (tx) => {
        const answers = await storeEvents(tx, [twin]);
        const events = [makeEvent('e', { keys: ['C1:1.1', 'Ev2'] }), ...others];
        again = events.map((event) => one.receive(event));
        await waitFor('the other to wait for the name', async () => {
          const { rows } = await tx.execute(sql`
            select from pg_stat_activity
            where application_name = 'countersign inbox' and wait_event_type = 'Lock'`);
          return rows.length > 0;
        });
        return answers;
      });
      const same = { stored: false, id: stored?.id };
      const [met, ...fresh] = await Promise.all(again);
      expect(met).toEqual(same);
      expect(fresh.map((receipt) => receipt.stored)).toEqual(others.map(() => true));
      expect(await one.receive(makeEvent('e', { keys: ['Ev2'] }))).toEqual(same);
      expect(await readInbox(one)).toHaveLength(1 + beside);
      expect(await countNamedThreads()).toBe(beside);
    },
  );
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
    for (const house of [one, other, other, one])
      ids.push((await house.receive(makeEvent(`e${ids.length}`))).id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    const together = await Promise.all(
      Array.from({ length: 50 }, (_, i) => one.receive(makeEvent(`t${i}`))),
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

  test('has its slip when the process that stored it ends', async () => {
    const ending = await openTestHouse(database.url, { work: false });
    await Promise.all(['a', 'b', 'c'].map((name) => ending.receive(makeEvent(name))));
    await ending.close();
    expect(await countNamedThreads()).toBe(3);
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
  test('was not stored in steps when its slip could not be sent, and is when it comes again', async () => {
    const receive = createReceiver({
      db: one.db,
      enqueueAll: () => Promise.reject(new Error('no slip')),
    });
    await expect(receive(makeEvent('e'))).rejects.toThrow('no slip');
    expect(await readInbox(one)).toEqual([]);
    expect(await one.receive(makeEvent('e'))).toMatchObject({ stored: true });
  });

  test('was refused because the database is away', async () => {
    const db = openDatabase('postgres://nobody@127.0.0.1:1/nothing', {
      max: 1,
      applicationName: 'test',
      onError: () => {},
    });
    const receive = createReceiver({ db, enqueueAll: async () => {} });
    const answers = await Promise.allSettled(['a', 'b'].map((name) => receive(makeEvent(name))));
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await db.close();
  });

  test('may have been stored all the same; when it comes again it is the same', async () => {
    const { transaction } = one.db;
    const never = new Promise<never>(() => {});
    const db: Database = {
      ...one.db,
      async transaction(work, options) {
        await transaction(work, options);
        return never;
      },
    };
    const receive = createReceiver({ db, enqueueAll: async () => {} }, { patienceMs: 200 });
    await expect(receive(makeEvent('e'))).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(await one.receive(makeEvent('e'))).toMatchObject({ stored: false });
  });

  test('is given up by the server as well, and gives back its connection', async () => {
    const receive = createReceiver({ db: one.db, enqueueAll: async () => {} }, { patienceMs: 50 });
    await other.db.transaction(async (tx) => {
      await tx.execute(sql`lock table countersign.inbox_keys`);
      await expect(receive(makeEvent('e'))).rejects.toMatchObject({ code: 'database_unavailable' });
      await expectIdle(one);
    });
    expect(await one.receive(makeEvent('e'))).toMatchObject({ stored: true });
  });
});

/** Waits until no connection of the house is taken. */
const expectIdle = ({ db: { pool } }: TestHouse) =>
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
    await forgetHandled(one);
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
    await forgetHandled(one);
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
    advice: expect.stringContaining('set failed_at = null'),
  });
});
