// Rounds that look at a limited number of what they find, the oldest first. What could not be looked after is found again, so
// each round goes on where the one before ended: however many fail in every round, younger ones are looked at all the same.
import { type SQL, sql } from 'drizzle-orm';

/** Where something stands in the order in which it is looked at: since when, in microseconds, then by a name of its own. */
export type Place = { since: string; name: string };

/** What stands behind `after`; null: all of it. */
export function comesAfter(since: SQL, name: SQL, after: Place | null): SQL {
  return after === null
    ? sql`true`
    : sql`(${since}, ${name}) > (${after.since}::timestamptz, ${after.name}::text)`;
}

/** A function that finds the next page, of at most `limit`; after the last one comes the first. */
export function createPages<Found extends Place>(
  limit: number,
  find: (limit: number, after: Place | null) => Promise<Found[]>,
): () => Promise<Found[]> {
  let after: Place | null = null;
  return async () => {
    const found = await find(limit, after);
    const last = found.length < limit ? undefined : found.at(-1);
    after = last === undefined ? null : { since: last.since, name: last.name };
    return found;
  };
}
