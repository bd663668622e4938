// Dependencies of the Teams adapter's parts.
import type { ChatContext } from '#chat/platform.ts';
import type { ChatPort } from '#domain/chat/chat.ts';
import type { TeamsConversations } from '#domain/chat/teams-conversation.ts';
import type { People } from './people.ts';

export type TeamsContext = ChatContext & {
  people: People;
  port: ChatPort;
  conversations: TeamsConversations;
};
