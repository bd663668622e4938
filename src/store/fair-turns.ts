// Fair queueing (start-time fair queueing, Goyal and others, 1996): everybody who waits is served once in each round, however
// many jobs one of them has sent. Rounds are pg-boss priorities that count down, so every process that fetches follows them.
import { sql } from 'drizzle-orm';
import type { QueueName } from '#contracts/jobs.ts';
import type { Transaction } from './database.ts';

/**
 * The priority of a person's next job: the round that is being served, or the one after the last they wait for. Jobs that are sent
 * at the same moment by other transactions are not seen, so two of one person may share a round.
 */
export async function findTurn(tx: Transaction, queue: QueueName, person: string): Promise<number> {
  const waiting = sql`from pgboss.job where name = ${queue} and state < 'active' and not blocked`;
  const { rows } = await tx.execute<{ turn: number }>(sql`
    select coalesce(least(
      (select priority ${waiting} order by priority desc limit 1),
      (select priority - 1 ${waiting} and group_id = ${person} order by priority limit 1)
    ), 0) as turn`);
  return rows[0]?.turn ?? 0;
}
