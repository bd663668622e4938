// Storing what a platform sends before it is acknowledged: in two statements at a time, since one is on the disk or on its way
// most of its time. What comes while both are under way shares the next.
//
// Order: an event waits while one of its thread, or with one of its names, is under way, and whoever shares either with it waits
// behind it. So of two events of a thread the later one is sent when the earlier is committed, and has the higher number.
// Twins: one that comes while its first sending is under way is sent after that, and finds it. What another process stores at
// this moment is found out by the statement, whatever else is under way here.
// A statement that does not come back: it is given up after the patience, and until then its events keep theirs waiting; all
// others go on by the other one. Those that waited too long behind it are refused when it ends, which is no later than that.
import { ReceivedEvent } from '#contracts/inbox.ts';
import { chooseBatch, tiesOf } from './choose-batch.ts';
import { makeRefusal, type StoringParts, sessionLimits, storeBatch } from './store-batch.ts';

/** `stored` false: the event with this id was stored before and is the same. */
export type Receipt = { stored: boolean; id: number };

export type Receive = (event: ReceivedEvent) => Promise<Receipt>;

/** Events in one statement. */
const eventsAtOnce = 200;
/** Statements under way; each has a connection of its own. */
export const storedAtOnce = 2;
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
 * A function that stores an event and resolves when it is committed: then, and not before, it may be acknowledged. Its slip
 * follows, or is committed with it where it is stored in steps. It rejects when the database is away or slow. The event may have been stored all the
 * same; the platform sends it again, and it is the same event then.
 * @param patienceMs what storing a batch may take before its events are refused and those behind it go ahead; and what
 *   an event waits for its batch
 */
export function createReceiver(
  parts: StoringParts,
  { patienceMs = usualPatienceMs }: { patienceMs?: number } = {},
): Receive {
  let waiting: Waiting[] = [];
  let lanes = 0;
  let called = false;
  /** The ties of what is under way. */
  const busy = new Set<string>();

  /** Those that may still be acknowledged in time; the others are refused. */
  function refuseLate(all: Waiting[]): Waiting[] {
    const now = performance.now();
    return all.filter(({ since, reject }) => {
      const late = now - since >= patienceMs;
      if (late) reject(makeRefusal('The event has waited too long.'));
      return !late;
    });
  }

  async function store(batch: (Waiting & { place: number })[], events: ReceivedEvent[]) {
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

  async function runLane(batch: (Waiting & { place: number })[], events: ReceivedEvent[]) {
    const ties = events.flatMap(tiesOf);
    lanes += 1;
    for (const tie of ties) busy.add(tie);
    try {
      await store(batch, events);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      for (const tie of ties) busy.delete(tie);
      lanes -= 1;
    }
    sendOn();
  }

  /** Sends what may go now. */
  function sendOn(): void {
    while (waiting.length > 0 && lanes < storedAtOnce) {
      const all = refuseLate(waiting);
      const { events, placeOf } = chooseBatch(
        all.map(({ event }) => event),
        eventsAtOnce,
        busy,
      );
      waiting = all.filter((_, i) => placeOf[i] === 'later');
      if (events.length === 0) return;
      const batch = all.flatMap((one, i) => {
        const place = placeOf[i];
        return typeof place === 'number' ? [{ ...one, place }] : [];
      });
      void runLane(batch, events);
    }
  }

  return async (event) => {
    // Here, and not in the database: an event that cannot be stored must not take its neighbours with it.
    const parsed = ReceivedEvent.parse(event);
    return new Promise((resolve, reject) => {
      waiting.push({ event: parsed, since: performance.now(), resolve, reject });
      // What is tied to a statement under way is sent when that ends.
      if (called || lanes >= storedAtOnce || tiesOf(parsed).some((tie) => busy.has(tie))) return;
      called = true;
      setImmediate(() => {
        called = false;
        sendOn();
      });
    });
  };
}
