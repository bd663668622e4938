import { expect, test } from 'vitest';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { samples } from '../../fixtures/plans.ts';

const { changing } = samples;

test('a change that waits is told with what it does and why it asks again', () => {
  const text = drawText(viewPlan(changing));
  expect(text).toContain('Proposed change · version 2 · digest c0ffee00');
  expect(text).toContain(
    'planner wants to change this plan (adds 1 step, removes 1 step)\n  Reason: “old.md is in the way”',
  );
  expect(text).toContain('+ Permanently deletes old.md · step 3');
  expect(text).toContain('− Moves notes/standup.md to archive/standup.md · step 2');
  expect(text).toContain(
    'Adds step 3: workspace_delete of old.md, which the approved plan does not use.',
  );
});

test('its buttons carry its own version and digest, and those of the plan the plan’s', () => {
  const { asks, buttons, digest, version } = viewPlan(changing);
  const { patch } = changing;
  expect(asks[0]?.buttons.map(({ press }) => press)).toEqual([
    { action: 'approve', plan_id: 'PLAN-3f9a1c20', version: 2, digest: patch?.digest },
    { action: 'reject', plan_id: 'PLAN-3f9a1c20', version: 2, digest: patch?.digest },
  ]);
  expect(new Set(buttons.map(({ press }) => `${press.version} ${press.digest}`))).toEqual(
    new Set([`${version} ${digest}`]),
  );
});

test('how far several approvals are is said, and every change is told', () => {
  const { patch } = changing;
  if (patch === null) throw new Error('the sample has a change');
  const shown = Array.from({ length: 9 }, (_, i) => ({
    kind: 'other' as const,
    text: `Runs step ${i} again.`,
    call: null,
    reason: '',
  }));
  const facts = {
    ...changing,
    patch: { ...patch, shown, approved: ['Ben'], approvals_needed: 2, may_approve: false },
  };
  const [ask] = viewPlan(facts).asks;
  expect(ask?.known).toContain('1 of 2 approved (Ben)');
  expect(ask?.known.slice(0, 9)).toEqual(shown.map(({ text }) => text));
});

test('a change of more operations than can be shown is not approved from its card', () => {
  const { patch } = changing;
  if (patch === null) throw new Error('the sample has a change');
  const [ask] = viewPlan({ ...changing, patch: { ...patch, changes_hidden: 200 } }).asks;
  expect(ask?.known).toContain("… and 200 more changes that don't fit here");
  expect(ask?.buttons.map(({ label }) => label)).toEqual(['Reject the change']);
});
