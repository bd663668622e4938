// Steps that wait for a person: that person is reminded in the plan's conversation, again each time as much time has passed.
// Waiting is never an error and never ends by itself.
import type { Step } from '#contracts/plan.ts';
import { countOf } from '#contracts/words.ts';
import { lockPlan, type PlanRow } from '#store/plans.ts';
import { readStepsById } from '#store/step-pages.ts';
import { findOverdueQuestions, type OverdueQuestion } from '#store/waiting.ts';
import type { ConversationContext } from './conversation-context.ts';
import { assigneeOf } from './questions.ts';
import { speakAsBot } from './speak.ts';

type ReminderContext = Pick<ConversationContext, 'enqueue' | 'db' | 'clock'>;

const questionsATurn = 200;
const hourSeconds = 3600;

/** `5 hours`, `3 days`. */
function describeWait(hours: number): string {
  if (hours >= 48) return countOf(Math.floor(hours / 24), 'day');
  return hours >= 1 ? countOf(Math.floor(hours), 'hour') : 'a while';
}

function describeReminder(step: Step, plan: PlanRow, hours: number): string {
  const question = step.question ?? step.description;
  return `Reminder for ${assigneeOf(step) ?? plan.requester}: step ${step.id} of ${plan.id} “${plan.title}” has waited for ${describeWait(hours)}. ${question}`;
}

/** Reminds of one question, unless it was answered meanwhile or another process was quicker. */
async function remind(
  context: ReminderContext,
  { plan_id, step_id, attempt, period, once }: OverdueQuestion,
  everyHours: number,
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const plan = await lockPlan(tx, plan_id);
    const [step] = await readStepsById(tx, plan_id, [step_id]);
    if (step?.status !== 'waiting' || step.attempt !== attempt) return;
    if (plan.conversation === null || plan.paused_at !== null) return;
    await speakAsBot(context, tx, {
      conversation: plan.conversation,
      text: describeReminder(step, plan, period * everyHours),
      planId: plan_id,
      once,
    });
  });
}

/**
 * One round over at most `limit` questions that are open for `everyHours` or a multiple of it. Safe to run in many
 * processes at once: each question is reminded of once in each period.
 */
export async function remindPeople(
  context: ReminderContext,
  everyHours: number,
  limit = questionsATurn,
): Promise<void> {
  const now = context.clock.now();
  const overdue = await findOverdueQuestions(
    context.db.query,
    now,
    everyHours * hourSeconds,
    limit,
  );
  for (const question of overdue) await remind(context, question, everyHours);
}
