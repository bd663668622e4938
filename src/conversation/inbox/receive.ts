// Storing what a platform sends before it is acknowledged. What comes while a statement is under way shares the next.
import { CountersignError } from '#contracts/errors.ts';
import { ReceivedEvent } from '#contracts/inbox.ts';
import type { Transaction } from '#store/database.ts';
import { type StoredEvent, storeEvents } from '#store/inbox.ts';
import { chooseBatch } from './choose-batch.ts';
import { passCrashPoint } from './crash-points.ts';
import type { InboxContext } from './inbox-context.ts';
import { slipsFor } from './slips.ts';

/** `stored` false: the event with this id was stored before and is the same. */
export type Receipt = { stored: boolean; id: number };

export type Receive = (event: ReceivedEvent) => Promise<Receipt>;

/** Events in one statement. */
const eventsAtOnce = 200;
/** An event waits for at most two statements, and platforms for three seconds. */
const usualPatienceMs = 1300;

type Waiting = {
  event: ReceivedEvent;
  resolve: (receipt: Receipt) => void;
  reject: (error: unknown) => void;
};

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
    const timer = setTimeout(() => {
      const text = 'The event was not stored in time. It can be sent again.';
      reject(new CountersignError('database_unavailable', text, { passesAfterMs: 0 }));
    }, ms);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * A function that stores an event, and the slip for its thread, and resolves when both are committed: then, and not
 * before, it may be acknowledged. It rejects when the database is away or slow. The event may have been stored all the
 * same; the platform sends it again, and it is the same event then.
 * @param patienceMs what one statement may take before its events are refused and those behind it go ahead
 */
export function createReceiver(
  { db, enqueueAll }: Pick<InboxContext, 'db' | 'enqueueAll'>,
  { patienceMs = usualPatienceMs }: { patienceMs?: number } = {},
): Receive {
  let waiting: Waiting[] = [];
  let flushing = false;

  async function flush(): Promise<void> {
    flushing = true;
    while (waiting.length > 0) {
      const all = waiting;
      const { events, placeOf } = chooseBatch(
        all.map(({ event }) => event),
        eventsAtOnce,
      );
      waiting = all.filter((_, i) => placeOf[i] === 'later');
      const batch = all.flatMap((one, i) => {
        const place = placeOf[i];
        return typeof place === 'number' ? [{ ...one, place }] : [];
      });
      try {
        const answers = await settleWithin(
          patienceMs,
          db.transaction((tx) => writeEvents(tx, events, enqueueAll)),
        );
        passCrashPoint('stored');
        const told = new Set<number>();
        for (const { place, resolve, reject } of batch) {
          const answer = answers[place];
          if (answer === undefined) {
            reject(new Error('createReceiver: an event has no answer'));
            continue;
          }
          const stored = answer.original === null && !told.has(place);
          told.add(place);
          resolve({ stored, id: answer.original ?? answer.id });
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    flushing = false;
  }

  return async (event) => {
    // Here, and not in the database: an event that cannot be stored must not take its neighbours with it.
    const parsed = ReceivedEvent.parse(event);
    return new Promise((resolve, reject) => {
      waiting.push({ event: parsed, resolve, reject });
      if (!flushing && waiting.length === 1) setImmediate(() => void flush());
    });
  };
}
