// inbox: a thread of a chat platform has events to handle. The handler works on that thread until none is due.
// One queue per platform, so that a process never takes a job for a platform it does not serve.
import type { InboxContext } from '#chat/inbox/inbox-context.ts';
import { type HeldThread, holdThread, workOnThread } from '#chat/inbox/work-on-thread.ts';
import type { QueueSpec } from '#db/boss.ts';
import { type InboxThread, Platform } from '#domain/chat/inbox.ts';
import type { Job } from './job.ts';

const queueFor = (platform: Platform): QueueSpec => ({
  policy: 'short',
  retryLimit: 3,
  retryDelay: 1,
  heartbeatSeconds: 30,
  expireInSeconds: 3600,
  // Many are sent, and the inbox itself says what became of the events.
  deleteAfterSeconds: 3600,
  name: `inbox-${platform}`,
});

export const inboxQueues: QueueSpec[] = Platform.options.map(queueFor);

/** Wakeups fetched at once: what waits here for a slot, no other process takes. */
const fetched = 12;
/** What comes in this time is fetched together. Nobody who writes or presses notices it. */
const restMs = 100;
/**
 * Threads of a platform worked on at once in one process: fewer than it has connections, since each may hold one while it
 * waits for a tool, and leases have to be renewed meanwhile.
 */
export const threadsAtOnce = 6;

/** Hands out `most` slots, to who asked first. @returns takes one, and answers how to give it back */
function createSlots(most: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = most;
  const giveBack = () => {
    // Whoever waits takes the slot over.
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async () => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    return giveBack;
  };
}

/**
 * A wakeup has done its work when its thread is held: if this process dies then, its lease runs out, and the round finds it. So
 * one fetcher serves all threads, however slow the events of one are.
 */
function createHandle(context: InboxContext): Job<'inbox'>['handle'] {
  const takeSlot = createSlots(threadsAtOnce);
  return async (thread: InboxThread, signal, goOn) => {
    const giveBack = await takeSlot();
    let held: HeldThread | null = null;
    try {
      signal.throwIfAborted();
      held = await holdThread(context, thread);
    } finally {
      if (held === null) giveBack();
    }
    if (held === null) return;
    const mine = held;
    goOn(async (stopping) => {
      try {
        await workOnThread(context, mine, stopping);
      } catch (error) {
        if (!stopping.aborted)
          context.warn(
            'The work on a thread was cut short; it goes on when its lease is over.',
            error,
          );
      } finally {
        giveBack();
      }
    });
  };
}

/** A job for each platform that this process serves. */
export function inboxJobs(context: InboxContext): Job<'inbox'>[] {
  return Platform.options
    .filter((platform) => context.handlers[platform] !== undefined)
    .map((platform) => ({
      name: 'inbox',
      queue: queueFor(platform),
      // Every fetcher is woken by each wakeup that is sent.
      concurrency: 1,
      fetched,
      restMs,
      handle: createHandle(context),
    }));
}
