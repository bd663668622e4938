// Receiving without a database: what is refused before, and what happens when none answers.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReceivedEvent } from '#contracts/inbox.ts';
import { tiesOf } from '#conversation/inbox/choose-batch.ts';
import { createReceiver } from '#conversation/inbox/receive.ts';
import type { Database, Transaction } from '#store/database.ts';
import { makeEvent } from '#tests/fixtures/inbox-events.ts';

const noSlips = async () => {};

/** A receiver whose transactions are what `transaction` makes of them. */
function receiverOn(transaction: () => Promise<unknown>, patienceMs = 20) {
  // Only transactions are asked for, and none of these gets to its statements.
  const db = { transaction } as unknown as Database;
  return createReceiver({ db, enqueueAll: noSlips }, { patienceMs });
}

describe('an event that cannot be stored', () => {
  const never = () => Promise.reject(new Error('nobody may ask'));
  test.each([
    ['has no name', { keys: [] }],
    ['has an empty name', { keys: [''] }],
    ['has a NUL in its thread', { thread: 'a\0b' }],
    ['has half a character in its name', { keys: ['\ud83d'] }],
    ['has a tenant of 601 bytes', { tenant: `${'é'.repeat(300)}x` }],
    ['has nine names', { keys: [...'abcdefghi'] }],
    ['was received at no time', { received_at: new Date(Number.NaN) }],
  ])('is refused at once when it %s', async (_, changes) => {
    await expect(receiverOn(never)(makeEvent('a', changes))).rejects.toThrow(/./);
    await expect(receiverOn(never)(makeEvent('a', changes))).rejects.not.toThrow('nobody may ask');
  });
});

describe('a database that does not answer', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  /** Received for as long as anybody waits for a database. */
  async function expectRefused(receiving: Promise<unknown>): Promise<void> {
    const refused = expect(receiving).rejects.toMatchObject({ code: 'database_unavailable' });
    await vi.advanceTimersByTimeAsync(60_000);
    await refused;
  }

  test('makes the event be refused, so that it is sent again', async () => {
    const receive = receiverOn(() => new Promise(() => {}));
    await expectRefused(receive(makeEvent('a')));
  });

  test('does not hold up what comes after it', async () => {
    let asked = 0;
    const receive = receiverOn(() => {
      asked += 1;
      return asked === 1 ? new Promise(() => {}) : Promise.resolve([{ id: 7, original: null }]);
    });
    await expectRefused(receive(makeEvent('a')));
    expect(await receive(makeEvent('b'))).toEqual({ stored: true, id: 7 });
  });

  test('may say why later: nobody is left to hear it, and nothing breaks', async () => {
    const gone = Promise.withResolvers<unknown>();
    const receive = receiverOn(() => gone.promise);
    await expectRefused(receive(makeEvent('a')));
    gone.reject(new Error('Connection terminated'));
    await expect(gone.promise).rejects.toThrow('terminated');
  });
});

describe('an event that waits for its batch', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const passImmediates = async () => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  const receiveAll = (receive: ReturnType<typeof receiverOn>, names: string[]) =>
    Promise.allSettled(names.map((name) => receive(makeEvent(name))));

  test.each([
    { after: 'for less than the patience', ms: 19, status: 'fulfilled', asked: 3 },
    { after: 'as long as the patience', ms: 20, status: 'rejected', asked: 2 },
  ])('$after is $status', async ({ ms, status, asked }) => {
    let times = 0;
    const first = Promise.withResolvers<unknown>();
    const receive = receiverOn(() => {
      times += 1;
      return times <= 2 ? first.promise : Promise.resolve([{ id: 7, original: null }]);
    }, 20);
    const all = receiveAll(
      receive,
      Array.from({ length: 401 }, (_, i) => `e${i}`),
    );
    await passImmediates();
    vi.advanceTimersByTime(ms);
    first.reject(new Error('not now'));
    expect((await all).at(-1)?.status).toBe(status);
    expect(times).toBe(asked);
  });
});

