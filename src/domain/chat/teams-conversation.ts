// Data that Teams requires for writing to a conversation, stored from incoming messages.
import type { ChatPlace } from './chat.ts';

/** A chat or channel with the bot. */
export type TeamsConversation = {
  tenant: string;
  /** Teams' ID, without a thread's message. */
  channel: string;
  kind: 'personal' | 'group' | 'channel';
  /** Its connector's URL. */
  service_url: string;
  bot: string;
  /** The other person in a personal chat, by Teams' ID for this bot. */
  person: string | null;
  /** The team of a channel. */
  team: string | null;
  /** Time zone of a personal chat's person, or null if unknown. */
  timezone: string | null;
};

/** A chat or channel, or with `team` all its channels. */
export type TeamsArea = { tenant: string; channel: string; team: string | null };

/** The adapter's stored conversations, and its unprompted messages in them. */
export type TeamsConversations = {
  keep(conversation: TeamsConversation): Promise<void>;
  /** Null if nothing was ever received from there. */
  find(tenant: string, channel: string): Promise<TeamsConversation | null>;
  /** A person's private chat with the bot, or null if unknown. */
  findPersonal(tenant: string, person: string): Promise<TeamsConversation | null>;
  /** Greets a place when the bot first joins its channel. */
  welcome(place: ChatPlace, text: string): Promise<void>;
  /** The app was removed from a chat or, with `team`, a team: nothing is posted until it is back. */
  leave(area: TeamsArea, sentAt: Date): Promise<void>;
  /** It is back, and waiting posts are sent. Like `leave`, ignores news older than the last known change. */
  comeBack(area: TeamsArea, sentAt: Date): Promise<void>;
};
