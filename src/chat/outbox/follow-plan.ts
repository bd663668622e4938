// Requests an update of all live cards of a plan when the plan changes.
import { askForCards } from '#db/chat-posts.ts';
import { sendDelivery } from '#messages/ask-to-deliver.ts';
import type { DeliveryContext } from './delivery-context.ts';

/** Has every live card of the plan drawn from what is true now. @param later nobody has pressed for it */
export async function followPlan(
  { db, enqueue }: Pick<DeliveryContext, 'db' | 'enqueue'>,
  planId: string,
  later = false,
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const conversation of (await askForCards(tx, planId)).sort()) {
      await sendDelivery(enqueue, tx, conversation, later);
    }
  });
}
