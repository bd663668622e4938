import { expect, it } from 'vitest';
import { pressAbout, pressOf } from '#cards/buttons.ts';
import { fieldInputId, inputIdOf } from '#cards/input-ids.ts';
import { readPress } from '#cards/press.ts';
import { makePlan, makeStep } from '../../fixtures/plans.ts';

const plan = makePlan();
const step = makeStep('2', { status: 'waiting', attempt: 3 });

it('a press comes back as it was sent, with the text typed beside it', () => {
  const press = pressOf(plan, 'propose_changes');
  const data = { ...press, [inputIdOf(press)]: '  keep a copy ', 'text:reject': 'not this one' };
  expect(readPress(data)).toEqual({ press, text: 'keep a copy', fields: null });
});

it('a press about a step says which attempt was shown, and how it stood', () => {
  expect(pressAbout(plan, 'settle_retry', step)).toMatchObject({
    step_id: '2',
    attempt: 3,
    stood: 'waiting',
  });
});

it('a press about a step reads the note of that step', () => {
  const press = pressAbout(plan, 'human_done', step);
  expect(readPress({ ...press, 'text:step:2': 'booked', 'text:step:3': 'other' })?.text).toBe(
    'booked',
  );
});

it('a press about a step reads the form of that step, whatever other ids look like', () => {
  const press = pressAbout(plan, 'human_done', step);
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
  const press = pressAbout(plan, 'human_blocked', step);
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
