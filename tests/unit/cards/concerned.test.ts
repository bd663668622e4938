import { expect, test } from 'vitest';
import { findConcerned } from '#cards/state.ts';
import { makeStep } from '../../fixtures/plans.ts';

const task = (id: string, assignee: string) =>
  makeStep(id, { tool: 'human', operation: 'task', status: 'waiting', args: { assignee } });

test('a card concerns whoever is asked, asked for it or approves it by name, each once', () => {
  const approver_policy = { kind: 'named' as const, people: ['ben', 'cem'] };
  const plan = { requester: 'ana', approver_policy };
  expect(findConcerned({ plan, waiting: [task('1', 'dee'), task('2', 'ben')] })).toEqual([
    'dee',
    'ben',
    'ana',
    'cem',
  ]);
  const open = { requester: 'ana', approver_policy: { kind: 'anyone' as const } };
  expect(findConcerned({ plan: open, waiting: [] })).toEqual(['ana']);
});

test('a card does not concern whom a call that waits only has among its values', () => {
  const call = { tool: 'tracker', operation: 'open', args: { assignee: 'ben' } };
  const waiting = [makeStep('1', { ...call, status: 'waiting', output: { confirm: true } })];
  const plan = { requester: 'ana', approver_policy: { kind: 'anyone' as const } };
  expect(findConcerned({ plan, waiting })).toEqual(['ana']);
});
