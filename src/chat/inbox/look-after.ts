// The inbox's recovery round: finds threads whose holder died or whose wakeup was lost, and replies nobody read.
import { findWaitingThreads, reopenUnread } from '#db/inbox.ts';
import { type AuthoredThread, type InboxThread, Platform } from '#domain/chat/inbox.ts';
import type { InboxContext } from './inbox-context.ts';
import { wakeupsFor } from './wakeups.ts';

/** Threads looked at in one statement, and statements in one round. */
const threadsAtOnce = 200;
const looksARound = 5;

const start = { tenant: '', thread: '' };

/** Most of what waits has a wakeup that waits as well. So what is found stands in a line of its own and overtakes nobody. */
const inLine = (thread: InboxThread): AuthoredThread => ({ ...thread, author: 'found again' });

/** A function for the watch round. Where a round ends the next one goes on, so that many waiting threads hide none. */
export function createInboxWatch(
  { db, enqueueAll, handlers, rule }: InboxContext,
  limit = threadsAtOnce,
): () => Promise<void> {
  const places = new Map<string, Pick<InboxThread, 'tenant' | 'thread'>>();

  async function lookAfter(platform: InboxThread['platform']): Promise<void> {
    for (let look = 0; look < looksARound; look++) {
      const { waiting, last } = await findWaitingThreads(
        db.query,
        platform,
        places.get(platform) ?? start,
        { lateSeconds: rule.lateSeconds, limit },
      );
      if (waiting.length > 0)
        await db.transaction((tx) => enqueueAll(tx, 'inbox', wakeupsFor(waiting.map(inLine))));
      places.set(platform, last ?? start);
      if (last === null) return;
    }
  }

  /** Somebody hung up, or the process that waited for them died: the next handler of the event finds another way. */
  async function lookAfterReplies(platform: InboxThread['platform']): Promise<void> {
    const { unreadSeconds } = rule;
    await db.transaction(async (tx) => {
      const threads = await reopenUnread(tx, platform, { unreadSeconds, limit });
      if (threads.length > 0) await enqueueAll(tx, 'inbox', wakeupsFor(threads));
    });
  }

  return async () => {
    for (const platform of Platform.options) {
      if (handlers[platform] === undefined) continue;
      await lookAfterReplies(platform);
      await lookAfter(platform);
    }
  };
}
