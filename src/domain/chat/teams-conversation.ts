// Data Teams requires to write to a conversation.
import type { ChatPlace } from './chat.ts';

export type TeamsConversation = {
  tenant: string;
  /** Without a thread's message ID. */
  channel: string;
  kind: 'personal' | 'group' | 'channel';
  service_url: string;
  bot: string;
  /** Teams ID for this bot, in a personal chat. */
  person: string | null;
  team: string | null;
  timezone: string | null;
};

/** With `team`: all its channels. */
export type TeamsArea = { tenant: string; channel: string; team: string | null };

export type TeamsConversations = {
  keep(conversation: TeamsConversation): Promise<void>;
  find(tenant: string, channel: string): Promise<TeamsConversation | null>;
  findPersonal(tenant: string, person: string): Promise<TeamsConversation | null>;
  /** When the bot first joins the channel. */
  welcome(place: ChatPlace, text: string): Promise<void>;
  /** The app was removed; nothing is posted. */
  leave(area: TeamsArea, sentAt: Date): Promise<void>;
  /** Sends waiting posts. Both ignore old news. */
  comeBack(area: TeamsArea, sentAt: Date): Promise<void>;
};
