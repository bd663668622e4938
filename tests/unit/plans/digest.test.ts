// People have countersigned these digests: they must never change.
import { expect, test } from 'vitest';
import type { Series } from '#domain/plan/plan.ts';
import { contentOfDraft } from '#domain/plan/step-content.ts';
import { digestPlan, type PlanHeader, termsOf } from '#plans/content/digests.ts';

const header: PlanHeader = {
  id: 'PLAN-0a1b2c3d',
  version: 2,
  title: 'Standup',
  summary: null,
  context: { tool_outputs: {}, notes: 'As said.', artifacts: [] },
  risks: [{ text: 'It rains' }],
  approver_policy: { kind: 'requester' },
  executor_model: null,
  tools_required: ['control_noop'],
};
const step = contentOfDraft({
  id: '1',
  description: 'Do nothing',
  tool: 'control',
  operation: 'noop',
});
const series: Series = {
  id: 'daily',
  title: 'Daily',
  rrule: 'FREQ=DAILY',
  starts_at: '2026-05-04T07:30:00.000Z',
  timezone: 'Europe/Berlin',
  until: null,
  steps: [{ id: 'look', description: 'Look', tool: 'control', operation: 'noop' }],
};

test('the digest of a plan that agrees nothing besides its steps is what it always was', async () => {
  expect(await digestPlan({ ...header, ...termsOf(false, []) }, [step])).toBe(
    '01fabb01dab7a87aa4c610268a6b40ac7f38b883c0e021555baa6da3dc0ac3bd',
  );
});

test('whether each step asks, each part of a series and the pattern are bound', async () => {
  const variants: PlanHeader[] = [
    header,
    { ...header, ...termsOf(true, []) },
    { ...header, ...termsOf(false, [series]) },
    { ...header, ...termsOf(true, [series]) },
    { ...header, ...termsOf(false, [{ ...series, rrule: 'FREQ=WEEKLY' }]) },
    { ...header, ...termsOf(false, [{ ...series, until: '2026-06-01T00:00:00.000Z' }]) },
    { ...header, ...termsOf(false, [{ ...series, timezone: 'UTC' }]) },
    {
      ...header,
      context: {
        ...header.context,
        pattern: { pattern_type: 'recurring_cycle', introduced_by: 'system' },
      },
    },
  ];
  const digests = await Promise.all(variants.map((variant) => digestPlan(variant, [step])));
  expect(new Set(digests).size).toBe(variants.length);
});
