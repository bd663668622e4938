// watch: not a queue but a round every few seconds in every worker, so that a lost job, lease or notification is put right.
import { retryAbandonedRuns } from '#conversation/abandoned-runs.ts';
import type { ConversationContext } from '#conversation/conversation-context.ts';
import type { DeliveryContext } from '#conversation/delivery/delivery-context.ts';
import { createDeliveryWatch, forgetPosts } from '#conversation/delivery/look-after.ts';
import type { HomesContext } from '#conversation/homes/homes-context.ts';
import { createHomesWatch } from '#conversation/homes/work-on-homes.ts';
import { forgetCodes } from '#conversation/identity/forget-codes.ts';
import type { InboxContext } from '#conversation/inbox/inbox-context.ts';
import { createInboxWatch, forgetHandled } from '#conversation/inbox/look-after.ts';
import { createRinging } from '#conversation/reminders.ts';
import type { Crew } from '#executor/crew.ts';
import { recover } from '#executor/recover.ts';
import { forgetOldResults } from '#planner/memo/memo.ts';
import { extendSeries } from '#plans/extend-series.ts';

export type Watch = { stop(): Promise<void> };

/** Looks at once and then every `everyMs`; a round that fails is logged and the next one comes. */
export function startWatch(
  crew: Crew,
  conversation: ConversationContext,
  inbox: InboxContext,
  delivery: DeliveryContext,
  homes: HomesContext,
  everyMs: number,
): Watch {
  const ringReminders = createRinging(conversation);
  const lookAfterInbox = createInboxWatch(inbox);
  const lookAfterDelivery = createDeliveryWatch(delivery);
  const lookAfterHomes = createHomesWatch(homes);
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    // Each by itself: one that fails does not keep the others from their turn.
    const chores: [string, () => Promise<unknown>][] = [
      ['Recovery', () => recover(crew.context)],
      ['Looking for work', () => crew.lookForWork()],
      ['Ringing reminders', ringReminders],
      ['Looking after runs', () => retryAbandonedRuns(conversation)],
      [
        'Forgetting old results',
        () => forgetOldResults(conversation.db.query, conversation.clock.now()),
      ],
      ['Looking after what comes again', () => extendSeries(conversation)],
      ['Looking after the inbox', lookAfterInbox],
      ['Looking after delivery', lookAfterDelivery],
      ['Looking after Homes', lookAfterHomes],
      ['Forgetting handled events', () => forgetHandled(inbox)],
      ['Forgetting old posts', () => forgetPosts(delivery)],
      ['Forgetting codes', () => forgetCodes(conversation)],
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
