import { expect, it } from 'vitest';
import { pressOf } from '#cards/buttons.ts';
import { inputIdOf, readPress, readPressValue } from '#cards/press.ts';
import { makePlan } from '#tests/fixtures/plans.ts';

const plan = makePlan();

it('a press comes back as it was sent, with the text typed beside it', () => {
  const press = pressOf(plan, 'propose_changes');
  const data = { ...press, [inputIdOf(press)]: '  keep a copy ', 'text:reject': 'not this one' };
  expect(readPress(data)).toEqual({ press, text: 'keep a copy' });
});

it('a press about a step reads the note of that step', () => {
  const press = pressOf(plan, 'human_done', '2');
  expect(readPress({ ...press, 'text:step:2': 'booked', 'text:step:3': 'other' })?.text).toBe(
    'booked',
  );
});

it('an empty text is none', () => {
  const press = pressOf(plan, 'reject');
  expect(readPress({ ...press, [inputIdOf(press)]: '  ' })).toEqual({ press, text: null });
});

it.each([
  '',
  'hello',
  '{',
  '{}',
  '[]',
  'null',
  '{"action":"approve"}',
  '{"action":"fly","plan_id":"x"}',
])('what others put into a button is none of ours: %s', (value) => {
  expect(readPressValue(value)).toBeNull();
});

it('a Slack value is the press', () => {
  const press = pressOf(plan, 'approve');
  expect(readPressValue(JSON.stringify(press))).toEqual(press);
});
