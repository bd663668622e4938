// Notifies webhooks once when a plan waits for a person.
import { lockPlan, readPlan } from '#db/plans/plans.ts';
import { readSteps } from '#db/steps/pages.ts';
import { hasEndpoints } from '#db/webhooks.ts';
import type { ConversationContext } from '#messages/context.ts';
import { tellWebhooks } from '#plans/lifecycle/lifecycle.ts';
import { describeQuestion } from '../announce.ts';

const batchSize = 50;

/** Idempotent. */
export async function tellNeedsYou(
  { db, enqueue }: Pick<ConversationContext, 'db' | 'enqueue'>,
  planId: string,
): Promise<void> {
  if (!(await hasEndpoints(db.query))) return;
  await db.transaction(async (tx) => {
    // Waits for a change being committed, which may have relied on this very job.
    await lockPlan(tx, planId);
    const plan = await readPlan(tx, planId);
    const asking = plan.counts.waiting + plan.counts.unknown > 0;
    const steps = asking
      ? await readSteps(tx, planId, { status: ['waiting', 'unknown'] }, 0, batchSize)
      : [];
    for (const step of steps) {
      const { facts } = describeQuestion(plan, step, (name) => name);
      const { step_id: id, label, status, who, question, call } = facts;
      const about = status === 'unknown' ? 'unknown' : who === null ? 'question' : 'task';
      await tellWebhooks(tx, enqueue, 'plan.needs_you', plan, {
        about,
        step: { id, label: label ?? null, who, question, call },
        once: `${planId}:step:${id}:${step.attempt}:${status}`,
      });
    }
    const { pending_patch: patch } = plan;
    if (patch !== null)
      await tellWebhooks(tx, enqueue, 'plan.needs_you', plan, {
        about: 'change',
        patch: { id: patch.patch_id, by: patch.proposed_by, widening: patch.widening },
        once: `${planId}:patch:${patch.patch_id}`,
      });
  });
}
