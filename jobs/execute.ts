// execute: starts an approved plan.
import type { QueueSpec } from '#db/boss.ts';
import type { Crew } from '#executor/crew.ts';
import { startPlan } from '#executor/start-plan.ts';
import type { Job } from './job.ts';

export const executeQueue = {
  name: 'execute',
  policy: 'short',
  retryLimit: 5,
  retryDelay: 1,
  // Whoever starts a plan and is not heard of for so long is passed by.
  heartbeatSeconds: 10,
  expireInSeconds: 600,
} as const satisfies QueueSpec;

export function executeJob({ context }: Crew): Job<'execute'> {
  return {
    name: 'execute',
    queue: executeQueue,
    concurrency: 2,
    handle: ({ plan_id }) => startPlan(context, plan_id),
  };
}
