// What Teams requires for writing to a conversation: stored for each conversation that sent something.
import type { ChatPlace } from './chat.ts';

/** A chat or a channel in which the bot is. */
export type TeamsConversation = {
  tenant: string;
  /** By Teams' own name, without the message of a thread. */
  channel: string;
  kind: 'personal' | 'group' | 'channel';
  /** Where its connector is. */
  service_url: string;
  /** The bot's own name there. */
  bot: string;
  /** Whose personal chat it is, by the name that Teams gives them for this bot. */
  person: string | null;
  /** The team of a channel. */
  team: string | null;
  /** Of the one whose personal chat it is; null: nobody knows. */
  timezone: string | null;
};

/** A chat or channel, or with `team` all channels of that. */
export type TeamsArea = { tenant: string; channel: string; team: string | null };

/** What the adapter keeps of conversations, and says in them unasked. */
export type TeamsConversations = {
  keep(conversation: TeamsConversation): Promise<void>;
  /** null: nothing ever came from there. */
  find(tenant: string, channel: string): Promise<TeamsConversation | null>;
  /** The chat in which somebody talks to the bot alone; null: none is known. */
  findPersonal(tenant: string, person: string): Promise<TeamsConversation | null>;
  /** Says hello at a place, the first time the bot comes to its channel. */
  welcome(place: ChatPlace, text: string): Promise<void>;
  /** The app was taken out of a chat or, with `team`, of that team: nothing is posted there until it is back. */
  leave(area: TeamsArea, sentAt: Date): Promise<void>;
  /** It is there again, and what waits is posted. As with `leave`, news that were sent before the last known change nothing. */
  comeBack(area: TeamsArea, sentAt: Date): Promise<void>;
};
