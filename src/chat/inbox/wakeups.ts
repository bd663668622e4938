// Jobs that wake a worker for a thread with open events, and the recovery round, which finds threads whose holder died or whose
// wakeup was lost, and replies nobody read.
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { findWaitingThreads, reopenUnread } from '#db/chat/inbox.ts';
import type { Transaction } from '#db/database.ts';
import type { AuthoredThread, InboxThread } from '#domain/chat/inbox.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { InboxContext } from './inbox-context.ts';

/**
 * Of the wakeups of one thread that may be taken now at most one waits. A digest, since names together may be longer than an
 * index holds.
 */
export function keyOfThread({ platform, tenant, thread }: InboxThread): string {
  return hash('sha256', JSON.stringify([platform, tenant, thread]), 'hex');
}

type Wakeup = { payload: InboxThread; key: string; person?: string };

/** Platforms call people of several workspaces by the same id. */
const personOf = ({ tenant, author }: AuthoredThread): { person?: string } =>
  author === undefined ? {} : { person: hash('sha256', JSON.stringify([tenant, author])) };

function wakeupFor(thread: AuthoredThread): Wakeup {
  const { platform, tenant, thread: name } = thread;
  return {
    payload: { platform, tenant, thread: name },
    key: keyOfThread(thread),
    ...personOf(thread),
  };
}

/**
 * Sends the wakeup of one thread.
 * @param startAfter not before; now when left out. A later wakeup has a key of its own: those that are sent meanwhile would
 *   otherwise be dropped for it, and it may be an hour away
 */
export async function sendWakeup(
  { enqueue }: { enqueue: Enqueue<Transaction> },
  tx: Transaction,
  thread: AuthoredThread,
  startAfter?: Date,
): Promise<void> {
  const { payload, key, ...turn } = wakeupFor(thread);
  const options =
    startAfter === undefined
      ? { key, ...turn }
      : { key: `${key}@${startAfter.toISOString()}`, startAfter };
  await enqueue(tx, 'inbox', payload, options);
}

/** A wakeup for each thread, in one order everywhere: concurrent senders of the same wakeup wait for each other. */
export function wakeupsFor(threads: AuthoredThread[]): Wakeup[] {
  const wakeups = new Map(threads.map((thread) => [keyOfThread(thread), wakeupFor(thread)]));
  return [...wakeups.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * Milliseconds. Who sends the same wakeup at one moment waits for each other; a process that is stopped in the middle is not
 * waited for longer than it takes the server to end it.
 */
const limits = { lockMs: 3000, statementMs: 4000, idleMs: 2000 };

/** Milliseconds from one sending to the next: under load, what comes in between shares a transaction. */
const usualGatherMs = 25;

/** Wakes workers for threads: the first at once, those that come while it is sent or soon after together. */
export function createWaker(
  { db, enqueueAll, warn }: Pick<InboxContext, 'db' | 'enqueueAll' | 'warn'>,
  gatherMs = usualGatherMs,
): {
  wake(thread: AuthoredThread): void;
  close(): Promise<void>;
} {
  const waiting: AuthoredThread[] = [];
  let sending: Promise<void> | null = null;

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const threads = waiting.splice(0);
      await db
        .transaction((tx) => enqueueAll(tx, 'inbox', wakeupsFor(threads)), { lazily: true, limits })
        .catch((error: unknown) =>
          warn('Nobody could be told of new events; they are found within seconds.', error),
        );
      await pause(gatherMs);
    }
    sending = null;
  }

  return {
    wake(thread) {
      waiting.push(thread);
      sending ??= send();
    },
    async close() {
      await sending;
    },
  };
}

/** Threads looked at in one statement, and statements in one round. */
const threadsALook = 200;
const looksARound = 5;

const start = { tenant: '', thread: '' };

/** Most of what waits has a wakeup that waits as well. So what is found stands in a line of its own and overtakes nobody. */
const inLine = (thread: InboxThread): AuthoredThread => ({ ...thread, author: 'found again' });

/** A function for the recovery round. Where a round ends the next one goes on, so that many waiting threads hide none. */
export function createInboxRound(
  { db, enqueueAll, handlers, rule }: InboxContext,
  limit = threadsALook,
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
    for (const platform of Object.keys(handlers)) {
      await lookAfterReplies(platform);
      await lookAfter(platform);
    }
  };
}
