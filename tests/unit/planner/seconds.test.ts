// Lengths of time as people say them in an instruction.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { numberWords } from '#planner/number-words.ts';
import { readSeconds, secondsForm } from '#planner/offline/seconds.ts';

const find = (text: string) => new RegExp(secondsForm, 'i').exec(text)?.[0] ?? null;

it.each([
  ['wait 90s', '90s', 90],
  ['wait a second', 'a second', 1],
  ['for Half an Hour please', 'Half an Hour', 1800],
  ['for 1,5 hours', '1,5 hours', 5400],
  ['for 0.5 min', '0.5 min', 30],
  ['two and a half minutes', 'two and a half minutes', 150],
  ['an hour and a half later', 'an hour and a half', 5400],
  ['1 hour 30 minutes', '1 hour 30 minutes', 5400],
  ['an hour and twenty minutes', 'an hour and twenty minutes', 4800],
  ['sixteen minutes', 'sixteen minutes', 960],
])('%s', (text, words, seconds) => {
  expect(find(text)).toBe(words);
  expect(readSeconds(words)).toBe(seconds);
});

it.each(['a while', 'two days', 'for a moment', '5 more minutes', 'a meeting', 'minutes'])(
  'no length in %s',
  (text) => {
    expect(find(text)).toBeNull();
  },
);

it('means the same in words as in figures', () => {
  const number = fc.constantFrom(...Object.entries(numberWords));
  const unit = fc.constantFrom('s', 'sec', 'second', 'seconds', 'min', 'minutes', 'hr', 'hours');
  fc.assert(
    fc.property(number, unit, ([word, value], name) => {
      const words = `${word} ${name}`;
      expect(find(`wait for ${words}.`)).toBe(words);
      expect(readSeconds(words)).toBe(readSeconds(`${value} ${name}`));
    }),
  );
});
