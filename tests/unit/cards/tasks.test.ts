import { describe, expect, test } from 'vitest';
import { drawBlocks } from '#cards/expand.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { StepStatus } from '#domain/plan/plan.ts';
import { checkSlackMessage } from '../../fixtures/block-kit.ts';
import { makeHugeFacts, samples } from '../../fixtures/plans.ts';

const running = samples.executing;

function withFirst(status: StepStatus, more: object = {}): PlanCardFacts {
  const [first, ...others] = running.steps;
  if (first === undefined) throw new Error('The sample has no steps.');
  return { ...running, steps: [{ ...first, ...more, status }, ...others] };
}

const firstOf = (facts: PlanCardFacts) => viewPlan(facts).tasks?.tasks[0];

describe('a task', () => {
  test.each([
    ['pending', 'pending', ''],
    ['ready', 'pending', ''],
    ['running', 'in_progress', ''],
    ['waiting', 'in_progress', 'Waits for'],
    ['succeeded', 'complete', ''],
    ['failed', 'error', 'no reply'],
    ['unknown', 'error', 'Outcome unknown'],
    ['skipped', 'pending', 'Skipped'],
    ['stale', 'pending', 'On hold'],
  ] as const)('of a step that is %s is %s', (status, expected, note) => {
    const task = firstOf(withFirst(status, { error: { code: 'timed_out', message: 'no reply' } }));
    expect(task?.status).toBe(expected);
    expect(task?.note).toContain(note);
  });

  test('has the label of its step and what it does', () => {
    const { tasks } = viewPlan(running);
    expect(tasks?.tasks).toHaveLength(running.steps.length);
    expect(tasks?.tasks[0]?.title).toMatch(/^1 {2}/);
    expect(tasks?.title).toContain(`of ${running.plan.total_steps} steps done`);
  });
});

describe('a large plan', () => {
  const huge: PlanCardFacts = {
    ...makeHugeFacts(),
    plan: { ...makeHugeFacts().plan, status: 'executing', total_steps: 100_000 },
    parts: {
      shown: [
        { name: 'north', counts: { succeeded: 40, pending: 60 } },
        { name: 'south', counts: { pending: 100 } },
        { name: 'east', counts: { succeeded: 99, failed: 1 } },
        { name: 'west', counts: { succeeded: 100 } },
      ],
      total: 1000,
    },
  };

  test('is drawn by its parts, with how far each is', () => {
    const tasks = viewPlan(huge).tasks;
    expect(tasks?.tasks.map(({ title, status, note }) => [title, status, note])).toEqual([
      ['north: 40 of 100 steps', 'in_progress', ''],
      ['south: 0 of 100 steps', 'pending', ''],
      ['east: 99 of 100 steps', 'error', '1 failed'],
      ['west: 100 of 100 steps', 'complete', ''],
    ]);
    expect(JSON.stringify(drawBlocks(viewPlan(huge), true).blocks)).toContain('996 more parts');
  });

  test('fits a message of Slack with its plan block, however much there is to say', () => {
    const drawn = drawBlocks(viewPlan(huge), true);
    expect(checkSlackMessage(drawn)).toEqual([]);
  });
});

test.each(['proposed', 'approved', 'completed', 'rejected', 'cancelled', 'failed'] as const)(
  'a plan that is %s has no tasks',
  (status) => {
    const facts = { ...running, plan: { ...running.plan, status } };
    expect(viewPlan(facts).tasks).toBeNull();
  },
);

test('what runs and what comes next is said once: by the tasks, or in their place', () => {
  const view = viewPlan(running);
  const withPlan = drawBlocks(view, true).blocks.map(({ block_id }) => String(block_id));
  const plain = drawBlocks(view).blocks.map(({ block_id }) => String(block_id));
  expect(plain.some((id) => id.endsWith(':running'))).toBe(true);
  expect(withPlan.some((id) => id.endsWith(':running') || id.endsWith(':next'))).toBe(false);
});
