// Reminds of undecided and unanswered plans, then cancels them.
import { and, asc, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { decisionWords } from '#cards/decision-words.ts';
import type { Transaction } from '#db/database.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import { comesAfter, createPages, type PageCursor } from '#db/plans/waiting.ts';
import { countersign, plans, planVersions, runs } from '#db/schema.ts';
import { changeSteps } from '#db/steps/accounting.ts';
import { isoOf } from '#db/time.ts';
import { system } from '#domain/people/actor.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/store-message.ts';
import { transition } from '#plans/lifecycle/lifecycle.ts';
import { closeRun } from './plan-decisions.ts';

const plansATurn = 200;
const dayMs = 86_400_000;

/** Days. */
export type StaleAfter = { chat: number; terminal: number };

type Waiting = PageCursor & {
  id: string;
  version: number;
  status: PlanRow['status'];
  waitsSince: Date;
  staleAfterDays: number;
};

/** Shown or refused, or the planner's last message. */
const waitsSince = sql<Date>`greatest((${plans.rejection_history} -> -1 ->> 'at')::timestamptz,
  case when ${plans.status} = 'rejected' then ${runs.updated_at} end, ${planVersions.created_at})`.mapWith(
  planVersions.created_at,
);

/** Default: where it was proposed. */
const via = sql`coalesce(${runs.via}, (
  select a.via from ${countersign}.audit a where a.plan_id = ${plans.id} and a.action = 'propose' order by a.id limit 1))`;

const waits = or(
  inArray(plans.status, ['proposed', 'needs_review']),
  and(eq(plans.status, 'rejected'), eq(plans.revising, true)),
);

/** Waited for `part` of the stale time, longest first. */
function findWaiting(
  { db, clock }: ConversationContext,
  { chat, terminal }: StaleAfter,
  part: number,
  limit: number,
  after: PageCursor | null,
  more?: SQL,
): Promise<Waiting[]> {
  const staleAfterDays = sql<number>`case when ${via} = 'terminal' then ${terminal}::float8 else ${chat}::float8 end`;
  const now = clock.now().toISOString();
  return db.query
    .select({
      id: plans.id,
      version: plans.version,
      status: plans.status,
      waitsSince,
      staleAfterDays,
      since: sql<string>`${isoOf(waitsSince, 'microseconds')}`,
      name: plans.id,
    })
    .from(plans)
    .innerJoin(
      planVersions,
      and(eq(planVersions.plan_id, plans.id), eq(planVersions.version, plans.version)),
    )
    .leftJoin(runs, eq(runs.id, plans.run_id))
    .where(
      and(
        waits,
        sql`${waitsSince} < ${now}::timestamptz - ${staleAfterDays} * ${part}::float8 * interval '1 day'`,
        comesAfter(waitsSince, sql`${plans.id}`, after),
        more,
      ),
    )
    .orderBy(asc(waitsSince), asc(plans.id))
    .limit(limit);
}

const reminderKey = sql`${plans.id} || ':v' || ${plans.version} || ':' || ${plans.status} || ':reminder'`;

/** In this state and version. */
const unreminded = sql`${plans.conversation} is not null
  and not exists (select 1 from ${countersign}.messages m where m.once = ${reminderKey})`;

async function forEachWaiting(
  context: ConversationContext,
  waiting: Waiting[],
  work: (tx: Transaction, plan: Waiting) => Promise<void>,
): Promise<void> {
  for (const plan of waiting) {
    await context.db
      .transaction((tx) => work(tx, plan))
      .catch((error: unknown) =>
        context.warn(`${plan.id} waits and could not be looked after; trying again.`, error),
      );
  }
}

/** Up to `limit` each. Safe to run concurrently. */
export function createExpiry(
  context: ConversationContext,
  staleAfter: StaleAfter,
  limit = plansATurn,
): () => Promise<void> {
  const nextStale = createPages(limit, (most, after) =>
    findWaiting(context, staleAfter, 1, most, after),
  );
  const nextQuiet = createPages(limit, (most, after) =>
    findWaiting(context, staleAfter, 0.5, most, after, unreminded),
  );
  return async () => {
    await forEachWaiting(context, await nextStale(), (tx, plan) => expire(context, tx, plan));
    await forEachWaiting(context, await nextQuiet(), (tx, plan) => remind(context, tx, plan));
  };
}

/** Null if the state changed. */
async function lockWaiting(
  tx: Transaction,
  { id, version, status }: Waiting,
): Promise<PlanRow | null> {
  const row = await lockPlan(tx, id);
  const same = row.status === status && row.version === version;
  return same && (status !== 'rejected' || row.revising) ? row : null;
}

async function remind(context: ConversationContext, tx: Transaction, plan: Waiting): Promise<void> {
  const row = await lockWaiting(tx, plan);
  if (row === null || row.conversation === null) return;
  const ends = plan.waitsSince.getTime() + plan.staleAfterDays * dayMs;
  const leftMs = ends - context.clock.now().getTime();
  await speakAsBot(context, tx, {
    conversation: row.conversation,
    says: {
      kind: 'notice',
      facts: {
        code: 'undecided',
        plan_id: row.id,
        title: row.title,
        sent_back: row.status === 'rejected',
        days_left: Math.max(1, Math.ceil(leftMs / dayMs)),
      },
      action: null,
    },
    planId: row.id,
    once: `${row.id}:v${row.version}:${row.status}:reminder`,
  });
}

async function expire(context: ConversationContext, tx: Transaction, plan: Waiting): Promise<void> {
  const row = await lockWaiting(tx, plan);
  if (row === null) return;
  const days = plan.staleAfterDays;
  const reason =
    row.status === 'rejected'
      ? decisionWords.noVersion({ days })
      : decisionWords.noDecision({ days });
  await changeSteps(tx, row.id, {
    from: ['pending'],
    to: 'cancelled',
    kind: 'step_cancelled',
    set: sql`, ended_at = clock_timestamp()`,
  });
  // An earlier refusal is not the cancellation.
  const set = { result_summary: reason, revising: false, decided_by: null, decided_at: null };
  await transition(tx, context.enqueue, row, 'expire', { actor: system, reason }, set);
  await closeRun(context, tx, row, decisionWords.expired({ id: row.id, reason }));
}
