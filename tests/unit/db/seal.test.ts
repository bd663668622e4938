import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSeal } from '#db/seal.ts';
import { CountersignError } from '#domain/errors.ts';

const key = Buffer.alloc(32, 1);
const seal = createSeal(key);

function failureOf(work: () => unknown): CountersignError {
  try {
    work();
  } catch (error) {
    if (error instanceof CountersignError) return error;
    throw error;
  }
  throw new Error('It opened.');
}

test('any text comes out again as it was, and is never the same twice', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, about) => {
      const sealed = seal.seal(text, about);
      expect(seal.open(sealed, about)).toBe(text);
      expect(seal.seal(text, about).equals(sealed)).toBe(false);
      if (Buffer.byteLength(text) > 8) expect(sealed.includes(text)).toBe(false);
    }),
  );
});

test('a change of any byte is seen', () => {
  const sealed = seal.seal('xoxb-secret', 'T1');
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i] = (changed[i] ?? 0) ^ 1;
    expect(() => seal.open(changed, 'T1')).toThrow(CountersignError);
  }
  for (const length of [0, 1, 9, 36, sealed.length - 1])
    expect(() => seal.open(sealed.subarray(0, length), 'T1')).toThrow(CountersignError);
});

test('what was put into another row does not open there, and the error says nothing of it', () => {
  const { code, message } = failureOf(() => seal.open(seal.seal('xoxb-secret', 'T1'), 'T2'));
  expect([code, message]).toEqual(['internal', 'What is stored of T2 was changed.']);
});

test('another key says so in one sentence, waits for the right one, and names neither', () => {
  const sealed = createSeal(Buffer.alloc(32, 2)).seal('xoxb-secret', 'the token of T1');
  expect([seal.fits(sealed), seal.fits(seal.seal('x', 'y'))]).toEqual([false, true]);
  const { message, passesAfterMs } = failureOf(() => seal.open(sealed, 'the token of T1'));
  expect(message).toMatch(
    /^COUNTERSIGN_ENCRYPTION_KEY is not the key that the token of T1 was encrypted with \(that was [\da-f]{16}, this is [\da-f]{16}\)\. Start with the former key again\.$/,
  );
  expect(passesAfterMs).toBe(60_000);
  expect(message).not.toContain(key.toString('hex').slice(0, 16));
});
