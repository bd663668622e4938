// Spreadsheet amounts are read exactly, or not at all.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAmount } from '#domain/amount.ts';
import { writeDecimal } from '#domain/decimal.ts';
import type { JsonObject } from '#domain/text.ts';
import { Tally } from '#planner/tools/tally-items.ts';
import { rounds } from '../../rounds.ts';

const parse = (text: string) => {
  const amount = readAmount(text);
  if (amount === null) return null;
  const [point, comma] = [amount.point, amount.comma].map((one) => one && writeDecimal(one));
  return [point, comma, amount.unit];
};

describe('an amount', () => {
  it.each([
    ['0.1', ['0.1', null, '']],
    ['1,234.50', ['1234.5', null, '']],
    ['1.234,50', [null, '1234.5', '']],
    ['1,234', ['1234', '1.234', '']],
    ['12', ['12', '12', '']],
    ['€ 12,50', [null, '12.5', '€']],
    ['12.50 EUR', ['12.5', null, 'EUR']],
    ['US$1,000.00', ['1000', null, 'US$']],
    ['(1,234.50)', ['-1234.5', null, '']],
    ['-$5', ['-5', '-5', '$']],
    ['−3,5', [null, '-3.5', '']],
    ["1'234.50", ['1234.5', null, '']],
    ['1 234,50', [null, '1234.5', '']],
    ['12,34,567.00', ['1234567', null, '']],
    ['1.5E+3', ['1500', null, '']],
    ['9007199254740993', ['9007199254740993', '9007199254740993', '']],
  ])('%s', (text, amount) => {
    expect(parse(text)).toEqual(amount);
  });

  it.each([
    '',
    'n/a',
    '-',
    '00501',
    '2026-12-01',
    '12.05.2026',
    '1,2,3',
    '5%',
    '(5',
    '$5 EUR',
    '1e9999',
    '٣',
    'NaN',
    '0x10',
    '12 34',
  ])('%s is none', (text) => {
    expect(parse(text)).toBeNull();
  });
});

function tally(items: object[]): string[] {
  const all = new Tally();
  for (const item of items) all.add(JSON.parse(JSON.stringify(item)));
  return all.describe();
}
const column = (values: string[]) => tally(values.map((amount) => ({ amount }))).slice(1);

