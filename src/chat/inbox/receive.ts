// Stores an incoming event before it is acknowledged: the event and its names commit in one round trip, the wakeup follows without
// waiting. Events of a thread are stored in the order received; a name held by another transaction blocks only its own event.
import { setTimeout as pause } from 'node:timers/promises';
import { storeEvent } from '#db/chat/inbox.ts';
import { isLockTimeout, isTransient } from '#db/transient.ts';
import { type AuthoredThread, ReceivedEvent } from '#domain/chat/inbox.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { CountersignError } from '#domain/errors.ts';
import { measure } from '#domain/telemetry.ts';
import type { InboxContext } from './inbox-context.ts';
import { keyOfThread } from './wakeups.ts';

/** `stored` false: the event with this id was stored before and is the same. */
export type Receipt = { stored: boolean; id: number };

export type Receive = (event: ReceivedEvent) => Promise<Receipt>;

/** Milliseconds from arrival to the answer; platforms wait for three seconds. */
const usualPatienceMs = 2500;
/** Milliseconds between two tries within the patience: a connection that was cut is there again at once. */
const retryMs = 100;
/** Parts of the patience: what an event waits for another's names, and any statement. */
const lockShare = 0.4;
const statementShare = 0.75;

/** Why an event was refused that may simply be sent again. */
function makeRefusal(text: string, cause?: unknown): CountersignError {
  return new CountersignError('database_unavailable', `${text} It can be sent again.`, {
    passesAfterMs: 0,
    cause,
  });
}

const tooLate = () => makeRefusal('The event was not stored in time.');

/** What `work` comes to, unless `end`, a moment of `performance.now()`, comes before. */
function settleBefore<T>(end: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate()), end - performance.now());
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * A function that stores an event and resolves when it is committed: then, and not before, it may be acknowledged. It rejects
 * when the database stays away or slow. The event may have been stored all the same; the platform sends it again, and it is the
 * same event then.
 * @param wake has a worker woken for the thread of an event that was stored
 * @param patienceMs what an event may take before it is refused
 */
export function createReceiver(
  { db }: Pick<InboxContext, 'db'>,
  wake: (thread: AuthoredThread) => void,
  { patienceMs = usualPatienceMs }: { patienceMs?: number } = {},
): Receive {
  const limits = {
    lockMs: Math.ceil(patienceMs * lockShare),
    statementMs: Math.ceil(patienceMs * statementShare),
  };
  /** The event of each thread that was received last and is under way, and what it waits for. */
  const under = new Map<string, Promise<unknown>>();

  async function store(event: ReceivedEvent, end: number): Promise<Receipt> {
    for (let tries = 1; ; tries++) {
      // It may have waited behind its thread until nobody waited for it.
      if (performance.now() >= end) throw tooLate();
      try {
        passCrashPoint('inbox_writing');
        const { id, original } = await storeEvent(db, event, limits);
        passCrashPoint('inbox_stored');
        // A try before whose answer was lost may have stored it without waking anybody.
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
    const end = began + patienceMs;
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
