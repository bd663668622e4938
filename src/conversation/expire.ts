// Proposals nobody decides: a reminder at half time, cancelled with a notice at the end. Waiting for a person is never an error.
import { and, asc, eq, lt, type SQL, sql } from 'drizzle-orm';
import { system } from '#contracts/actor.ts';
import { transition } from '#plans/lifecycle.ts';
import { changeSteps } from '#store/change-steps.ts';
import { lockPlan } from '#store/plans.ts';
import { plans, planVersions } from '#store/schema.ts';
import type { ConversationContext } from './conversation-context.ts';
import { closeRun } from './decisions.ts';
import { speakAsBot } from './speak.ts';

const plansATurn = 200;
const dayMs = 86_400_000;

/** Proposals whose present version was stored before `before`, oldest first, as far as `more` holds. */
function findProposals({ db }: ConversationContext, before: Date, limit: number, more?: SQL) {
  return db.query
    .select({
      id: plans.id,
      title: plans.title,
      version: plans.version,
      conversation: plans.conversation,
    })
    .from(plans)
    .innerJoin(
      planVersions,
      and(eq(planVersions.plan_id, plans.id), eq(planVersions.version, plans.version)),
    )
    .where(and(eq(plans.status, 'proposed'), lt(planVersions.created_at, before), more))
    .orderBy(asc(planVersions.created_at))
    .limit(limit);
}

const reminderKey = sql`${plans.id} || ':v' || ${plans.version} || ':reminder'`;

/** What still can be reminded of: people can read it, and have not been reminded of this version. */
const unreminded = sql`${plans.conversation} is not null
  and not exists (select 1 from countersign.messages m where m.once = ${reminderKey})`;

/** One round over at most `limit` plans each. Safe to run in many processes at once. */
export async function expireProposals(
  context: ConversationContext,
  staleAfterDays: number,
  limit = plansATurn,
): Promise<void> {
  const daysAgo = (days: number) => new Date(context.clock.now().getTime() - days * dayMs);
  for (const plan of await findProposals(context, daysAgo(staleAfterDays), limit)) {
    await expire(context, plan, staleAfterDays);
  }
  const half = daysAgo(staleAfterDays / 2);
  for (const plan of await findProposals(context, half, limit, unreminded)) {
    const { conversation } = plan;
    if (conversation === null) continue;
    await context.db.transaction((tx) =>
      speakAsBot(tx, {
        conversation,
        text: `${plan.id} “${plan.title}” still waits for a decision. It is cancelled in ${Math.ceil(staleAfterDays / 2)} days if nobody decides.`,
        planId: plan.id,
        once: `${plan.id}:v${plan.version}:reminder`,
      }),
    );
  }
}

async function expire(
  context: ConversationContext,
  { id, version }: { id: string; version: number },
  staleAfterDays: number,
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const row = await lockPlan(tx, id);
    if (row.status !== 'proposed' || row.version !== version) return;
    const reason = `Nobody decided within ${staleAfterDays} days.`;
    await changeSteps(tx, id, {
      from: ['pending'],
      to: 'cancelled',
      kind: 'step_cancelled',
      set: sql`, ended_at = clock_timestamp()`,
    });
    const by = { actor: system, reason };
    await transition(tx, context.enqueue, row, 'expire', by, { result_summary: reason });
    await closeRun(tx, row, `${id} is cancelled. ${reason}`);
  });
}
