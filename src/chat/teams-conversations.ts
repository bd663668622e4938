// Stores data that Teams requires for writing.
import { lockConversation } from '#db/chat/messages.ts';
import {
  closeTeamsArea,
  markWelcomed,
  readPersonalChat,
  readTeamsConversation,
  reopenTeamsArea,
  storeTeamsConversation,
} from '#db/chat/teams-conversations.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import type { TeamsConversations } from '#domain/chat/teams-conversation.ts';
import { speakAsBot } from '#messages/store-message.ts';
import { openConversation } from './outbox/deliver-jobs.ts';
import type { DeliveryContext } from './outbox/delivery-context.ts';

const takenOut = 'The app was removed from this conversation in Teams. Add it again under Apps.';

export function createTeamsConversations(
  context: Pick<DeliveryContext, 'db' | 'enqueue'>,
): TeamsConversations {
  const { db, enqueue } = context;
  return {
    keep: (conversation) => storeTeamsConversation(db.query, conversation),
    find: (tenant, channel) => readTeamsConversation(db.query, tenant, channel),
    findPersonal: (tenant, person) => readPersonalChat(db.query, tenant, person),
    welcome: (place, text) =>
      db.transaction(async (tx) => {
        if (!(await markWelcomed(tx, place.tenant, place.channel))) return;
        // Conversation before place, as everywhere.
        await lockConversation(tx, conversationAt(place));
        const conversation = await openConversation(context, tx, place);
        await speakAsBot(context, tx, { conversation, says: text });
      }),
    leave: (area, sentAt) => db.transaction((tx) => closeTeamsArea(tx, area, takenOut, sentAt)),
    comeBack: (area, sentAt) =>
      db.transaction(async (tx) => {
        for (const conversation of await reopenTeamsArea(tx, area, sentAt))
          await enqueue(tx, 'deliver', { conversation }, { key: conversation });
      }),
  };
}
