// expire: reminds people about steps that wait for them and about undecided proposals, and cancels proposals that stay undecided.
import { createExpiry } from '#conversation/expire.ts';
import type { QueueSpec } from '#db/boss.ts';
import type { Settings } from '#domain/settings.ts';
import type { ConversationContext } from '#messages/context.ts';
import { createHumanReminders } from '#notices/human-reminders.ts';
import type { Job } from './job.ts';

/** How often proposals and questions are looked through. */
export const expireCron = '*/10 * * * *';

export const expireQueue = {
  name: 'expire',
  policy: 'short',
  retryLimit: 1,
  retryDelay: 10,
  expireInSeconds: 300,
} as const satisfies QueueSpec;

export function expireJob(
  context: ConversationContext,
  { human_reminder_hours, stale_after_days }: Settings,
): Job<'expire'> {
  const remindPeople = createHumanReminders(context, human_reminder_hours);
  const expireProposals = createExpiry(context, stale_after_days);
  return {
    name: 'expire',
    queue: expireQueue,
    concurrency: 1,
    async handle() {
      await remindPeople();
      await expireProposals();
    },
  };
}
