// Sending soon: at once where it is quiet, then what came in a moment together; nothing twice, nothing forgotten.
import { expect, test } from 'vitest';
import { createSender } from '#store/send-soon.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A sender whose rests end when they are told to. */
function openSender(send: (items: string[]) => Promise<unknown> = async () => {}) {
  const sent: string[][] = [];
  const errors: unknown[] = [];
  const rests: number[] = [];
  let rest = Promise.withResolvers<void>();
  const { add, close } = createSender<string>(
    {
      keyOf: (item) => item,
      send(items) {
        sent.push(items);
        return send(items);
      },
      onError: (error) => errors.push(error),
    },
    (ms) => {
      rests.push(ms);
      return rest.promise;
    },
  );
  return {
    add: (...items: string[]) => add(items),
    close,
    sent,
    errors,
    rests,
    async endRest() {
      rest.resolve();
      rest = Promise.withResolvers();
      await nextTurn();
    },
  };
}

test('the first goes out at once, what comes in a rest goes together after it, and nothing means no sending', async () => {
  const { add, sent, endRest } = openSender();
  add();
  expect(sent).toEqual([]);
  add('c');
  expect(sent).toEqual([['c']]);
  await nextTurn();
  add('b', 'a');
  add('b');
  await nextTurn();
  expect(sent).toHaveLength(1);
  await endRest();
  expect(sent).toEqual([['c'], ['a', 'b']]);
  await endRest();
  expect(sent).toHaveLength(2);
  add('d');
  expect(sent.at(-1)).toEqual(['d']);
});

test('what comes while the same is under way is sent again: that may have come too early', async () => {
  const under = Promise.withResolvers<void>();
  const { add, sent, endRest } = openSender(() => under.promise);
  add('a');
  add('a');
  under.resolve();
  await nextTurn();
  expect(sent).toEqual([['a']]);
  await endRest();
  expect(sent).toEqual([['a'], ['a']]);
});

test('what could not be sent is tried again after a longer rest, with what came meanwhile, and is told once', async () => {
  let away = true;
  const { add, sent, errors, rests, endRest } = openSender(async () => {
    if (away) throw new Error('away');
  });
  add('b');
  await nextTurn();
  add('a', 'b');
  await endRest();
  expect(sent).toEqual([['b'], ['a', 'b']]);
  expect(errors).toHaveLength(1);
  away = false;
  await endRest();
  expect(sent).toHaveLength(3);
  expect(rests[0]).toBeGreaterThan(rests[2] ?? Number.POSITIVE_INFINITY);
  away = true;
  add('c');
  await endRest();
  expect(errors).toHaveLength(2);
});

test('closing waits for what is under way and sends what rests, once, whatever becomes of it', async () => {
  const under = Promise.withResolvers<void>();
  const { add, close, sent, endRest } = openSender(() => under.promise);
  add('a');
  add('b');
  const closed = close();
  await nextTurn();
  expect(sent).toEqual([['a']]);
  under.reject(new Error('away'));
  await closed;
  expect(sent).toEqual([['a'], ['a', 'b']]);
  add('c');
  await endRest();
  await close();
  expect(sent).toHaveLength(3);
  await endRest();
  expect(sent).toHaveLength(3);
});

test('no more is kept than a sender may hold', async () => {
  const { add, sent, endRest } = openSender(() => Promise.reject(new Error('away')));
  add('first');
  await nextTurn();
  add(...Array.from({ length: 20_000 }, (_, i) => String(i)));
  await endRest();
  expect(sent[1]?.length).toBe(10_000);
});