describe('two statements at a time', () => {
  const never = () => Promise.reject(new Error('nobody may ask'));
  const passTurns = async () => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  /** A receiver whose statements end when they are told to. */
  function openReceiver() {
    let ids = 0;
    const sent: { events: ReceivedEvent[]; end(): void; fail(): void }[] = [];
    const receive = createReceiver({
      db: { transaction: never } as unknown as Database,
      enqueueAll: never,
      storeAtOnce: (events) =>
        new Promise((resolve, reject) => {
          const end = () => resolve(events.map(() => ({ id: ++ids, original: null })));
          sent.push({ events, end, fail: () => reject(new Error('not now')) });
        }),
    });
    return {
      receive: (name: string, changes?: Partial<ReceivedEvent>) => {
        const receiving = receive(makeEvent(name, changes));
        receiving.catch(() => undefined);
        return receiving;
      },
      sent,
      names: () => sent.map(({ events }) => events.map(({ keys }) => keys[0])),
    };
  }

  test('one that is under way holds up nobody, and what comes during two shares the next', async () => {
    const { receive, sent, names } = openReceiver();
    for (const name of ['a', 'b', 'c', 'd']) {
      void receive(name);
      await passTurns();
    }
    expect(names()).toEqual([['a'], ['b']]);
    sent[1]?.end();
    await passTurns();
    expect(names()).toEqual([['a'], ['b'], ['c', 'd']]);
  });

  test('an event is sent when the one before it in its thread is stored, or could not be', async () => {
    const { receive, sent, names } = openReceiver();
    for (const name of ['a', 'b', 'c']) {
      void receive(name, { thread: 'C1' });
      await passTurns();
    }
    void receive('x');
    await passTurns();
    expect(names()).toEqual([['a'], ['x']]);
    sent[0]?.fail();
    await passTurns();
    expect(names()).toEqual([['a'], ['x'], ['b', 'c']]);
  });

  test('an event that comes again while it is under way is sent after that', async () => {
    const { receive, sent, names } = openReceiver();
    void receive('a');
    await passTurns();
    void receive('a');
    await passTurns();
    expect(names()).toEqual([['a']]);
    sent[0]?.end();
    await passTurns();
    expect(names()).toEqual([['a'], ['a']]);
  });

  test('whatever comes and whichever ends first: no two under way are tied, threads keep their order, each is answered', async () => {
    const step = fc.oneof(
      fc.record({ thread: fc.constantFrom('C1', 'C2', 'C3'), again: fc.boolean() }),
      fc.constantFrom('end first', 'end last', 'fail first', 'turn'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { receive, sent } = openReceiver();
        const ended = new Set<number>();
        const underWay = () => sent.map((_, i) => i).filter((i) => !ended.has(i));
        const finish = (which: 'first' | 'last', how: 'end' | 'fail') => {
          const at = underWay().at(which === 'first' ? 0 : -1);
          if (at === undefined) return;
          ended.add(at);
          sent[at]?.[how]();
        };
        const answers: Promise<unknown>[] = [];
        let came = 0;
        for (const one of steps) {
          if (one === 'turn') await passTurns();
          else if (typeof one === 'string')
            finish(
              one.endsWith('first') ? 'first' : 'last',
              one.startsWith('end') ? 'end' : 'fail',
            );
          else {
            if (!one.again) came += 1;
            const name = `${one.thread} ${String(came).padStart(3, '0')}`;
            answers.push(receive(name, { thread: one.thread }));
          }
          const [first = [], second = [], ...more] = underWay().map(
            (i) => sent[i]?.events.flatMap(tiesOf) ?? [],
          );
          expect(more).toEqual([]);
          expect(first.filter((tie) => second.includes(tie))).toEqual([]);
        }
        for (await passTurns(); underWay().length > 0; await passTurns()) finish('first', 'end');
        await Promise.allSettled(answers);
        const all = sent.flatMap(({ events }) => events);
        for (const [, some] of Map.groupBy(all, ({ thread }) => thread)) {
          const names = some.map(({ keys }) => keys[0] ?? '');
          expect(names).toEqual(names.toSorted());
        }
      }),
      { numRuns: 60 },
    );
  });
});

test('what comes while two statements are under way shares the next', async () => {
  const batches: number[] = [];
  let size = 0;
  // Each statement is answered for as many as asked since the last.
  const tx = {
    run: async (_: unknown, { kinds }: { kinds: string[] }) =>
      kinds.map((__, i) => ({ id: i, original: null })),
  } as unknown as Transaction;
  const db = {
    transaction: async (work: (tx: Transaction) => Promise<unknown[]>) => {
      const answers = await work(tx);
      batches.push(answers.length);
      size += answers.length;
      return answers;
    },
  } as unknown as Database;
  const receive = createReceiver({ db, enqueueAll: noSlips });
  await Promise.all(Array.from({ length: 450 }, (_, i) => receive(makeEvent(`e${i}`))));
  expect(batches).toEqual([200, 200, 50]);
  expect(size).toBe(450);
});
