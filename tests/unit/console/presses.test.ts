// Requests of the page's presses; see conversation/press/press.test.ts for their effects.
import { expect, it } from 'vitest';
import { fieldInputId, inputIdOf } from '#cards/input-ids.ts';
import type { CardPress } from '#domain/chat/card.ts';
import type { AnyPress } from '#domain/chat/press.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';
import { planPress } from '../../../adapters/console/page/live/presses.ts';

function buttonOf(action: CardPress['action'], step?: string): CardPress {
  const press = { action, plan_id: 'PLAN-1', version: 2, digest: 'abc' };
  return step === undefined ? press : { ...press, step_id: step };
}

function sessionButton(action: SessionPress['action'], choice?: string): SessionPress {
  const press = { action, run_id: 'run-1', turn: 3, digest: 'abc' };
  return choice === undefined ? press : { ...press, choice };
}

const plan = (button: AnyPress, text = '') =>
  planPress(button, { ...button, [inputIdOf(button)]: text });

it.each([
  buttonOf('approve'),
  buttonOf('reject'),
  buttonOf('retry'),
  buttonOf('settle_done', '4'),
  sessionButton('session_approve'),
  sessionButton('session_answer', 'B'),
])('sends the button as it was drawn: $action', (button) => {
  expect(plan(button)).toEqual({ kind: 'send', body: { button } });
});

it.each([
  buttonOf('propose_changes'),
  buttonOf('reject'),
  buttonOf('human_done', '4'),
  buttonOf('human_blocked', '4'),
  sessionButton('session_changes'),
  sessionButton('session_answer'),
])('sends what was typed beside it: $action', (button) => {
  expect(plan(button, ' also b.txt ')).toEqual({
    kind: 'send',
    body: { button, text: 'also b.txt' },
  });
});

it.each([
  buttonOf('propose_changes'),
  buttonOf('human_blocked', '4'),
  sessionButton('session_changes'),
  sessionButton('session_answer'),
])('asks for words before it sends them: $action', (button) => {
  expect(plan(button, '  ')).toMatchObject({ kind: 'refuse' });
});

it('sends what was filled in, and leaves out what was not', () => {
  const button = buttonOf('human_done', '4');
  const inputs = {
    ...button,
    [fieldInputId('4', 'amount')]: 12.5,
    [fieldInputId('4', 'sure')]: 'false',
    [fieldInputId('4', 'day')]: '',
    [fieldInputId('4', 'room')]: undefined,
    [fieldInputId('5', 'amount')]: 99,
  };
  expect(planPress(button, inputs)).toEqual({
    kind: 'send',
    body: { button, fields: { amount: 12.5, sure: 'false' } },
  });
});

it('approves all but the steps that are unticked, and decides nothing else by ticks', () => {
  const approve = buttonOf('approve');
  expect(planPress(approve, {}, { except: ['4'] })).toMatchObject({ body: { except: ['4'] } });
  expect(JSON.stringify(planPress(buttonOf('reject'), {}, { except: ['4'] }))).not.toContain(
    'except',
  );
});

it('sends comments on steps with a proposal of changes, which then needs no words of its own', () => {
  const comments = [{ step_id: '2', text: 'call it c.md' }];
  const button = buttonOf('propose_changes');
  expect(planPress(button, {}, { comments })).toEqual({ kind: 'send', body: { button, comments } });
  expect(JSON.stringify(planPress(buttonOf('reject'), {}, { comments }))).not.toContain('comments');
});

it('opens the details without asking the server', () => {
  expect(plan(buttonOf('details'))).toEqual({ kind: 'show', tab: 'steps' });
});
