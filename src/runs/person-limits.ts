// Per-person limits, checked before a planner starts.
import { sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import { readSpentBy } from '#db/planning/spending.ts';
import { countersign } from '#db/schema.ts';
import { startOfUtcDay } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { countOf } from '#domain/words.ts';
import type { ConversationContext } from '#messages/context.ts';

const askAgainSeconds = 30;
const daySeconds = 86_400;

type Used = { open_runs: number; waiting_plans: number };

async function readUsed(tx: Queryable, user: string): Promise<Used> {
  const { rows } = await tx.execute<Used>(sql`
    select
      (select count(*)::int from ${countersign}.runs where "user" = ${user} and planning_status = 'running') as open_runs,
      (select count(*)::int from ${countersign}.plans
        where requester = ${user} and status in ('proposed', 'needs_review')) as waiting_plans`);
  return rows[0] ?? { open_runs: 0, waiting_plans: 0 };
}

function refuse(reached: string, sentence: string, seconds: number): never {
  throw new CountersignError('rate_limited', sentence, {
    details: { limit: reached, retry_after_seconds: Math.ceil(seconds) },
  });
}

type Limited = Pick<ConversationContext, 'personLimits' | 'clock'>;

async function lockUsed(tx: Transaction, user: string): Promise<Used> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`countersign limits of ${user}`}, 0))`,
  );
  return readUsed(tx, user);
}

function requireFewPlans(waiting: number, most: number | undefined): void {
  if (most === undefined || waiting < most) return;
  refuse(
    'waiting_plans',
    `You have ${countOf(waiting, 'plan')} waiting for a decision, and the limit is ${most}. Approve, reject or cancel one, then ask again.`,
    askAgainSeconds,
  );
}

/** Serialises a person's requests. @throws `rate_limited` with the limit of `limits.person` and when to retry */
export async function requireRoom(tx: Transaction, limited: Limited, user: string): Promise<void> {
  const { open_runs: runs, waiting_plans: plans } = limited.personLimits;
  if (runs !== undefined || plans !== undefined) {
    const used = await lockUsed(tx, user);
    if (runs !== undefined && used.open_runs >= runs)
      refuse(
        'open_runs',
        `You have ${countOf(used.open_runs, 'request')} being planned, and the limit is ${runs}. Ask again when one is done.`,
        askAgainSeconds,
      );
    requireFewPlans(used.waiting_plans, plans);
  }
  await requireBudget(tx, limited, user);
}

/** Counted without a lock. @throws `rate_limited` */
export async function requireFewWaiting(
  db: Queryable,
  { personLimits: { waiting_plans: most } }: Limited,
  user: string,
): Promise<void> {
  if (most === undefined) return;
  const { waiting_plans: waiting } = await readUsed(db, user);
  requireFewPlans(waiting, most);
}

/** Locks afterwards, so that a large plan doesn't block other requests. @throws `rate_limited`, storing nothing */
export async function storeWithinLimits<T>(
  tx: Transaction,
  limited: Limited,
  user: string,
  store: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const { waiting_plans: most } = limited.personLimits;
  if (most === undefined) return store(tx);
  await requireFewWaiting(tx, limited, user);
  const stored = await store(tx);
  const { waiting_plans: waiting } = await lockUsed(tx, user);
  // Includes the plan just stored.
  requireFewPlans(waiting - 1, most);
  return stored;
}

/** Running turns continue. @throws `rate_limited` with the amount spent and when to retry */
export async function requireBudget(
  tx: Transaction,
  { personLimits, clock }: Limited,
  user: string,
): Promise<void> {
  const { usd_per_day: most } = personLimits;
  if (most === undefined) return;
  const now = clock.now();
  const began = startOfUtcDay(now);
  const usd = await readSpentBy(tx, user, began);
  if (usd < most) return;
  refuse(
    'usd_per_day',
    `Models have cost $${usd.toFixed(2)} today for ${await showName(tx, user)}, and the limit is $${most.toFixed(2)}. Ask again after midnight UTC.`,
    daySeconds - (now.getTime() - began.getTime()) / 1000,
  );
}
