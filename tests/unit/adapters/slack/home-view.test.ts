// The Home tab is published anew for what people look there for, not for each step of a plan that runs.
import { expect, test } from 'vitest';
import {
  digestHome,
  drawHome,
  type HomeFacts,
  linesOfGroup,
} from '#adapters/slack/lists/home-view.ts';
import { slackLimits } from '#cards/limits.ts';
import { defaultPolicy } from '#domain/people/policy.ts';
import { now, samples } from '../../../fixtures/plans.ts';

const { plan } = samples.executing;
const homeOf = (changes: Partial<typeof plan>): HomeFacts => ({
  plans: [{ ...plan, ...changes }],
  waiting: new Set(),
  policy: defaultPolicy,
  said: [],
});
const before = homeOf({});

test('a step that has ended changes nothing on it, what stands nowhere there being no reason to draw it', () => {
  const { succeeded } = plan.counts;
  const after = homeOf({ counts: { ...plan.counts, succeeded: succeeded + 1 } });
  expect(digestHome(after)).toBe(digestHome(before));
  expect(drawHome(after, now)).toEqual(drawHome(before, now));
});

test.each([
  ['its end', homeOf({ status: 'completed' })],
  ['that it stalls', homeOf({ status: 'stalled' })],
  ['its name', homeOf({ title: 'Another' })],
  ['that it waits for the reader', { ...before, waiting: new Set([plan.id]) }],
])('of a plan that runs it shows %s', (_, after) => {
  expect(digestHome(after)).not.toBe(digestHome(before));
});

test('what has waited longest stands first, and all that waits is counted, read here or not', () => {
  const many = Array.from({ length: linesOfGroup + 1 }, (_, index) => ({
    ...plan,
    status: 'proposed' as const,
    id: `PLAN-${String(index).padStart(8, '0')}`,
  }));
  const oldest = many.at(-1)?.id ?? '';
  const waiting = new Set([oldest, ...many.map(({ id }) => id), 'PLAN-ffffffff']);
  const shown = JSON.stringify(drawHome({ ...before, plans: many, waiting }, now).blocks);
  expect(shown.indexOf(oldest)).toBeLessThan(shown.indexOf('PLAN-00000000'));
  expect(shown).toContain('And 2 more: /plans');
});

test('every group at its fullest fits one view, and what is left out is counted', () => {
  const many = (status: typeof plan.status, from: number) =>
    Array.from({ length: linesOfGroup + 1 }, (_, index) => ({
      ...plan,
      status,
      id: `PLAN-${String(from + index).padStart(8, '0')}`,
    }));
  const mine = many('proposed', 0);
  const full: HomeFacts = {
    plans: [...mine, ...many('proposed', 100), ...many('executing', 200)],
    waiting: new Set(mine.map(({ id }) => id)),
    policy: defaultPolicy,
    said: Array.from({ length: 9 }, (_, index) => ({
      conversation: `C${index}`,
      request: 'x'.repeat(500),
      policy: defaultPolicy,
    })),
  };
  const { blocks } = drawHome(full, now);
  expect(blocks.length).toBeLessThanOrEqual(slackLimits.viewBlocks);
  expect(blocks.length).toBeGreaterThan(3 * linesOfGroup);
  expect(JSON.stringify(blocks).match(/1 more/g)).toHaveLength(3);
});
