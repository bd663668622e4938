// inbox: says that a thread of a chat platform has events to handle. Whoever takes it works on the thread until none is due.
// Each platform has its own queue, so that a process that serves one of them takes no slip of another.
import { Platform } from '#contracts/inbox.ts';
import type { InboxContext } from '#conversation/inbox/inbox-context.ts';
import { sendSlip } from '#conversation/inbox/slips.ts';
import { workOnThread } from '#conversation/inbox/work-on-thread.ts';
import type { QueueSpec } from '#store/boss.ts';
import type { Job } from './job.ts';

const options = {
  policy: 'short',
  retryLimit: 3,
  retryDelay: 1,
  heartbeatSeconds: 30,
  expireInSeconds: 3600,
  // Many are sent, and the inbox itself says what became of the events.
  deleteAfterSeconds: 3600,
} as const;

const queueFor = (platform: Platform): QueueSpec => ({ ...options, name: `inbox-${platform}` });
/** Where slips of all platforms waited in versions before. */
const oldQueue: QueueSpec = { ...options, name: 'inbox' };

export const inboxQueues: QueueSpec[] = [...Platform.options.map(queueFor), oldQueue];

/** Threads of a platform worked on at once in one process; each needs a connection for a moment. */
const threadsAtOnce = 8;

/** A job for each platform that this process serves, and one that hands on what waits in the old queue. */
export function inboxJobs(context: InboxContext): Job<'inbox'>[] {
  const served = Platform.options.filter((platform) => context.handlers[platform] !== undefined);
  if (served.length === 0) return [];
  const jobs = served.map(
    (platform): Job<'inbox'> => ({
      name: 'inbox',
      queue: queueFor(platform),
      concurrency: threadsAtOnce,
      eager: true,
      handle: (thread, signal) => workOnThread(context, thread, signal),
    }),
  );
  const handOn: Job<'inbox'> = {
    name: 'inbox',
    queue: oldQueue,
    concurrency: 1,
    eager: true,
    handle: (thread) => context.db.transaction((tx) => sendSlip(context, tx, thread)),
  };
  return [...jobs, handOn];
}
