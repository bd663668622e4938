// deliver: says that a conversation has something to show on its chat platform. Whoever takes it brings all of it up to date.
import type { DeliveryContext } from '#conversation/delivery/delivery-context.ts';
import { workOnPlace } from '#conversation/delivery/work-on-place.ts';
import type { QueueSpec } from '#store/boss.ts';
import type { Job } from './job.ts';

export const deliverQueue = {
  name: 'deliver',
  policy: 'short',
  retryLimit: 3,
  retryDelay: 1,
  heartbeatSeconds: 30,
  expireInSeconds: 3600,
  // Many are sent, and the places themselves say what was delivered.
  deleteAfterSeconds: 3600,
} as const satisfies QueueSpec;

/** Conversations delivered to at once in one process: a platform that is slow in one keeps none of the others waiting. */
const placesAtOnce = 8;

export function deliverJob(context: DeliveryContext): Job<'deliver'> {
  return {
    queue: deliverQueue,
    concurrency: placesAtOnce,
    eager: true,
    handle: ({ conversation }, signal) => workOnPlace(context, conversation, signal),
  };
}
