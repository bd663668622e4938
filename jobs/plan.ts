// plan: a short-lived planner for one turn of a run.
import type { QueueSpec } from '#db/boss.ts';
import type { ConversationContext } from '#messages/context.ts';
import { planTurn } from '#runs/plan-turn.ts';
import type { Job } from './job.ts';

export const planQueue = {
  name: 'plan',
  policy: 'short',
  retryLimit: 2,
  retryDelay: 1,
  heartbeatSeconds: 30,
  expireInSeconds: 600,
} as const satisfies QueueSpec;

export function planJob(context: ConversationContext): Job<'plan'> {
  return {
    name: 'plan',
    queue: planQueue,
    concurrency: 4,
    perPerson: 3,
    handle: ({ run_id, turn }, signal) => planTurn(context, run_id, turn, signal),
  };
}
