// The Home tab is published anew for what people look there for, not for each step of a plan that runs.
import { expect, test } from 'vitest';
import { digestHome, drawHome, type HomeFacts } from '#adapters/slack/lists/home-view.ts';
import { defaultPolicy } from '#contracts/policy.ts';
import { now, samples } from '#tests/fixtures/plans.ts';

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
  expect(drawHome(after, 'Ana', now)).toEqual(drawHome(before, 'Ana', now));
});

test.each([
  ['its end', homeOf({ status: 'completed' })],
  ['that it stalls', homeOf({ status: 'stalled' })],
  ['its name', homeOf({ title: 'Another' })],
  ['that it waits for the reader', { ...before, waiting: new Set([plan.id]) }],
])('of a plan that runs it shows %s', (_, after) => {
  expect(digestHome(after)).not.toBe(digestHome(before));
});
