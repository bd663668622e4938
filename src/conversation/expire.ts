// Proposals nobody decides: a reminder at half time, cancelled with a notice at the end. Waiting for a person is never an error.
import { and, eq, lt, sql } from 'drizzle-orm';
import { system } from '#contracts/actor.ts';
import { transition } from '#plans/lifecycle.ts';
import { changeSteps } from '#store/change-steps.ts';
import type { Transaction } from '#store/database.ts';
import { appendMessage } from '#store/messages.ts';
import { lockPlan } from '#store/plans.ts';
import { plans } from '#store/schema.ts';
import { botName, type ConversationContext } from './conversation-context.ts';

const plansATurn = 200;

async function findOlderThan(context: ConversationContext, days: number) {
  const limit = new Date(context.clock.now().getTime() - days * 86_400_000);
  return context.db.query
    .select({
      id: plans.id,
      title: plans.title,
      version: plans.version,
      conversation: plans.conversation,
    })
    .from(plans)
    .where(
      and(
        eq(plans.status, 'proposed'),
        lt(
          sql`(select created_at from countersign.plan_versions v where v.plan_id = ${plans.id} and v.version = ${plans.version})`,
          limit,
        ),
      ),
    )
    .limit(plansATurn);
}

/** One round. Safe to run in many processes at once. */
export async function expireProposals(
  context: ConversationContext,
  staleAfterDays: number,
): Promise<void> {
  for (const plan of await findOlderThan(context, staleAfterDays / 2)) {
    if (plan.conversation === null) continue;
    const { conversation } = plan;
    await context.db.transaction((tx) =>
      appendMessage(tx, {
        conversation,
        author: 'bot',
        name: botName,
        text: `${plan.id} “${plan.title}” still waits for a decision. It is cancelled in ${Math.ceil(staleAfterDays / 2)} days if nobody decides.`,
        planId: plan.id,
        once: `${plan.id}:v${plan.version}:reminder`,
      }),
    );
  }
  for (const { id, version } of await findOlderThan(context, staleAfterDays)) {
    await context.db.transaction(async (tx) => {
      const row = await lockPlan(tx, id);
      if (row.status !== 'proposed' || row.version !== version) return;
      const reason = `Nobody decided within ${staleAfterDays} days.`;
      await transition(
        tx,
        context.enqueue,
        row,
        'expire',
        { actor: system, reason },
        {
          result_summary: reason,
        },
      );
      if (row.pending > 0) await cancelSteps(tx, id);
    });
  }
}

async function cancelSteps(tx: Transaction, planId: string): Promise<void> {
  await changeSteps(tx, planId, {
    from: ['pending'],
    to: 'cancelled',
    kind: 'step_cancelled',
    set: sql`, ended_at = clock_timestamp()`,
  });
}