describe('a tally', () => {
  it.each([
    [['0.1', '0.2', '0.30'], 'amount: sum 0.60 of 3 numbers'],
    [['1.234,50', '-0,50', '7'], 'amount: sum 1.241,00 of 3 numbers'],
    [['$1,234.50', '($0.50)', '$7'], 'amount: sum $1,241.00 of 3 numbers'],
    [['9007199254740993', '1', '2'], 'amount: sum 9007199254740996 of 3 numbers'],
    [['1', '2', 'n/a'], 'amount: sum 3 of 2 numbers; 1 value no number: n/a'],
    [['1,234', '5', '6'], 'amount: not summed, as 1,234 may be read in two ways'],
    [['1.5', '1,5', '2'], 'amount: not summed, as points and commas are mixed'],
    [['€ 1', '$ 2', '3'], 'amount: not summed, as its currencies differ'],
  ])('of %j says %s', (values, line) => {
    expect(column(values)).toEqual([line]);
  });

  it('groups by the exact text, with counts that add up to all', () => {
    const regions = ['North', 'South', 'North', 'north', 'North ', ''];
    expect(tally(regions.map((region, id) => ({ region, units: id % 2 })))).toEqual([
      '6 items',
      'region: North (2), South (1), north (1), North  (1), 1 empty',
      'units: 0 (3), 1 (3)',
      'units: sum 3 of 6 numbers',
      'units by region: North 0 (2), South 1 (1), north 1 (1), North  0 (1), without region (1)',
    ]);
  });

  it.each<[string, object[], string[]]>([
    [
      'customers and products',
      [
        { customer: 'Ana', product: 'tea', owed: '0.10' },
        { customer: 'Ben', product: 'tea', owed: '0.20' },
        { customer: 'Ana', product: 'ink', owed: '1,234.70' },
      ],
      [
        'owed by customer: Ana 1,234.80 (2), Ben 0.20 (1)',
        'owed by product: tea 0.30 (2), ink 1,234.70 (1)',
      ],
    ],
    [
      'a decimal comma that only some show',
      [
        { who: 'Ana', owed: '1,5' },
        { who: 'Ana', owed: '1.234,5' },
        { who: 'Ben', owed: '7' },
        { who: 'Ben', owed: '2,25' },
      ],
      ['owed by who: Ana 1.236,0 (2), Ben 9,25 (2)'],
    ],
    [
      'a currency each',
      [
        { who: 'Ana', owed: '€ 1.10' },
        { who: 'Ana', owed: '€ 2.20' },
        { who: 'Ben', owed: '$ 3' },
        { who: 'Ben', owed: '€ 4' },
      ],
      ['owed by who: Ana € 3.30 (2), Ben not summed (2)'],
    ],
    [
      'items that lack the group or the amount',
      [
        { owed: 5 },
        { who: 'Ana', owed: 1 },
        { who: 'Ana' },
        { who: 'Ben', owed: null },
        { who: '', owed: 2 },
        { who: 'Ben', owed: 0.5 },
      ],
      ['owed by who: Ana 1 (1), Ben 0.5 (1), without who (2)'],
    ],
    [
      'amounts that can be read in two ways',
      [
        { who: 'Ana', owed: '1,234' },
        { who: 'Ana', owed: '5' },
      ],
      [],
    ],
    [
      'numbers that are codes',
      [
        { item: 1001, owed: 9007199254740993n },
        { item: 1002, owed: 1 },
        { item: 1001, owed: 2 },
      ],
      ['owed by item: 1001 9007199254740995 (2), 1002 1 (1)'],
    ],
  ])('sums by group: %s', (_, items, lines) => {
    const all = new Tally();
    for (const item of items) all.add(item as JsonObject);
    expect(all.describe().filter((line) => line.startsWith('owed by '))).toEqual(lines);
  });

  it('sums by group what all adds up to, however many groups there are, and stays short', () => {
    for (const groups of [2, 150, 290]) {
      const items = Array.from({ length: 900 }, (_, at) => ({
        who: `customer ${at % groups}`,
        owed: `${at}.25`,
      }));
      const lines = tally(items).filter((line) => line.startsWith('owed by who: '));
      const sums = lines.flatMap((line) =>
        [...line.matchAll(/customer \d+ ([\d.]+) \(/g)].map(([, sum]) => Number(sum)),
      );
      expect(sums).toHaveLength(groups);
      expect(sums.reduce((all, one) => all + one, 0)).toBe((899 * 900) / 2 + 225);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(2000);
    }
    const wide = Array.from({ length: 400 }, (_, at) =>
      Object.fromEntries(
        Array.from({ length: 40 }, (_, c) => [`c${c}`, c % 2 === 0 ? `g${at % 200}` : at]),
      ),
    );
    const totals = tally(wide);
    expect(totals.length).toBeLessThanOrEqual(50);
    expect(totals.join('').length).toBeLessThan(40_000);
    expect(totals.at(-1)).toContain('left out');
  });

  it('adds what binary numbers would round, whatever there is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1e12, max: 1e12 }), { minLength: 2, maxLength: 50 }),
        (cents) => {
          const total = cents.reduce((sum, one) => sum + BigInt(one), 0n);
          const write = (one: bigint) => {
            const digits = String(one < 0n ? -one : one).padStart(3, '0');
            return `${one < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
          };
          const line = column(cents.map((one) => write(BigInt(one)))).at(-1) ?? '';
          expect(line).toContain(`sum ${write(total)} of`);
        },
      ),
      { numRuns: rounds(200) },
    );
  });
});
