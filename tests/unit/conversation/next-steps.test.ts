// Next steps while nothing is ready: those waiting only for running ones.
import { expect, test } from 'vitest';
import { findNext } from '#conversation/plan-card.ts';
import type { Step } from '#domain/plan/plan.ts';
import { following, makeStep } from '../../fixtures/plans.ts';

const step = (id: string, status: Step['status'], ...after: string[]): Step =>
  makeStep(id, { status, after: following(...after) });
const nextOf = (...steps: Step[]): string[] =>
  findNext({ total_steps: steps.length }, steps, []).map(({ id }) => id);

test('in a chain it is the step after the one that runs, and no further one', () => {
  expect(
    nextOf(
      step('1', 'succeeded'),
      step('2', 'running', '1'),
      step('3', 'pending', '2'),
      step('4', 'pending', '3'),
    ),
  ).toEqual(['3']);
});

test('a person who is asked is under way like what runs', () => {
  expect(nextOf(step('1', 'waiting'), step('2', 'pending', '1'))).toEqual(['2']);
});

test('what waits for something that has not begun comes later', () => {
  expect(
    nextOf(
      step('1', 'running'),
      step('2', 'running'),
      step('3', 'pending', '1', '2'),
      step('4', 'pending', '1', '3'),
    ),
  ).toEqual(['3']);
});

test('what failed holds up what waits for it', () => {
  expect(nextOf(step('1', 'running'), step('2', 'failed'), step('3', 'pending', '2'))).toEqual([]);
});

test('of a plan that is not all known it is the first that waits', () => {
  const pending = [step('30', 'pending', '29'), step('31', 'pending', '30')];
  const found = findNext({ total_steps: 40 }, [step('1', 'succeeded')], pending);
  expect(found.map(({ id }) => id)).toEqual(['30']);
});
