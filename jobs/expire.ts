// expire: reminds about proposals nobody decides, and cancels them in the end.
import type { ConversationContext } from '#conversation/conversation-context.ts';
import { expireProposals } from '#conversation/expire.ts';
import type { QueueSpec } from '#store/boss.ts';
import type { Job } from './job.ts';

/** How often proposals are looked through. */
export const expireCron = '*/10 * * * *';

export const expireQueue = {
  name: 'expire',
  policy: 'short',
  retryLimit: 1,
  retryDelay: 10,
  expireInSeconds: 300,
} as const satisfies QueueSpec;

export function expireJob(context: ConversationContext, staleAfterDays: number): Job<'expire'> {
  return {
    queue: expireQueue,
    concurrency: 1,
    handle: () => expireProposals(context, staleAfterDays),
  };
}
