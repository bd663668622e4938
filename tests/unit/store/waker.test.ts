// Waking: at once where it is quiet, then with one word for a moment's, and never too few.
import { expect, test } from 'vitest';
import { createWaker } from '#store/waker.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A waker whose rests end when they are told to. */
function openWaker(wake: () => Promise<unknown> = async () => {}) {
  let words = 0;
  let rest = Promise.withResolvers<void>();
  const ask = createWaker(
    () => {
      words += 1;
      return wake();
    },
    () => rest.promise,
  );
  return {
    ask,
    words: () => words,
    async endRest() {
      rest.resolve();
      rest = Promise.withResolvers();
      await nextTurn();
    },
  };
}

test('the first word goes out at once, those of a rest are one word after it, and no asking means no word', async () => {
  const { ask, words, endRest } = openWaker();
  ask();
  expect(words()).toBe(1);
  await nextTurn();
  for (let times = 0; times < 5; times++) ask();
  await nextTurn();
  expect(words()).toBe(1);
  await endRest();
  expect(words()).toBe(2);
  await endRest();
  expect(words()).toBe(2);
  ask();
  expect(words()).toBe(3);
});

test('whoever asks while a word is under way is heard with another: that one may have come too early', async () => {
  const under = Promise.withResolvers<void>();
  const { ask, words, endRest } = openWaker(() => under.promise);
  ask();
  ask();
  under.resolve();
  await nextTurn();
  expect(words()).toBe(1);
  await endRest();
  expect(words()).toBe(2);
});

test('a word that is lost is told to nobody, and the next goes out', async () => {
  const { ask, words, endRest } = openWaker(() => Promise.reject(new Error('away')));
  ask();
  await nextTurn();
  await endRest();
  ask();
  expect(words()).toBe(2);
});
