// inbox: says that threads of a chat platform have events to handle. Whoever takes it works on each until none is due.
// Each platform has its own queue, so that a process that serves one of them takes no slip of another.
import { type InboxThread, Platform } from '#contracts/inbox.ts';
import type { InboxContext } from '#conversation/inbox/inbox-context.ts';
import { slipsFor, threadsOf } from '#conversation/inbox/slips.ts';
import { type HeldThread, holdThread, workOnThread } from '#conversation/inbox/work-on-thread.ts';
import type { QueueSpec } from '#store/boss.ts';
import type { GoOn, Job } from './job.ts';

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

/** Slips fetched at once. Three may name three times the threads there are places for: what waits here, no other process takes. */
const fetched = 3;
/** What comes in this time is fetched together. Nobody who writes or presses notices it. */
const restMs = 100;
/**
 * Threads of a platform worked on at once in one process: fewer than it has connections, since each may hold one while it
 * waits for a tool, and leases have to be renewed meanwhile.
 */
export const threadsAtOnce = 12;

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
 * A slip has done its work when its threads are held: if this process dies then, their leases run out, and the round finds
 * them. So one fetcher serves all threads, however slow the events of one are.
 */
function createHandle(context: InboxContext): Job<'inbox'>['handle'] {
  const takeSlot = createSlots(threadsAtOnce);
  const hold = async (thread: InboxThread, signal: AbortSignal, goOn: GoOn) => {
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
  return async (slip, signal, goOn) => {
    const holds = threadsOf(slip).map((thread) => hold(thread, signal, goOn));
    // All of them have come to an end before the slip can be tried again.
    const failed = (await Promise.allSettled(holds)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
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
      // Every fetcher is woken by each slip that is sent.
      concurrency: 1,
      fetched,
      restMs,
      handle: createHandle(context),
    }),
  );
  const handOn: Job<'inbox'> = {
    name: 'inbox',
    queue: oldQueue,
    concurrency: 1,
    handle: (slip) =>
      context.db.transaction((tx) => context.enqueueAll(tx, 'inbox', slipsFor(threadsOf(slip)))),
  };
  return [...jobs, handOn];
}
