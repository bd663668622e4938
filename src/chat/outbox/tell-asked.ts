// Notifies each asked person once, by direct message.
import { storePlace } from '#db/chat/places.ts';
import type { PostRow } from '#db/chat/posts.ts';
import type { Asked } from '#domain/chat/asked.ts';
import { conversationAt, type Reached } from '#domain/chat/chat.ts';
import { readParts } from '#domain/chat/message-parts.ts';
import { speakAsBot } from '#messages/store-message.ts';
import type { DeliveryContext } from './delivery-context.ts';

type NotifiedPerson = {
  name: string;
  place: NonNullable<Reached['place']>;
  timezone: string | null;
};

async function send(
  { db, enqueue }: DeliveryContext,
  { key, plan_id, title, what, text, by }: Asked,
  { name, place, timezone }: NotifiedPerson,
  link: string | null,
): Promise<void> {
  await db.transaction(async (tx) => {
    await storePlace(tx, place, timezone);
    await speakAsBot({ enqueue }, tx, {
      conversation: conversationAt(place),
      says: {
        kind: 'notice',
        facts: { code: 'asked', plan_id, title, what, text, by, link },
        action: null,
      },
      once: `${key}:${name}`,
    });
  });
}

/** Stored before the card counts as posted. @param alone only one person reads the card's place */
export async function tellAsked(
  context: DeliveryContext,
  { conversation, alone }: { conversation: string; alone: boolean },
  { message_id: id, plan_id, parts }: PostRow,
  { reached, link }: { reached: Reached[]; link: string | null },
): Promise<void> {
  if (reached.length === 0) return;
  // Skips people who acted meanwhile.
  const asker = { id, conversation, plan_id, parts: readParts(parts), alone };
  const asked = await context.readAsked(asker);
  if (asked === null) return;
  const still = new Set(asked.people.map(({ name }) => name));
  for (const { name, place, timezone } of reached) {
    if (place === null || !still.has(name) || conversationAt(place) === conversation) continue;
    await send(context, asked, { name, place, timezone }, link);
  }
}
