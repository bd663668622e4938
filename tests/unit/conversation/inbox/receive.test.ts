// Receiving without a database: what is refused before, and what happens when none answers.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
    { after: 'for less than the patience', ms: 19, status: 'fulfilled', asked: 2 },
    { after: 'as long as the patience', ms: 20, status: 'rejected', asked: 1 },
  ])('$after is $status', async ({ ms, status, asked }) => {
    let times = 0;
    const first = Promise.withResolvers<unknown>();
    const receive = receiverOn(() => {
      times += 1;
      return times === 1 ? first.promise : Promise.resolve([{ id: 7, original: null }]);
    }, 20);
    const all = receiveAll(
      receive,
      Array.from({ length: 201 }, (_, i) => `e${i}`),
    );
    await passImmediates();
    vi.advanceTimersByTime(ms);
    first.reject(new Error('not now'));
    expect((await all).at(-1)?.status).toBe(status);
    expect(times).toBe(asked);
  });
});

test('what comes while a statement is under way shares the next', async () => {
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
