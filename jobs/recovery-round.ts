// Finds lost jobs, leases and notifications, and due work.
import { createHomesRound, type HomesContext } from '#chat/homes.ts';
import type { InboxContext } from '#chat/inbox/inbox-context.ts';
import { createInboxRound } from '#chat/inbox/receive.ts';
import { createDeliveryRound } from '#chat/outbox/deliver-jobs.ts';
import type { DeliveryContext } from '#chat/outbox/delivery-context.ts';
import type { Crew } from '#executor/crew.ts';
import { askForLater } from '#executor/later.ts';
import { recover } from '#executor/recover.ts';
import type { ConversationContext } from '#messages/context.ts';
import { createRinging } from '#notices/reminders.ts';
import { lookAfterWebhooks, type WebhooksContext } from '#notices/webhooks/work-on-endpoint.ts';
import { extendSeries } from '#plans/change/extend-series.ts';
import { replanPlans } from '#plans/replan/start-replanning.ts';
import { retryAbandonedRuns } from '#runs/abandoned-runs.ts';

export type RecoveryRound = { stop(): Promise<void> };

/** Now and every `everyMs`. */
export function startRecoveryRound(
  crew: Crew,
  conversation: ConversationContext,
  inbox: InboxContext,
  delivery: DeliveryContext,
  homes: HomesContext,
  webhooks: WebhooksContext,
  sealAudit: () => Promise<void>,
  everyMs: number,
): RecoveryRound {
  const ringReminders = createRinging(conversation);
  const lookAfterInbox = createInboxRound(inbox);
  const lookAfterDelivery = createDeliveryRound(delivery);
  const lookAfterHomes = createHomesRound(homes);
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    // Isolates failures.
    const chores: [string, () => Promise<unknown>][] = [
      ['Recovery', () => recover(crew.context)],
      ['Looking for work', () => crew.lookForWork()],
      ['Reading the current activity', () => askForLater(crew.context, crew.backends)],
      ['Ringing reminders', ringReminders],
      ['Looking after runs', () => retryAbandonedRuns(conversation)],
      ['Looking after what comes again', () => extendSeries(conversation)],
      ['Replanning', () => replanPlans(conversation)],
      ['Looking after the inbox', lookAfterInbox],
      ['Looking after delivery', lookAfterDelivery],
      ['Looking after Homes', lookAfterHomes],
      ['Looking after webhooks', () => lookAfterWebhooks(webhooks)],
      ['Sealing the audit log', sealAudit],
    ];
    for (const [name, chore] of chores) {
      await chore().catch((error: unknown) =>
        crew.context.warn(`${name} failed; the next round follows.`, error),
      );
    }
    if (!stopped) timer = setTimeout(begin, everyMs);
  }

  function begin(): void {
    round = look();
  }

  begin();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}
