// Reminds people of open questions, unknown outcomes and changes to approve.
// At growing intervals; waiting never fails and never ends by itself.
import { showName } from '#db/people/identities.ts';
import { findWaitingPatch } from '#db/plans/patches.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import {
  createPages,
  findOverdueChanges,
  findOverdueQuestions,
  type OverdueChange,
  type OverdueQuestion,
} from '#db/plans/waiting.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { assigneeOf } from '#domain/plan/human-task.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/store-message.ts';
import { describeQuestion } from './announce.ts';

type ReminderContext = Pick<ConversationContext, 'enqueue' | 'db' | 'clock' | 'warn'>;

const atATurn = 200;
const hourSeconds = 3600;

/** The requester too can settle an unknown outcome. */
const askedOf = (step: Step, { requester }: PlanRow) =>
  step.status === 'unknown' ? requester : (assigneeOf(step) ?? requester);

async function remindOfQuestion(
  context: ReminderContext,
  { plan_id, step_id, attempt, status, period, once }: OverdueQuestion,
  everyHours: number,
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const plan = await lockPlan(tx, plan_id);
    const [step] = await readStepsById(tx, plan_id, [step_id]);
    if (step?.status !== status || step.attempt !== attempt) return;
    if (plan.conversation === null || plan.paused_at !== null) return;
    const asked = describeQuestion(plan, step, (name) => name);
    await speakAsBot(context, tx, {
      conversation: plan.conversation,
      says: {
        ...asked,
        facts: {
          ...asked.facts,
          who: await showName(tx, askedOf(step, plan)),
          question: step.question ?? step.description,
          waited: period * everyHours,
        },
      },
      planId: plan_id,
      once,
    });
  });
}

async function remindOfChange(
  context: ReminderContext,
  { plan_id, patch_id, period, once }: OverdueChange,
  everyHours: number,
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const plan = await lockPlan(tx, plan_id);
    const patch = await findWaitingPatch(tx, plan_id);
    if (patch?.id !== patch_id) return;
    if (plan.conversation === null || plan.paused_at !== null) return;
    const facts = {
      code: 'change_waits' as const,
      plan_id,
      title: plan.title,
      by: await showName(tx, patch.proposed_by),
      reasons: patch.widening,
      waited: period * everyHours,
    };
    await speakAsBot(context, tx, {
      conversation: plan.conversation,
      says: { kind: 'notice', facts, action: { kind: 'change' } },
      planId: plan_id,
      once,
    });
  });
}

async function forEachOverdue<T extends { plan_id: string }>(
  context: ReminderContext,
  overdue: T[],
  remind: (context: ReminderContext, one: T, everyHours: number) => Promise<void>,
  everyHours: number,
): Promise<void> {
  for (const one of overdue) {
    await remind(context, one, everyHours).catch((error: unknown) =>
      context.warn(`Could not send a reminder of ${one.plan_id}; retrying.`, error),
    );
  }
}

/** A round of up to `limit` questions and as many changes, open for a multiple of `everyHours`. Safe to run concurrently. */
export function createHumanReminders(
  context: ReminderContext,
  everyHours: number,
  limit = atATurn,
): () => Promise<void> {
  const { db, clock } = context;
  const every = everyHours * hourSeconds;
  const nextQuestions = createPages(limit, (most, after) =>
    findOverdueQuestions(db.query, clock.now(), every, most, after),
  );
  const nextChanges = createPages(limit, (most, after) =>
    findOverdueChanges(db.query, clock.now(), every, most, after),
  );
  return async () => {
    await forEachOverdue(context, await nextQuestions(), remindOfQuestion, everyHours);
    await forEachOverdue(context, await nextChanges(), remindOfChange, everyHours);
  };
}
