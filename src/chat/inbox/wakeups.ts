// Jobs that wake a worker for a thread, and the recovery round: threads with a dead holder or lost wakeup, and unread replies.
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { findWaitingThreads, reopenUnread } from '#db/chat/inbox.ts';
import type { Transaction } from '#db/database.ts';
import type { AuthoredThread, InboxThread } from '#domain/chat/inbox.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { InboxContext } from './inbox-context.ts';

/** Allows at most one immediate wakeup per thread. A digest, since names may exceed the index limit. */
export function keyOfThread({ platform, tenant, thread }: InboxThread): string {
  return hash('sha256', JSON.stringify([platform, tenant, thread]), 'hex');
}

type Wakeup = { payload: InboxThread; key: string; person?: string };

/** IDs are unique only within a workspace. */
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
 * Sends a thread's wakeup.
 * @param startAfter default: now. A delayed wakeup has its own key, or it would suppress immediate ones
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

/** One wakeup per thread, in a fixed order: concurrent senders of the same ones wait for each other. */
export function wakeupsFor(threads: AuthoredThread[]): Wakeup[] {
  const wakeups = new Map(threads.map((thread) => [keyOfThread(thread), wakeupFor(thread)]));
  return [...wakeups.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * Milliseconds. Concurrent senders wait for each other, but a suspended process only blocks them until the server ends its
 * session.
 */
const limits = { lockMs: 3000, statementMs: 4000, idleMs: 2000 };

/** Milliseconds between batches; under load, wakeups share a transaction. */
const usualGatherMs = 25;

/** Wakes workers: the first thread at once, later ones in batches. */
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

/** Threads per statement, and statements per round. */
const threadsALook = 200;
const looksARound = 5;

const start = { tenant: '', thread: '' };

/** Most have a wakeup already. A separate author keeps these from overtaking anyone. */
const inLine = (thread: InboxThread): AuthoredThread => ({ ...thread, author: 'found again' });

/** For the recovery round. Each round continues where the last ended, so that all threads are reached. */
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

  /** The waiter hung up or died: the next handler replies in another way. */
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
