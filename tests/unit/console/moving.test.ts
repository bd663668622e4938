import { expect, it } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { listMoving, type Seen } from '../../../adapters/console/page/live/moving.ts';
import { makePlan } from '../../fixtures/plans.ts';

function see(plans: Plan[], spoken: string[], open: string | null): Seen {
  const cards = new Map(plans.map((plan) => [plan.id, { facts: { plan } }]));
  const messages = spoken.map((plan_id) => ({ plan_id }));
  return { cards, messages, plan: open === null ? null : { id: open } };
}

it('asks again only for cards that stand in the conversation, whatever was read for decisions about many', () => {
  const plans = ['PLAN-1', 'PLAN-2', 'PLAN-3', 'PLAN-4'].map((id) => makePlan({ id }));
  const over = makePlan({ id: 'PLAN-5', status: 'completed' });
  const seen = see([...plans, over], ['PLAN-2', 'PLAN-3', 'PLAN-5'], 'PLAN-3');
  expect(listMoving(seen)).toEqual(['PLAN-2']);
});
