// remind: sends the reminders that are due and schedules their next occurrence.
import type { QueueSpec } from '#db/boss.ts';
import type { ConversationContext } from '#messages/context.ts';
import { createRinging } from '#notices/reminders.ts';
import type { Job } from './job.ts';

export const remindQueue = {
  name: 'remind',
  policy: 'standard',
  retryLimit: 5,
  retryDelay: 1,
  expireInSeconds: 60,
} as const satisfies QueueSpec;

export function remindJob(context: ConversationContext): Job<'remind'> {
  return {
    name: 'remind',
    queue: remindQueue,
    concurrency: 1,
    handle: createRinging(context),
  };
}
