// inbox: says that a thread of a chat platform has events to handle. Whoever takes it works on the thread until none is due.
import type { InboxThread } from '#contracts/inbox.ts';
import type { InboxContext } from '#conversation/inbox/inbox-context.ts';
import { workOnThread } from '#conversation/inbox/work-on-thread.ts';
import type { QueueSpec } from '#store/boss.ts';
import type { Job } from './job.ts';

export const inboxQueue = {
  name: 'inbox',
  policy: 'short',
  retryLimit: 3,
  retryDelay: 1,
  heartbeatSeconds: 30,
  expireInSeconds: 3600,
  // Many are sent, and the inbox itself says what became of the events.
  deleteAfterSeconds: 3600,
} as const satisfies QueueSpec;

/** Threads worked on at once in one process; each needs a connection for a moment. */
const threadsAtOnce = 8;

const platformNames = { slack: 'Slack', teams: 'Teams' } as const;

/** The job, where this process handles the events of any platform; elsewhere slips are left to those that do. */
export function inboxJobs(context: InboxContext): Job<'inbox'>[] {
  return Object.values(context.handlers).some((handler) => handler !== undefined)
    ? [inboxJob(context)]
    : [];
}

function inboxJob(context: InboxContext): Job<'inbox'> {
  const unserved = new Set<InboxThread['platform']>();
  return {
    queue: inboxQueue,
    concurrency: threadsAtOnce,
    eager: true,
    async handle(thread, signal) {
      const { platform } = thread;
      if (context.handlers[platform] === undefined && !unserved.has(platform)) {
        unserved.add(platform);
        context.warn(
          `Events of ${platformNames[platform]} wait: this worker does not serve it. Start one with its settings.`,
        );
      }
      await workOnThread(context, thread, signal);
    },
  };
}
