// step: a slip that says a plan has ready steps. Whoever takes it claims them in batches until none is left.
import type { Crew } from '#executor/crew.ts';
import type { QueueSpec } from '#store/boss.ts';
import type { Job } from './job.ts';

/** A slip is held as long as its plan has work; leases, not this limit, tell a lost worker. */
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
    queue: stepQueue,
    concurrency,
    handle: ({ plan_id }) => crew.work(plan_id),
  };
}
