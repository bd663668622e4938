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

/** Who fetch slips of a platform in one process: a thread that is slow keeps one of them. */
const fetchersAtOnce = 8;
/** Slips fetched at once: of many small threads, fetching costs more than handling. */
const fetched = 4;
/** Threads of a platform worked on at once in one process; each needs a connection for a moment. */
const threadsAtOnce = 8;

/** `work`, of which at most `most` are under way at once; the others wait, the first come first. */
function limitTo<A extends unknown[]>(
  most: number,
  work: (...args: A) => Promise<void>,
): (...args: A) => Promise<void> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (...args) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      await work(...args);
    } finally {
      // Whoever waits takes the place over.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** A job for each platform that this process serves, and one that hands on what waits in the old queue. */
export function inboxJobs(context: InboxContext): Job<'inbox'>[] {
  const served = Platform.options.filter((platform) => context.handlers[platform] !== undefined);
  if (served.length === 0) return [];
  const jobs = served.map(
    (platform): Job<'inbox'> => ({
      name: 'inbox',
      queue: queueFor(platform),
      concurrency: fetchersAtOnce,
      eager: true,
      fetched,
      handle: limitTo(threadsAtOnce, (thread, signal) => workOnThread(context, thread, signal)),
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
