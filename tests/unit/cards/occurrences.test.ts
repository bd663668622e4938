import { expect, test } from 'vitest';
import { viewProposal } from '#cards/proposal.ts';
import type { Step } from '#domain/plan/plan.ts';
import { makeFacts, makeStep } from '../../fixtures/plans.ts';
import { draftStep } from '../../fixtures/steps.ts';

const series = {
  id: 'daily',
  title: 'Daily look',
  rrule: 'FREQ=DAILY',
  starts_at: '2026-05-05T07:30:00.000Z',
  timezone: 'UTC',
  until: null,
  steps: [draftStep('look', 'Look', 'workspace_read')],
};

const read = (id: string, position: number, rest: Partial<Step> = {}) =>
  makeStep(id, {
    position,
    description: 'Look',
    operation: 'read',
    effect: 'read',
    args: { path: 'a.txt' },
    target: 'a.txt',
    ...rest,
  });

const shown = (...steps: ReturnType<typeof read>[]) => {
  const facts = makeFacts({ series: [series] }, steps);
  const section = viewProposal(facts).find(({ kind }) => kind === 'steps');
  return JSON.stringify(section?.lines);
};

test('an occurrence that reads something else is shown, whatever its id', () => {
  const lines = shown(
    read('look#2026-05-05', 1),
    read('look#2026-05-06', 2),
    read('look#2026-05-07', 3, { args: { path: 'secrets.txt' }, target: 'secrets.txt' }),
  );
  expect(JSON.parse(lines)).toHaveLength(2);
  expect(lines).toContain('secrets.txt');
});

test('an occurrence that uses a step of its own occurrence says the same', () => {
  const from = (day: string) => ({ args: { path: { $from: `find#${day}`, path: '/name' } } });
  const lines = shown(
    read('look#2026-05-05', 1, from('2026-05-05')),
    read('look#2026-05-06', 2, from('2026-05-06')),
    read('look#2026-05-07', 3, from('2026-05-05')),
  );
  expect(lines).not.toContain('find#2026-05-06');
  expect(JSON.parse(lines)).toHaveLength(2);
});
