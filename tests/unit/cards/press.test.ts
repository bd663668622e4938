import { expect, it } from 'vitest';
import { pressOf } from '#cards/buttons.ts';
import { fieldInputId, inputIdOf } from '#cards/input-ids.ts';
import { readPress, readPressValue } from '#cards/press.ts';
import { makePlan } from '#tests/fixtures/plans.ts';

const plan = makePlan();

it('a press comes back as it was sent, with the text typed beside it', () => {
  const press = pressOf(plan, 'propose_changes');
  const data = { ...press, [inputIdOf(press)]: '  keep a copy ', 'text:reject': 'not this one' };
  expect(readPress(data)).toEqual({ press, text: 'keep a copy', fields: null });
});

it('a press about a step reads the note of that step', () => {
  const press = pressOf(plan, 'human_done', '2');
  expect(readPress({ ...press, 'text:step:2': 'booked', 'text:step:3': 'other' })?.text).toBe(
    'booked',
  );
});

it('a press about a step reads the form of that step, whatever other ids look like', () => {
  const press = pressOf(plan, 'human_done', '2');
  const data = {
    ...press,
    [fieldInputId('2', 'amount')]: '12.5',
    [fieldInputId('2', 'sure')]: 'false',
    [fieldInputId('2:x', 'amount')]: '99',
    [fieldInputId('3', 'amount')]: '77',
  };
  expect(readPress(data)?.fields).toEqual({ amount: '12.5', sure: 'false' });
});

it('being blocked has a reason of its own and no fields', () => {
  const press = pressOf(plan, 'human_blocked', '2');
  const data = {
    ...press,
    'text:step:2': 'a note',
    [inputIdOf(press)]: 'no room',
    [fieldInputId('2', 'amount')]: '12.5',
  };
  expect(readPress(data)).toEqual({ press, text: 'no room', fields: null });
});

it('an empty text is none', () => {
  const press = pressOf(plan, 'reject');
  expect(readPress({ ...press, [inputIdOf(press)]: '  ' })).toEqual({
    press,
    text: null,
    fields: null,
  });
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
