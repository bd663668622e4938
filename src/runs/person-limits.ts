// What one person may ask for at once and in a day: refused before a planner begins, with what was reached and when it is free again.
import { sql } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { startOfDay } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import type { ConversationContext } from '#messages/context.ts';

/** Seconds after which it is worth to ask again, where that depends on other people or on a planner. */
const askAgainSeconds = 30;
const daySeconds = 86_400;

type Used = { open_runs: number; waiting_plans: number; usd: number };

async function readUsed(tx: Transaction, user: string, since: Date): Promise<Used> {
  const { rows } = await tx.execute<Used>(sql`
    select
      (select count(*)::int from countersign.runs where "user" = ${user} and planning_status = 'running') as open_runs,
      (select count(*)::int from countersign.plans
        where requester = ${user} and status in ('proposed', 'needs_review')) as waiting_plans,
      (select coalesce(sum(coalesce(cost_usd, estimate_usd)), 0)::float8 from countersign.model_calls
        where "user" = ${user} and began_at >= ${since.toISOString()}::timestamptz) as usd`);
  return rows[0] ?? { open_runs: 0, waiting_plans: 0, usd: 0 };
}

function refuse(reached: string, sentence: string, seconds: number): never {
  throw new CountersignError('rate_limited', sentence, {
    details: { limit: reached, retry_after_seconds: Math.ceil(seconds) },
  });
}

/**
 * In the transaction that stores the request. Requests of one person wait here for each other, so that two at once are counted.
 * @throws `rate_limited` that says which limit of `limits.person` is reached, and when it is free again
 */
export async function requireRoom(
  tx: Transaction,
  { personLimits, clock }: Pick<ConversationContext, 'personLimits' | 'clock'>,
  user: string,
): Promise<void> {
  const { open_runs: runs, waiting_plans: plans, planning_usd_per_day: usd } = personLimits;
  if (runs === undefined && plans === undefined && usd === undefined) return;
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`countersign limits of ${user}`}, 0))`,
  );
  const now = clock.now();
  const began = startOfDay(now);
  const used = await readUsed(tx, user, began);
  if (runs !== undefined && used.open_runs >= runs)
    refuse(
      'open_runs',
      `${used.open_runs} of your requests are being planned, and more than ${runs} at once are not allowed. Ask again when one of them is done.`,
      askAgainSeconds,
    );
  if (plans !== undefined && used.waiting_plans >= plans)
    refuse(
      'waiting_plans',
      `${used.waiting_plans} of your plans wait for a decision, and more than ${plans} are not allowed. Approve, reject or cancel one, then ask again.`,
      askAgainSeconds,
    );
  if (usd !== undefined && used.usd >= usd)
    refuse(
      'planning_usd_per_day',
      `Planning for you has cost $${used.usd.toFixed(2)} today, and the limit is $${usd.toFixed(2)}. It is free again at midnight UTC.`,
      daySeconds - (now.getTime() - began.getTime()) / 1000,
    );
}
