// step: says that a plan has ready steps. Whoever takes it begins to work on the plan; that this goes on is seen to by leases and
// the round of every worker, not by the job.
import type { QueueSpec } from '#db/boss.ts';
import type { Crew } from '#executor/crew.ts';
import type { Job } from './job.ts';

export const stepQueue = {
  name: 'step',
  policy: 'short',
  retryLimit: 3,
  retryDelay: 1,
  heartbeatSeconds: 10,
  expireInSeconds: 600,
} as const satisfies QueueSpec;

export function stepJob(crew: Crew): Job<'step'> {
  return {
    name: 'step',
    queue: stepQueue,
    concurrency: 1,
    fetched: 50,
    handle: ({ plan_id }) => crew.work(plan_id),
  };
}
