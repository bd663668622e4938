// step: a plan has ready steps. The handler starts working on the plan; leases and each worker's recovery round keep it going, not
// the job.
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
