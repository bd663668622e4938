import { expect, test } from 'vitest';
import { fillDetails } from '#adapters/slack/press/fill-window.ts';
import { drawBlocks } from '#cards/expand.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { checkSlackMessage, checkSlackView } from '../../fixtures/block-kit.ts';
import { makeHugeFacts, samples } from '../../fixtures/plans.ts';

function withGuarded(facts: PlanCardFacts, guarded: boolean): PlanCardFacts {
  const { plan, review } = facts;
  const calls = review.calls.map((one) => ({ ...one, step: { ...one.step, guarded } }));
  return {
    ...facts,
    plan: { ...plan, guarded_operations: guarded ? plan.tools_required : [] },
    review: { ...review, calls },
  };
}

type Button = { action_id?: string; confirm?: Record<string, { text: string }> };

const buttonOf = (facts: PlanCardFacts, action: string): Button | undefined =>
  drawBlocks(viewPlan(facts))
    .blocks.flatMap(({ elements }) => (Array.isArray(elements) ? (elements as Button[]) : []))
    .find(({ action_id }) => action_id === `countersign:${action}`);

test('a plan with guarded calls names them before it is approved', () => {
  const facts = withGuarded(samples.proposed, true);
  const confirm = buttonOf(facts, 'approve')?.confirm;
  expect(confirm?.title?.text).toBe('Approve?');
  expect(confirm?.text?.text).toMatch(/^🛡 Guarded: /);
  expect(confirm?.confirm?.text).toBe('Approve and run');
  expect(checkSlackMessage(drawBlocks(viewPlan(facts)))).toEqual([]);
});

test('a plan without any is approved at once', () => {
  expect(buttonOf(withGuarded(samples.proposed, false), 'approve')?.confirm).toBeUndefined();
});

test('Review asks nothing in a chat, and brings the question to where the plan is approved', () => {
  const facts = withGuarded(makeHugeFacts(), true);
  const review = viewPlan(facts).buttons.find(({ style }) => style === 'primary');
  expect(review?.press.action).toBe('details');
  expect(review?.guard?.text).toContain('Guarded: ');
  expect(buttonOf(facts, 'details')?.confirm).toBeUndefined();
  expect(checkSlackMessage(drawBlocks(viewPlan(facts)))).toEqual([]);
});

test.each([true, false])('a window that approves warns of guarded calls: %s', async (guarded) => {
  const facts = withGuarded(samples.proposed, guarded);
  const { id: plan_id, version, digest } = facts.plan;
  const press = { action: 'details', plan_id, version, digest } as const;
  const place = { channel: 'C1', thread: null };
  const held = { team: 'T1', user: 'U1', place, press, missing: null, fields: [], pages: [''] };
  const service = { listSteps: async () => ({ steps: [], next_cursor: null }) };
  const window = await fillDetails(service, facts, held, false);
  expect(checkSlackView(window)).toEqual([]);
  const [first] = window.blocks;
  expect(first?.type === 'alert').toBe(guarded);
  if (guarded) expect(JSON.stringify(first)).toContain('Guarded: ');
});
