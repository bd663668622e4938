// Stores an event before it is acknowledged, then wakes a worker.
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { findWaitingThreads, reopenUnread, storeEvent } from '#db/chat/inbox.ts';
import type { Transaction } from '#db/database.ts';
import { isLockTimeout, isTransient } from '#db/transient.ts';
import { type AuthoredThread, type InboxThread, ReceivedEvent } from '#domain/chat/inbox.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Enqueue } from '#domain/jobs.ts';
import { measure } from '#domain/telemetry.ts';
import type { InboxContext } from './inbox-context.ts';

/** `stored`: false for a duplicate. */
type Receipt = { stored: boolean; id: number };

/** Calls `sent` once its request is under way. Must not throw. */
export type First = (sent: () => void) => Promise<void>;

/** @param first is sent before a worker is woken */
export type Receive = (event: ReceivedEvent, first?: First) => Promise<Receipt>;

/** Longest that `first` delays a wakeup. */
const firstWithinMs = 1000;

function sendFirst(first: First): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, firstWithinMs);
    const sent = () => {
      clearTimeout(timer);
      resolve();
    };
    void first(sent).finally(sent);
  });
}

/** Platforms wait three seconds. */
const defaultMaxWaitMs = 2500;
/** A cut connection is back at once. */
const retryMs = 100;
/** Shares of the time limit. */
const lockShare = 0.4;
const statementShare = 0.75;

function makeRefusal(text: string, cause?: unknown): CountersignError {
  return new CountersignError('database_unavailable', `${text} It can be sent again.`, {
    passesAfterMs: 0,
    cause,
  });
}

const tooLate = () => makeRefusal('The event was not stored in time.');

function settleBefore<T>(end: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate()), end - performance.now());
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Resolves once committed. A retry of an event stored anyway is recognised. @param wake wakes a worker for the thread */
export function createReceiver(
  { db }: Pick<InboxContext, 'db'>,
  wake: (thread: AuthoredThread) => void,
  { maxWaitMs = defaultMaxWaitMs }: { maxWaitMs?: number } = {},
): Receive {
  const limits = {
    lockMs: Math.ceil(maxWaitMs * lockShare),
    statementMs: Math.ceil(maxWaitMs * statementShare),
  };
  const under = new Map<string, Promise<unknown>>();

  function announce(event: ReceivedEvent, first: First | undefined): void {
    if (first === undefined) wake(event);
    else void sendFirst(first).then(() => wake(event));
  }

  async function store(
    event: ReceivedEvent,
    end: number,
    first: First | undefined,
  ): Promise<Receipt> {
    for (let tries = 1; ; tries++) {
      // The queue may have used up its time.
      if (performance.now() >= end) throw tooLate();
      try {
        passCrashPoint('inbox_writing');
        const { id, original } = await storeEvent(db, event, limits);
        passCrashPoint('inbox_stored');
        // Maybe stored earlier without a wakeup.
        if (original === null || tries > 1) announce(event, first);
        return { stored: original === null, id: original ?? id };
      } catch (error) {
        if (isLockTimeout(error))
          throw makeRefusal('Another process is storing this event and does not go on.', error);
        if (!isTransient(error) || performance.now() + retryMs >= end) throw error;
        await pause(retryMs);
      }
    }
  }

  return async (event, first) => {
    const parsed = ReceivedEvent.parse(event);
    const began = performance.now();
    const end = began + maxWaitMs;
    const thread = keyOfThread(parsed);
    const storing = (under.get(thread) ?? Promise.resolve()).then(() => store(parsed, end, first));
    const settled = storing.then(
      () => {},
      () => {},
    );
    under.set(thread, settled);
    void settled.then(() => {
      if (under.get(thread) === settled) under.delete(thread);
    });
    const receipt = await settleBefore(end, storing);
    const { platform, kind } = parsed;
    const what = { 'countersign.platform': platform, 'countersign.event.kind': kind };
    measure('chat_acknowledge', (performance.now() - began) / 1000, what);
    return receipt;
  };
}

/** A digest, since names may exceed the index limit. */
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

/** @param startAfter gets its own key, or it would suppress immediate wakeups */
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

/** In a fixed order, against deadlocks. */
export function wakeupsFor(threads: AuthoredThread[]): Wakeup[] {
  const wakeups = new Map(threads.map((thread) => [keyOfThread(thread), wakeupFor(thread)]));
  return [...wakeups.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Limits how long a suspended process blocks others. */
const limits = { lockMs: 3000, statementMs: 4000, idleMs: 2000 };

/** Under load, wakeups share a transaction. */
const usualGatherMs = 25;

/** The first thread at once, later ones in batches. */
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
          warn('Could not announce new events; workers find them within seconds.', error),
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

const threadsALook = 200;
const looksARound = 5;

const start = { tenant: '', thread: '' };

/** A separate author keeps these from overtaking. */
const inLine = (thread: InboxThread): AuthoredThread => ({ ...thread, author: 'found again' });

/** Each round continues where the last ended. */
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

  /** The waiter is gone: the next handler replies in another way. */
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
