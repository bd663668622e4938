// JSON in pieces, compared with JSON.parse.
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestJson } from '#domain/digest-json.ts';
import { parseInPieces } from '#domain/json-pieces.ts';

const parse = (text: string): unknown => JSON.parse(text);

async function expectSame(text: string, length = 8): Promise<void> {
  let expected: unknown;
  try {
    expected = JSON.parse(text);
  } catch {
    await expect(parseInPieces(text, parse, length)).rejects.toThrow(SyntaxError);
    return;
  }
  expect(await parseInPieces(text, parse, length)).toEqual(expected);
}

test.each([
  '[1,2,3,4,5,6,7,8,9]',
  '{"a":[1,2,3,4,5,6],"b":{"c":["x,]","\\"","y"]},"d":[]}',
  '{"a":[[1,2],[3,4],[5,6],{"b":[1,2,3,4,5]}],"a2":1}',
  '{"a":[1,2,3,4,5,6,]}',
  '{"a":[1,2,3,,4,5,6]}',
  '{"a":[1,2,3,4,5,6],[7,8]}',
  '{"a":[1,2,3,4,5,6],{"b":1}}',
  '{"a":[1,2,3,4],[5,6,7,8]]}',
  '{"a":[1,2,3,4,5}],"b":1]}',
  '{"a":[1,2,3,4,5,6]',
  '{"a":["1,2,3,4,5,6]}',
  '[1,2,3,4,5,6,7] [1]',
  ':::::::::,,,,,,[[[',
  '}}}}}}}}}}[[[]]]',
])('%s', async (text) => {
  await expectSame(text);
});

test('any value, whole and damaged', async () => {
  const value = fc.json({ maxDepth: 5 });
  const damage = fc.constantFrom(...',:[]{}"\\1 ');
  await fc.assert(
    fc.asyncProperty(value, fc.nat(), damage, fc.nat(20), async (text, at, sign, length) => {
      await expectSame(text, length);
      const place = at % (text.length + 1);
      await expectSame(text.slice(0, place) + sign + text.slice(place), length);
      await expectSame(text.slice(0, place) + text.slice(place + 1), length);
    }),
  );
});

test('the digest of a value is that of its JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      expect(await digestJson(value)).toBe(hash('sha256', JSON.stringify(value)));
    }),
  );
});
