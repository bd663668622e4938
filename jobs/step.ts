// step: says that a plan has ready steps. Whoever takes it works on the plan until none is left that it can run.
import type { Crew } from '#executor/crew.ts';
import type { QueueSpec } from '#store/boss.ts';
import type { Job } from './job.ts';

/** A job is held as long as its plan has work; leases, not this limit, tell a lost worker. */
const longestSeconds = 24 * 3600 - 1;

export const stepQueue = {
  name: 'step',
  policy: 'short',
  retryLimit: 3,
  retryDelay: 1,
  heartbeatSeconds: 30,
  expireInSeconds: longestSeconds,
} as const satisfies QueueSpec;

export function stepJob(crew: Crew, concurrency: number): Job<'step'> {
  return {
    name: 'step',
    queue: stepQueue,
    concurrency,
    handle: ({ plan_id }) => crew.work(plan_id),
  };
}
