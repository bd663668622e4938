import { describe, expect, it } from 'vitest';
import { fieldInputId, inputIdOf } from '#cards/input-ids.ts';
import { CardPress } from '#domain/chat/card.ts';
import type { SessionPress } from '#domain/planning/session-card.ts';
import {
  planPress,
  planSessionPress,
  readPress,
} from '../../../adapters/console/page/live/presses.ts';

function pressOf(action: CardPress['action'], step?: string): CardPress {
  const press = { action, plan_id: 'PLAN-1', version: 2, digest: 'abc' };
  return step === undefined ? press : { ...press, step_id: step };
}

/** What the page sends when `text` was typed into the input that belongs to the button. */
function send(press: CardPress, text = '') {
  return planPress(press, { ...press, [inputIdOf(press)]: text });
}

function callTo(verb: string, body: object) {
  return { kind: 'call', call: { path: `/api/plans/PLAN-1/${verb}`, body } };
}

describe('a press on a card', () => {
  it('approves exactly the version and digest that were shown', () => {
    expect(send(pressOf('approve'))).toEqual(callTo('approve', { version: 2, digest: 'abc' }));
  });

  it('sends the typed change, and asks for it when nothing was typed', () => {
    expect(send(pressOf('propose_changes'), ' also b.txt ')).toEqual(
      callTo('propose-changes', { version: 2, feedback: 'also b.txt' }),
    );
    expect(send(pressOf('propose_changes'), '  ')).toMatchObject({ kind: 'refuse' });
  });

  it('rejects with a reason, or without one', () => {
    expect(send(pressOf('reject'), 'too early')).toEqual(
      callTo('reject', { version: 2, feedback: 'too early' }),
    );
    expect(send(pressOf('reject'))).toEqual(callTo('reject', { version: 2 }));
  });

  it.each(['cancel', 'pause', 'resume', 'retry'] as const)('%ss the plan', (action) => {
    expect(send(pressOf(action))).toEqual(callTo(action, { version: 2 }));
  });

  it.each([
    ['settle_retry', 'retry'],
    ['settle_done', 'done'],
    ['settle_failed', 'failed'],
  ] as const)('%s tells the fate of the step', (action, fate) => {
    expect(send(pressOf(action, '4'))).toEqual(
      callTo('resume', { version: 2, steps: { 4: fate } }),
    );
  });

  it('says which attempt of the step was looked at, and how it stood', () => {
    const press = { ...pressOf('settle_retry', '4'), attempt: 2, stood: 'unknown' as const };
    expect(send(press)).toEqual(
      callTo('resume', {
        version: 2,
        steps: { 4: 'retry' },
        about: { 4: { attempt: 2, status: 'unknown' } },
      }),
    );
  });

  it('keeps all that a button says, and none of what was typed beside it', () => {
    const full: Required<CardPress> = {
      ...pressOf('settle_retry', '4'),
      step_id: '4',
      attempt: 2,
      stood: 'unknown',
      ended_at: '2026-03-02T09:30:00.000Z',
    };
    expect(Object.keys(full).sort()).toEqual(Object.keys(CardPress.shape).sort());
    expect(readPress({ ...full, ...{ [inputIdOf(full)]: 'typed' } })).toEqual(full);
    expect(readPress(pressOf('approve'))).toEqual(pressOf('approve'));
  });

  it('says after which end a plan is run again', () => {
    const ended_at = '2026-03-02T09:30:00.000Z';
    expect(send({ ...pressOf('retry'), ended_at })).toEqual(
      callTo('retry', { version: 2, ended_at }),
    );
  });

  it('sends a person’s answer with the step it belongs to', () => {
    expect(send(pressOf('human_done', '4'), 'booked')).toEqual(
      callTo('resume', { version: 2, steps: { 4: 'done' }, answer: 'booked' }),
    );
    expect(send(pressOf('human_blocked', '4'), 'no room')).toEqual(
      callTo('resume', { version: 2, steps: { 4: 'failed' }, answer: 'no room' }),
    );
  });

  it('sends what was filled in, and leaves out what was not', () => {
    const press = pressOf('human_done', '4');
    const inputs = {
      ...press,
      [fieldInputId('4', 'amount')]: 12.5,
      [fieldInputId('4', 'sure')]: 'false',
      [fieldInputId('4', 'day')]: '',
      [fieldInputId('4', 'room')]: undefined,
      [fieldInputId('5', 'amount')]: 99,
      [inputIdOf(press)]: 'as agreed',
    };
    expect(planPress(press, inputs)).toEqual(
      callTo('resume', {
        version: 2,
        steps: { 4: 'done' },
        answer: 'as agreed',
        answers: { 4: { amount: 12.5, sure: 'false' } },
      }),
    );
  });

  it('asks for a reason before it says that somebody is blocked', () => {
    expect(send(pressOf('human_blocked', '4'))).toMatchObject({ kind: 'refuse' });
  });

  it('approves all but the steps that are unticked, and decides nothing else by ticks', () => {
    const body = { version: 2, digest: 'abc', except: ['4'] };
    expect(planPress(pressOf('approve'), {}, ['4'])).toMatchObject({ call: { body } });
    const refused = planPress(pressOf('reject'), {}, ['4']);
    expect(refused).toMatchObject({ call: { body: { version: 2 } } });
    expect(JSON.stringify(refused)).not.toContain('except');
  });

  it('never settles a step that the button does not name', () => {
    expect(send(pressOf('human_done'))).toMatchObject({ kind: 'refuse' });
  });

  it('opens the details without asking the server', () => {
    expect(send(pressOf('details'))).toEqual({ kind: 'show', tab: 'steps' });
  });
});

describe('a press on the card of a session', () => {
  const shown = { run_id: 'run-1', turn: 3, digest: 'abc' };
  const send = (action: SessionPress['action'], extra: { choice?: string; text?: string } = {}) => {
    const { choice, text = '' } = extra;
    const press = { action, ...shown, ...(choice === undefined ? {} : { choice }) };
    return planSessionPress(press, { ...press, [inputIdOf(press)]: text });
  };
  const call = (verb: string, body: object) => ({
    kind: 'call',
    call: { path: `/api/runs/run-1/${verb}`, body },
  });
  const bound = { turn: 3, digest: 'abc' };

  it('decides about exactly the turn and digest that were shown', () => {
    expect(send('session_approve')).toEqual(call('approve', bound));
    expect(send('session_reject')).toEqual(call('reject', bound));
  });

  it('sends the change that was typed, or that the button stands for', () => {
    const typed = { ...bound, feedback: 'later' };
    expect(send('session_changes', { text: ' later ' })).toEqual(call('propose-changes', typed));
    expect(send('session_changes', { choice: 'later' })).toEqual(call('propose-changes', typed));
    expect(send('session_changes')).toMatchObject({ kind: 'refuse' });
  });

  it('answers with what was typed or picked', () => {
    expect(send('session_answer', { choice: 'B' })).toEqual(call('reply', { text: 'B', ...bound }));
    expect(send('session_answer', { text: ' ' })).toMatchObject({ kind: 'refuse' });
  });
});
