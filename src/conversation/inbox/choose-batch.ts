// Which of the events that wait to be stored go into one statement. Pure.
import type { InboxThread, ReceivedEvent } from '#contracts/inbox.ts';

/** For each waiting event: its place in the batch, or `later`. */
export type Batch = { events: ReceivedEvent[]; placeOf: (number | 'later')[] };

const nameThread = ({ platform, tenant, thread }: InboxThread) =>
  JSON.stringify(['thread', platform, tenant, thread]);
const nameKeys = ({ platform, tenant, keys }: ReceivedEvent) =>
  keys.map((key) => JSON.stringify(['key', platform, tenant, key]));

/** What an event shares with those it must not overtake: its thread, and its names. */
export const tiesOf = (event: ReceivedEvent): string[] => [nameThread(event), ...nameKeys(event)];

/**
 * The statement takes no name twice. An event all of whose names are those of events before it is the same as the one
 * that has its first name. One that shares only some of its names has something to tell that the statement cannot
 * hear, so it waits for the next, with all that share a name or the thread with it: to the database they then come one
 * after the other, as they came to us. So does one that shares its thread or a name with an event under way.
 * @param busy the ties of events that are under way in other statements
 */
export function chooseBatch(
  waiting: ReceivedEvent[],
  atMost: number,
  busy: ReadonlySet<string> = new Set(),
): Batch {
  const events: ReceivedEvent[] = [];
  const owners = new Map<string, number>();
  const left = new Set(busy);
  const placeOf = waiting.map((event) => {
    const ties = tiesOf(event);
    const names = nameKeys(event);
    const known = names.map((name) => owners.get(name)).filter((owner) => owner !== undefined);
    const [owner] = known;
    if (owner !== undefined && known.length === names.length) return owner;
    if (owner !== undefined || events.length >= atMost || ties.some((tie) => left.has(tie))) {
      for (const tie of ties) left.add(tie);
      return 'later';
    }
    const place = events.push(event) - 1;
    for (const name of names) owners.set(name, place);
    return place;
  });
  return { events, placeOf };
}
