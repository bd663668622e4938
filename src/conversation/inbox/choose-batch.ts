// Which of the events that wait to be stored go into one statement. Pure.
import type { ReceivedEvent } from '#contracts/inbox.ts';

/** For each waiting event: its place in the batch, or `later`. */
export type Batch = { events: ReceivedEvent[]; placeOf: (number | 'later')[] };

/**
 * The statement takes no name twice. An event all of whose names are those of events before it is the same as the one
 * that has its first name. One that shares only some of its names has something to tell that the statement cannot
 * hear, so it waits for the next, with all that share a name with it: to the database they then come one after the other,
 * as they came to us.
 */
export function chooseBatch(waiting: ReceivedEvent[], atMost: number): Batch {
  const events: ReceivedEvent[] = [];
  const owners = new Map<string, number>();
  const left = new Set<string>();
  const placeOf = waiting.map((event) => {
    const names = event.keys.map((key) => JSON.stringify([event.platform, event.tenant, key]));
    const known = names.map((name) => owners.get(name)).filter((owner) => owner !== undefined);
    const [owner] = known;
    if (owner !== undefined && known.length === names.length) return owner;
    if (owner !== undefined || events.length >= atMost || names.some((name) => left.has(name))) {
      for (const name of names) left.add(name);
      return 'later';
    }
    const place = events.push(event) - 1;
    for (const name of names) owners.set(name, place);
    return place;
  });
  return { events, placeOf };
}
