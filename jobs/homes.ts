// homes: some Home tabs of a chat platform need redrawing. The payload names none: the handler draws whichever are due.
import type { HomesContext } from '#chat/homes/homes-context.ts';
import { workOnHomes } from '#chat/homes/work-on-homes.ts';
import type { QueueSpec } from '#db/boss.ts';
import { Platform } from '#domain/chat/inbox.ts';
import type { Job } from './job.ts';

const queueFor = (platform: Platform): QueueSpec => ({
  name: `homes-${platform}`,
  policy: 'short',
  retryLimit: 3,
  retryDelay: 1,
  expireInSeconds: 600,
  deleteAfterSeconds: 3600,
});

export const homesQueues: QueueSpec[] = Platform.options.map(queueFor);

/** A job for each platform whose Homes this process draws. */
export function homesJobs(context: HomesContext): Job<'homes'>[] {
  return Platform.options
    .filter((platform) => context.homes[platform] !== undefined)
    .map((platform) => ({
      name: 'homes',
      queue: queueFor(platform),
      concurrency: 1,
      handle: (payload, signal) => workOnHomes(context, payload.platform, signal),
    }));
}
