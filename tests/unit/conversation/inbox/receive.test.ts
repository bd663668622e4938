import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createReceiver } from '#chat/inbox/receive.ts';
import type { Database } from '#db/database.ts';
import { makeEvent } from '../../../fixtures/inbox-events.ts';

function receiverOn(store: () => Promise<unknown>, maxWaitMs = 20, wake = () => {}) {
  const atOnce = async () => [[], [await store()], []];
  const db = { atOnce } as unknown as Database;
  return createReceiver({ db }, wake, { maxWaitMs });
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
      return asked === 1 ? new Promise(() => {}) : Promise.resolve({ id: 7, original: null });
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

describe('what is sent first', () => {
  const stored = async (original: number | null) => {
    const steps: string[] = [];
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let send = () => {};
    const receive = receiverOn(
      async () => ({ id: 7, original }),
      20,
      () => steps.push('woken'),
    );
    const receipt = await receive(makeEvent('a'), (sent) => {
      steps.push('asked');
      send = sent;
      return answered;
    });
    return { steps, receipt, answer, send: () => send() };
  };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is under way before a worker is woken, which does not wait for its answer', async () => {
    const { steps, receipt, send } = await stored(null);
    expect(receipt).toEqual({ stored: true, id: 7 });
    await vi.advanceTimersByTimeAsync(900);
    expect(steps).toEqual(['asked']);
    send();
    await vi.advanceTimersByTimeAsync(0);
    expect(steps).toEqual(['asked', 'woken']);
  });

  test('may be refused or take too long, and a worker is woken once all the same', async () => {
    const refused = await stored(null);
    refused.answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(refused.steps).toEqual(['asked', 'woken']);
    const slow = await stored(null);
    await vi.advanceTimersByTimeAsync(1000);
    expect(slow.steps).toEqual(['asked', 'woken']);
    slow.send();
    slow.answer();
    await vi.advanceTimersByTimeAsync(1000);
    expect(slow.steps).toEqual(['asked', 'woken']);
  });

  test('is not sent for an event that came before', async () => {
    expect((await stored(3)).steps).toEqual([]);
  });
});

describe('events of one thread', () => {
  function openReceiver() {
    const under: PromiseWithResolvers<{ id: number; original: null }>[] = [];
    const receive = receiverOn(() => {
      const one = Promise.withResolvers<{ id: number; original: null }>();
      under.push(one);
      return one.promise;
    }, 60_000);
    const passTurns = async () => {
      for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
    };
    return { receive, under, passTurns };
  }

  test('are stored one after the other; those of other threads do not wait for them', async () => {
    const { receive, under, passTurns } = openReceiver();
    const answers = ['a', 'b', 'c'].map((name) => receive(makeEvent(name, { thread: 'C1' })));
    const other = receive(makeEvent('other', { thread: 'C2' }));
    await passTurns();
    expect(under).toHaveLength(2);
    under[1]?.resolve({ id: 2, original: null });
    expect(await other).toEqual({ stored: true, id: 2 });
    under[0]?.reject(new Error('not now'));
    await expect(answers[0]).rejects.toThrow('not now');
    await passTurns();
    expect(under).toHaveLength(3);
    under[2]?.resolve({ id: 3, original: null });
    await passTurns();
    under[3]?.resolve({ id: 4, original: null });
    expect(await Promise.all(answers.slice(1))).toEqual([
      { stored: true, id: 3 },
      { stored: true, id: 4 },
    ]);
  });
});
