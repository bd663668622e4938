// What Teams has to be told in order to be written to: kept of every conversation from which something came.

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
