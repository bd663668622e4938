// Storing what a platform sends before it is acknowledged. What comes while a statement is under way shares the next.
import { ReceivedEvent } from '#contracts/inbox.ts';
import { chooseBatch } from './choose-batch.ts';
import { makeRefusal, type StoringParts, sessionLimits, storeBatch } from './store-batch.ts';

/** `stored` false: the event with this id was stored before and is the same. */
export type Receipt = { stored: boolean; id: number };

export type Receive = (event: ReceivedEvent) => Promise<Receipt>;

/** Events in one statement. */
const eventsAtOnce = 200;
/** An event waits this long for its batch to begin, its batch takes as long, and platforms wait for three seconds. */
const usualPatienceMs = 1300;

/** For the connections of receiving: what the server ends there by itself. */
export const receivingLimits = sessionLimits(usualPatienceMs);

type Waiting = {
  event: ReceivedEvent;
  /** A moment of `performance.now()`. */
  since: number;
  resolve: (receipt: Receipt) => void;
  reject: (error: unknown) => void;
};

/**
 * A function that stores an event, and the slip for its thread, and resolves when both are committed: then, and not
 * before, it may be acknowledged. It rejects when the database is away or slow. The event may have been stored all the
 * same; the platform sends it again, and it is the same event then.
 * @param patienceMs what storing a batch may take before its events are refused and those behind it go ahead; and what
 *   an event waits for its batch
 */
export function createReceiver(
  parts: StoringParts,
  { patienceMs = usualPatienceMs }: { patienceMs?: number } = {},
): Receive {
  let waiting: Waiting[] = [];
  let flushing = false;

  /** Those that may still be acknowledged in time; the others are refused. */
  function refuseLate(all: Waiting[]): Waiting[] {
    const now = performance.now();
    return all.filter(({ since, reject }) => {
      const late = now - since >= patienceMs;
      if (late) reject(makeRefusal('The event has waited too long.'));
      return !late;
    });
  }

  async function flush(): Promise<void> {
    flushing = true;
    while (waiting.length > 0) {
      const all = refuseLate(waiting);
      const { events, placeOf } = chooseBatch(
        all.map(({ event }) => event),
        eventsAtOnce,
      );
      waiting = all.filter((_, i) => placeOf[i] === 'later');
      if (events.length === 0) continue;
      const batch = all.flatMap((one, i) => {
        const place = placeOf[i];
        return typeof place === 'number' ? [{ ...one, place }] : [];
      });
      const results = await storeBatch(parts, events, patienceMs);
      const told = new Set<number>();
      for (const { place, resolve, reject } of batch) {
        const result = results[place];
        if (result?.status !== 'fulfilled') {
          reject(result?.reason ?? new Error('createReceiver: an event has no result'));
          continue;
        }
        const { id, original } = result.value;
        const stored = original === null && !told.has(place);
        told.add(place);
        resolve({ stored, id: original ?? id });
      }
    }
    flushing = false;
  }

  return async (event) => {
    // Here, and not in the database: an event that cannot be stored must not take its neighbours with it.
    const parsed = ReceivedEvent.parse(event);
    return new Promise((resolve, reject) => {
      waiting.push({ event: parsed, since: performance.now(), resolve, reject });
      if (!flushing && waiting.length === 1) setImmediate(() => void flush());
    });
  };
}
