// deliver: a conversation has something to show on its chat platform. The handler posts everything that is outstanding there.
// One queue per platform, so that a process never takes a job for a platform it cannot write to.
import type { DeliveryContext } from '#chat/outbox/delivery-context.ts';
import { workOnPlace } from '#chat/outbox/work-on-place.ts';
import type { QueueSpec } from '#db/boss.ts';
import { Platform } from '#domain/chat/inbox.ts';
import type { Job } from './job.ts';

const options = {
  policy: 'short',
  retryLimit: 3,
  retryDelay: 1,
  heartbeatSeconds: 30,
  expireInSeconds: 3600,
  // Many are sent, and the places themselves say what was delivered.
  deleteAfterSeconds: 3600,
} as const;

const queueFor = (platform: Platform): QueueSpec => ({ ...options, name: `deliver-${platform}` });

export const deliverQueues: QueueSpec[] = Platform.options.map(queueFor);

/** Conversations delivered to at once in one process: a platform that is slow in one keeps none of the others waiting. */
const placesAtOnce = 8;

/** A job for each platform that this process can write to. */
export function deliverJobs(context: DeliveryContext): Job<'deliver'>[] {
  return Platform.options
    .filter((platform) => context.ports[platform] !== undefined)
    .map((platform) => ({
      name: 'deliver',
      queue: queueFor(platform),
      concurrency: placesAtOnce,
      handle: ({ conversation }, signal) => workOnPlace(context, conversation, signal),
    }));
}
