// Handles a wakeup: holds its thread, then works on that until no event of it is due. A wakeup has done its work when the
// thread is held: if this process dies then, the lease runs out and the recovery round finds the thread. So one fetcher
// serves all threads, however slow the events of one are.
import type { InboxThread } from '#domain/chat/inbox.ts';
import type { GoOn } from '#domain/jobs.ts';
import type { InboxContext } from './inbox-context.ts';
import { type HeldThread, holdThread, workOnThread } from './work-on-thread.ts';

/**
 * Threads of a platform worked on at once in one process: fewer than it has connections, since each may hold one while it
 * waits for a tool, and leases have to be renewed meanwhile.
 */
export const threadsAtOnce = 6;

/** Hands out `most` slots, first come, first served. @returns takes one, and answers how to give it back */
function createSlots(most: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = most;
  const giveBack = () => {
    // The next in line takes the slot over.
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

export function createWakeupHandler(context: InboxContext) {
  const takeSlot = createSlots(threadsAtOnce);
  return async (thread: InboxThread, signal: AbortSignal, goOn: GoOn): Promise<void> => {
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
