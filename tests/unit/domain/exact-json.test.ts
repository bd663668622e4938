import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { compareDecimals, readDecimal } from '#domain/decimal.ts';
import { parseExactly } from '#domain/exact-json.ts';
import { parseRequestJson, parseShallowJson } from '#domain/json.ts';
import { JsonValue, makeStorable } from '#domain/text.ts';
import { canonical } from '#plans/content/digests.ts';
import { rounds } from '../../rounds.ts';

describe('a number in JSON', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890123456789012345678901234567890',
    '9007199254740992',
    '100',
    '-0.5',
  ])('%s is written as it was read', (source) => {
    expect(JSON.stringify(parseExactly(`{"n":[${source}]}`))).toBe(`{"n":[${source}]}`);
    const value = JsonValue.parse(parseExactly(source));
    expect(canonical({ n: makeStorable(value) })).toBe(`{"n":${source}}`);
  });

  it.each([
    ['1.0', 1],
    ['1E5', 100000],
    ['-0', -0],
    ['1e23', 1e23],
    ['0.1', 0.1],
    ['123456789.123456', 123456789.123456],
    ['0.30000000000000004', 0.30000000000000004],
    ['1.10000000000000000000000', 1.1],
  ])('%s, whose value a number has, is that number', (source, value) => {
    expect(parseExactly(source)).toBe(value);
  });

  it.each([
    '0.1000000000000000055',
    '1e400',
    '-1e400',
    '1e-400',
    '3.14159265358979323846',
    '1234567890123456.789',
  ])('%s is its text where it is read, and refused where it would be sent', (source) => {
    expect(parseShallowJson(`{"amount":${source}}`)).toEqual({ amount: source });
    expect(() => parseRequestJson(`{"amount":${source}}`)).toThrow(
      expect.objectContaining({
        code: 'invalid_json',
        details: { field: 'amount', number: source },
      }),
    );
  });

  it('in a text, or a key, is text', () => {
    const text = '{"9007199254740993":"id 9007199254740993, 1e400"}';
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  });

  it('keeps keys that look like prototypes from being ones', () => {
    const value = parseShallowJson('{"__proto__":{"polluted":9007199254740993}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in Object(value)).toBe(false);
  });

  it('that is deep inside is refused like anything deep', () => {
    const deep = `${'['.repeat(50_000)}9007199254740993${']'.repeat(50_000)}`;
    expect(() => parseShallowJson(deep)).toThrow(expect.objectContaining({ code: 'invalid_json' }));
  });

  it.each([`0.1${'0'.repeat(990)}`, `1${'0'.repeat(990)}e-900`, `0.${'7'.repeat(990)}`])(
    'holds nothing up where there are thousands as long as %#',
    (source) => {
      const text = `[${Array.from({ length: 4000 }, () => source).join(',')}]`;
      const began = performance.now();
      expect(parseExactly(text)).toHaveLength(4000);
      expect(performance.now() - began).toBeLessThan(1500);
    },
  );

  it('stays the same over reading and writing, for all JSON there is', () => {
    const number = fc
      .tuple(
        fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
        fc.constantFrom('', '.5', '.25', 'e2', '.0'),
      )
      .map(([whole, rest]) => `${whole}${rest}`);
    const json: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        number,
        fc.json(),
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      ),
    })).value;
    fc.assert(
      fc.property(json, (text) => {
        const read = parseExactly(text);
        const again = JSON.stringify(read);
        expect(JSON.stringify(parseExactly(again))).toBe(again);
        for (const [digits] of text
          .replace(/"(?:[^"\\]|\\.)*"/g, '')
          .matchAll(/(?<![\d.eE+-])\d{17,}(?![\d.eE])/g))
          expect(
            again.includes(digits) ||
              Number.isSafeInteger(Number(digits)) ||
              String(BigInt(Number(digits))) === digits,
          ).toBe(true);
      }),
      { numRuns: rounds(300) },
    );
  });
});

describe('a decimal', () => {
  it('compares beyond the digits of a number', () => {
    const [a, b] = [readDecimal('9007199254740993'), readDecimal('9007199254740992')];
    if (a === null || b === null) throw new Error('It is no decimal.');
    expect(compareDecimals(a, b)).toBeGreaterThan(0);
  });

  it.each(['', '1,5', 'NaN', '0x10', '1e', '--1', '1e9999999', '1'.repeat(2000)])(
    '%s is none',
    (text) => {
      expect(readDecimal(text)).toBeNull();
    },
  );
});

test.each<[string, string | null]>([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":{"b":1,"c":[{"b":2}],"b":3}}', 'b'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"a" : 1,\n"b\\"":{},"b\\"" :2}', 'b"'],
  ['{"":1,"":2}', ''],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"n":12345678901234567890,"n":1}', 'n'],
  ['{"a":"a","b":["a","a"],"c":{"a":1}}', null],
  ['[{"a":1},{"a":2},"a"]', null],
  ['{"a":"\\\\","b":"\\\\\\"a\\":1","A":1}', null],
  ['{"a":"{","b":"}","c":"\\"{\\"a\\":1"}', null],
])('a name that an object has twice is refused: %s', (text, name) => {
  const parse = () => parseRequestJson(text);
  if (name === null) expect(parse()).toEqual(JSON.parse(text));
  else expect(parse).toThrow(expect.objectContaining({ details: { field: name } }));
});

test('every JSON that was written by a program has each name once', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\t'), (value, indent) => {
      expect(parseRequestJson(JSON.stringify(value, null, indent))).toEqual(
        JSON.parse(JSON.stringify(value)),
      );
    }),
  );
});
