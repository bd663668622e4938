// Sentences about people's steps stay left to right in any script.
import { expect, test } from 'vitest';
import { writeMessage } from '#cards/message-text.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import { describeBlocked, describeQuestion } from '#notices/announce.ts';
import { makeStep } from '../../fixtures/plans.ts';

const plan = { id: 'PLAN-00000001', title: 'Move' };
const say = (says: MessageParts | null) => writeMessage(says, '');
const called = (name: string) => (name === 'ben' ? 'בן' : name);
const human = { tool: 'human', operation: 'task' };
const failed = {
  ...human,
  status: 'failed',
  error: { code: 'blocked', message: 'No key.' },
} as const;
const rest = 'Steps that depend on it are skipped; the rest continue. You can ask again.';

test('what somebody cannot do begins with the step and not with their name', () => {
  const step = makeStep('2', { ...failed, description: 'Open', output: { by: 'ben' } });
  expect(say(describeBlocked(step, called))).toBe(
    `Step 2 (“Open”) is blocked, as “בן” says: “No key.” ${rest}`,
  );
});

test('what nobody in particular cannot do is said without a name', () => {
  const step = makeStep('2', { ...failed, description: 'Open' });
  expect(say(describeBlocked(step, called))).toBe(`Step 2 (“Open”) is blocked: “No key.” ${rest}`);
});

test('a question names whom it was given to', () => {
  const step = { ...human, status: 'waiting', question: 'Is it open?' } as const;
  expect(
    say(
      describeQuestion(
        plan,
        makeStep('2', { ...step, output: { assignee: 'ben', form: null } }),
        called,
      ),
    ),
  ).toBe('Step 2 waits for “בן”: “Is it open?”');
  expect(say(describeQuestion(plan, makeStep('2', step), called))).toBe(
    'Step 2 waits for you: “Is it open?”',
  );
});

test('a call of which nobody knows what became is named by what it does, not by what its planner said', () => {
  const step = makeStep('2', {
    operation: 'delete',
    args: { path: 'payroll.csv' },
    description: 'Tidy up',
    status: 'unknown',
    question: 'The worker stopped during the call.',
  });
  expect(say(describeQuestion(plan, step, called))).toBe(
    'Step 2 (Permanently deletes payroll.csv): “The worker stopped during the call.” Check whether it happened.',
  );
});

test('a call that asks with its values waits for whoever decides, whatever one of its values is named', () => {
  const call = { tool: 'tracker', operation: 'open_issue', args: { assignee: 'ben' } };
  const step = makeStep('2', {
    ...call,
    status: 'waiting',
    question: 'Run it?',
    output: { confirm: true },
  });
  expect(say(describeQuestion(plan, step, called))).toBe('Step 2 waits for you: “Run it?”');
});
