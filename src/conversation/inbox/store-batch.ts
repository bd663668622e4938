// Storing a batch of events within a time. What is given up here is rolled back by the server as well: a process that was
// stopped while it stored something may hold its names for long, and only its own events are refused for that.
import { CountersignError } from '#contracts/errors.ts';
import type { ReceivedEvent } from '#contracts/inbox.ts';
import type { Transaction } from '#store/database.ts';
import { type StoredEvent, storeEvents } from '#store/inbox.ts';
import { isTwinMet, type StoreAtOnce } from '#store/store-at-once.ts';
import { isLockTimeout } from '#store/transient.ts';
import { passCrashPoint } from './crash-points.ts';
import type { InboxContext } from './inbox-context.ts';
import { slipsFor } from './slips.ts';

/** Parts of the patience: what a batch waits for another's names, what one event does after that, and any statement. */
const batchLockShare = 0.4;
const singleLockShare = 0.1;
const statementShare = 0.75;
/** A process that says nothing for this long in the middle of storing is stopped or gone. */
const idleMs = 10_000;

export type StoringParts = Pick<InboxContext, 'db' | 'enqueueAll'> & {
  /** One statement on connections that end it in time (`sessionLimits`); without it there are several in a transaction. */
  storeAtOnce?: StoreAtOnce;
};

/** What the server ends by itself on the connections that `storeAtOnce` uses. */
export const sessionLimits = (patienceMs: number) => ({
  lockMs: patienceMs * batchLockShare,
  statementMs: patienceMs * statementShare,
});

/** Why an event was refused that may simply be sent again. */
export function makeRefusal(text: string, cause?: unknown): CountersignError {
  return new CountersignError('database_unavailable', `${text} It can be sent again.`, {
    passesAfterMs: 0,
    cause,
  });
}

const tooLate = () => makeRefusal('The event was not stored in time.');

async function writeEvents(
  tx: Transaction,
  events: ReceivedEvent[],
  enqueueAll: InboxContext['enqueueAll'],
): Promise<StoredEvent[]> {
  const answers = await storeEvents(tx, events);
  const fresh = events.filter((_, i) => answers[i]?.original === null);
  if (fresh.length > 0) await enqueueAll(tx, 'inbox', slipsFor(fresh));
  passCrashPoint('writing');
  return answers;
}

/** What `work` comes to, unless `ms` are over before. */
function settleWithin<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate()), ms);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Stores `events` together; when a name of theirs is held by another who does not go on, one by one, so that the rest is
 * stored all the same.
 * @param patienceMs what all of it may take
 * @returns for each what became of it, in their order
 */
export async function storeBatch(
  { db, enqueueAll, storeAtOnce }: StoringParts,
  events: ReceivedEvent[],
  patienceMs: number,
): Promise<PromiseSettledResult<StoredEvent>[]> {
  const end = performance.now() + patienceMs;

  async function write(some: ReceivedEvent[], lockShare: number): Promise<StoredEvent[]> {
    const left = end - performance.now();
    if (left <= 0) throw tooLate();
    const work = (tx: Transaction) => {
      // It may have waited for a connection until nobody waited for it.
      if (performance.now() >= end) throw tooLate();
      return writeEvents(tx, some, enqueueAll);
    };
    const limits = {
      lockMs: patienceMs * lockShare,
      statementMs: Math.min(left, patienceMs * statementShare),
      idleMs,
    };
    const answers = await settleWithin(left, db.transaction(work, { limits }));
    passCrashPoint('stored');
    return answers;
  }

  /** All of it in one statement, if that can be: another process may be storing one of these events at this moment. */
  async function writeAtOnce(some: ReceivedEvent[], store: StoreAtOnce): Promise<StoredEvent[]> {
    passCrashPoint('writing');
    try {
      const answers = await settleWithin(end - performance.now(), store(some));
      passCrashPoint('stored');
      return answers;
    } catch (error) {
      if (isTwinMet(error)) return write(some, batchLockShare);
      throw error;
    }
  }

  async function settle(
    some: ReceivedEvent[],
    lockShare: number,
    atOnce?: StoreAtOnce,
  ): Promise<PromiseSettledResult<StoredEvent>[]> {
    try {
      const answers = await (atOnce === undefined
        ? write(some, lockShare)
        : writeAtOnce(some, atOnce));
      return some.map((_, i) => {
        const value = answers[i];
        return value === undefined
          ? { status: 'rejected', reason: new Error('storeBatch: an event has no answer') }
          : { status: 'fulfilled', value };
      });
    } catch (error) {
      const stuck = isLockTimeout(error);
      if (stuck && some.length > 1) return settleEach(some);
      const reason = stuck
        ? makeRefusal('Another process is storing this event and does not go on.', error)
        : error;
      return some.map(() => ({ status: 'rejected', reason }));
    }
  }

  /** One after the other, so that their numbers stay in the order in which they came. */
  async function settleEach(some: ReceivedEvent[]): Promise<PromiseSettledResult<StoredEvent>[]> {
    const results: PromiseSettledResult<StoredEvent>[] = [];
    for (const event of some) results.push(...(await settle([event], singleLockShare)));
    return results;
  }

  // The statement is that of a platform, whose names are its own. Almost always one platform asks at a moment.
  const [first] = events;
  const together = events.every(({ platform }) => platform === first?.platform);
  return settle(events, batchLockShare, together ? storeAtOnce : undefined);
}
