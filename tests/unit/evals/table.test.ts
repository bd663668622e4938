// The table of evals compares models in one place, by the gates and by what they took.
import { expect, it } from 'vitest';
import { type EvalRow, writeTable } from '#tests/evals/table.ts';

const row = (model: string, more: Partial<EvalRow> = {}): EvalRow => ({
  ...{ model, category: 'plain', id: 'plain-one', problems: [], calls: 1, tokensIn: 100 },
  ...{ tokensOut: 10, words: 12, questions: 0, seconds: 1, cost: 0 },
  ...more,
});
const cellsOf = (table: string) => table.split('\n').map((line) => line.trim().split(/\s{2,}/));

it('has a line of each model for each category, and names the model of what failed', () => {
  const failed = { problems: ['a gate'], calls: 3, words: 40, questions: 2 };
  const [heads, ...lines] = cellsOf(writeTable([row('small'), row('large', failed)]));
  expect(heads).toEqual(expect.arrayContaining(['calls', 'words', 'questions']));
  expect(lines.slice(0, 4).map(([name, passed, , calls]) => [name, passed, calls])).toEqual([
    ['plain small', '1/1', '1.0'],
    ['plain large', '0/1', '3.0'],
    ['total small', '1/1', '1.0'],
    ['total large', '0/1', '3.0'],
  ]);
  expect(lines.slice(4).flat()).toEqual(['', 'large: plain-one', '- a gate']);
});

it('of one model has its name at the head', () => {
  const [heads, first] = cellsOf(writeTable([row('recorded')]));
  expect([heads?.[0], first?.[0]]).toEqual(['recorded', 'plain']);
});
