// Approve in Slack asks once more where something is guarded, and only there.
import { expect, test } from 'vitest';
import { drawBlocks } from '#cards/expand.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { checkSlackMessage } from '../../fixtures/block-kit.ts';
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
