// card: announces what changed about a plan and redraws its cards. It reads the latest state, so one job replaces many.
import { followHomes } from '#chat/homes/follow-plans.ts';
import { followPlan } from '#chat/outbox/follow-plan.ts';
import type { QueueSpec } from '#db/boss.ts';
import type { ConversationContext } from '#messages/context.ts';
import { announce } from '#notices/announce.ts';
import type { Job } from './job.ts';

export const cardQueue = {
  name: 'card',
  policy: 'short',
  retryLimit: 5,
  retryDelay: 1,
  expireInSeconds: 60,
} as const satisfies QueueSpec;

export function cardJob(context: ConversationContext): Job<'card'> {
  return {
    name: 'card',
    queue: cardQueue,
    concurrency: 2,
    async handle({ plan_id, later }) {
      await announce(context, plan_id, later);
      await followPlan(context, plan_id, later);
      await followHomes(context);
    },
  };
}
