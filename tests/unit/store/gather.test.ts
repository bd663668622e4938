// Asking together: who shares a statement with whom, and what becomes of those who shared one that failed.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseTogether, gather } from '#store/gather.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const keyOf = (ask: string) => ask.slice(0, 1);
const upper = (asks: string[]) => asks.map((ask) => ask.toUpperCase());

/** Statements that end when they are told to. */
function createStatements() {
  const asked: { asks: string[]; end: PromiseWithResolvers<string[]> }[] = [];
  const together = (asks: string[]) => {
    const end = Promise.withResolvers<string[]>();
    asked.push({ asks, end });
    return end.promise;
  };
  const endNext = async (at: number) => {
    const one = asked[at];
    one?.end.resolve(upper(one.asks));
    await nextTurn();
  };
  return { together, endNext, shared: () => asked.map(({ asks }) => asks) };
}

test('those who ask in one turn share a statement, and those who ask while it is under way the next', async () => {
  const { together, endNext, shared } = createStatements();
  const ask = gather({ keyOf, atMost: 10, together });
  const answers = [ask('b'), ask('a')];
  expect(shared()).toEqual([]);
  await nextTurn();
  expect(shared()).toEqual([['a', 'b']]);
  answers.push(ask('d'), ask('c'));
  await nextTurn();
  expect(shared()).toEqual([['a', 'b']]);
  await endNext(0);
  expect(shared()).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  await endNext(1);
  expect(await Promise.all(answers)).toEqual(['B', 'A', 'D', 'C']);
  answers.push(ask('e'));
  await nextTurn();
  expect(shared()).toHaveLength(3);
});

test('two of one key are asked one after the other, in the order in which they came', async () => {
  const { together, endNext, shared } = createStatements();
  const ask = gather({ keyOf, atMost: 10, together });
  const answers = [ask('a1'), ask('a2'), ask('b1')];
  await nextTurn();
  await endNext(0);
  expect(shared()).toEqual([['a1', 'b1'], ['a2']]);
  await endNext(1);
  expect(await Promise.all(answers)).toEqual(['A1', 'A2', 'B1']);
});

test('where all together fail, each is asked alone, and one that takes long keeps nobody waiting', async () => {
  const slow = Promise.withResolvers<string>();
  const ask = gather({
    keyOf,
    atMost: 10,
    together: async (asks) => {
      if (asks.includes('a')) throw new Error('somebody holds a');
      return upper(asks);
    },
    apart: {
      is: (error) => error instanceof Error && error.message.includes('holds'),
      alone: async (one) => (one === 'a' ? slow.promise : one.toUpperCase()),
    },
  });
  const held = ask('a');
  expect(await ask('b')).toBe('B');
  expect(await ask('c')).toBe('C');
  slow.resolve('A at last');
  expect(await held).toBe('A at last');
});

test('where being alone would not help they fail together, and the next are asked for all the same', async () => {
  let away = true;
  const ask = gather({
    keyOf,
    atMost: 10,
    together: async (asks) => {
      if (away) throw new Error('the database is away');
      return upper(asks);
    },
    apart: {
      is: () => false,
      alone: () => {
        throw new Error('nobody is asked for alone');
      },
    },
  });
  const both = await Promise.allSettled([ask('a'), ask('b')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  away = false;
  expect(await ask('a')).toBe('A');
});

test('nobody is given the answer of another where one is missing', async () => {
  const ask = gather({ keyOf, atMost: 10, together: async (asks) => upper(asks.slice(1)) });
  await expect(Promise.all([ask('a'), ask('b')])).rejects.toThrow('not every ask has an answer');
});

test('whoever waits is asked once: no key twice at a time, no more than allowed, the earlier first', () => {
  const waiting = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd') }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(waiting, fc.integer({ min: 1, max: 5 }), (all, atMost) => {
      const order: (typeof all)[number][] = [];
      for (let left = all; left.length > 0; ) {
        const { now, later } = chooseTogether(left, atMost);
        expect(now.length).toBeGreaterThan(0);
        expect(now.length).toBeLessThanOrEqual(atMost);
        const keys = now.map(({ key }) => key);
        expect(keys).toEqual([...new Set(keys)].sort());
        order.push(...now);
        left = later;
      }
      expect(new Set(order)).toEqual(new Set(all));
      for (const name of ['a', 'b', 'c', 'd']) {
        const ofKey = (some: typeof all) => some.filter(({ key }) => key === name);
        expect(ofKey(order)).toEqual(ofKey(all));
        for (const [i, one] of ofKey(order).entries()) expect(one).toBe(ofKey(all)[i]);
      }
    }),
  );
});
