// Stores an incoming event before it is acknowledged: event and names commit in one round trip, and the wakeup follows. Events of
// a thread keep their order; a locked name blocks only its own event.
import { setTimeout as pause } from 'node:timers/promises';
import { storeEvent } from '#db/chat/inbox.ts';
import { isLockTimeout, isTransient } from '#db/transient.ts';
import { type AuthoredThread, ReceivedEvent } from '#domain/chat/inbox.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { CountersignError } from '#domain/errors.ts';
import { measure } from '#domain/telemetry.ts';
import type { InboxContext } from './inbox-context.ts';
import { keyOfThread } from './wakeups.ts';

/** `stored` is false for a duplicate. */
export type Receipt = { stored: boolean; id: number };

export type Receive = (event: ReceivedEvent) => Promise<Receipt>;

/** Milliseconds from arrival to response; platforms wait three seconds. */
const defaultMaxWaitMs = 2500;
/** Milliseconds between attempts: a cut connection is back at once. */
const retryMs = 100;
/** Shares of the time limit: waiting for locked names, and any statement. */
const lockShare = 0.4;
const statementShare = 0.75;

/** Refuses an event that can simply be sent again. */
function makeRefusal(text: string, cause?: unknown): CountersignError {
  return new CountersignError('database_unavailable', `${text} It can be sent again.`, {
    passesAfterMs: 0,
    cause,
  });
}

const tooLate = () => makeRefusal('The event was not stored in time.');

/** The result of `work`, unless `end` (of `performance.now()`) comes first. */
function settleBefore<T>(end: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate()), end - performance.now());
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Stores an event and resolves once it is committed; only then may it be acknowledged. Rejects if the database is unavailable or
 * slow; if it was stored anyway, the platform's retry is recognised.
 * @param wake wakes a worker for the thread of a stored event
 * @param maxWaitMs time limit before the event is refused
 */
export function createReceiver(
  { db }: Pick<InboxContext, 'db'>,
  wake: (thread: AuthoredThread) => void,
  { maxWaitMs = defaultMaxWaitMs }: { maxWaitMs?: number } = {},
): Receive {
  const limits = {
    lockMs: Math.ceil(maxWaitMs * lockShare),
    statementMs: Math.ceil(maxWaitMs * statementShare),
  };
  /** The last event in progress of each thread. */
  const under = new Map<string, Promise<unknown>>();

  async function store(event: ReceivedEvent, end: number): Promise<Receipt> {
    for (let tries = 1; ; tries++) {
      // Queueing behind its thread may have used up its time.
      if (performance.now() >= end) throw tooLate();
      try {
        passCrashPoint('inbox_writing');
        const { id, original } = await storeEvent(db, event, limits);
        passCrashPoint('inbox_stored');
        // An earlier attempt with a lost response may have stored it without a wakeup.
        if (original === null || tries > 1) wake(event);
        return { stored: original === null, id: original ?? id };
      } catch (error) {
        if (isLockTimeout(error))
          throw makeRefusal('Another process is storing this event and does not go on.', error);
        if (!isTransient(error) || performance.now() + retryMs >= end) throw error;
        await pause(retryMs);
      }
    }
  }

  return async (event) => {
    const parsed = ReceivedEvent.parse(event);
    const began = performance.now();
    const end = began + maxWaitMs;
    const thread = keyOfThread(parsed);
    const storing = (under.get(thread) ?? Promise.resolve()).then(() => store(parsed, end));
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
