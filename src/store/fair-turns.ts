// Fair queueing (start-time fair queueing, Goyal and others, 1996): everybody who waits is served once in each round, however
// many jobs one of them has sent. Rounds are pg-boss priorities that count down, so every process that fetches follows them.
import { sql } from 'drizzle-orm';
import type { QueueName } from '#contracts/jobs.ts';
import type { Transaction } from './database.ts';

/**
 * The priority of the next job of each of `persons`: the round that is being served, or the one after the last they wait for. Jobs
 * that are sent at the same moment by other transactions are not seen, so two of one person may share a round.
 */
export async function findTurns(
  tx: Transaction,
  queue: QueueName,
  persons: string[],
): Promise<Map<string, number>> {
  if (persons.length === 0) return new Map();
  const waiting = sql`from pgboss.job where name = ${queue} and state < 'active' and not blocked`;
  const { rows } = await tx.execute<{ person: string; turn: number }>(sql`
    select person, coalesce(least(
      (select priority ${waiting} order by priority desc limit 1),
      (select priority - 1 ${waiting} and group_id = person order by priority limit 1)
    ), 0) as turn
    from unnest(array[${sql.join(
      persons.map((person) => sql`${person}`),
      sql`, `,
    )}]::text[]) as person`);
  return new Map(rows.map(({ person, turn }) => [person, turn]));
}

/** What pg-boss is told of a job in its turn. */
export const inTurn = (person: string, turn: number) => ({ group: { id: person }, priority: turn });
