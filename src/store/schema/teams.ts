// Where Teams can be written to: what a bot has to know of a conversation in order to speak there first, or after a restart.
import { index, primaryKey, text } from 'drizzle-orm/pg-core';
import type { TeamsConversation } from '#contracts/teams-conversation.ts';
import { at, countersign } from './columns.ts';

export const teamsConversations = countersign.table(
  'teams_conversations',
  {
    tenant: text('tenant').notNull(),
    /** A chat or a channel by Teams' own name, without the message of a thread. */
    channel: text('channel').notNull(),
    kind: text('kind').$type<TeamsConversation['kind']>().notNull(),
    /** Of the activity that came from there last, whose token vouched for it. */
    service_url: text('service_url').notNull(),
    /** The bot's own name there. */
    bot: text('bot').notNull(),
    /** Whose personal chat it is, by the name that Teams gives them for this bot. */
    person: text('person'),
    /** The team of a channel. */
    team: text('team'),
    /** Of the one whose personal chat it is. */
    timezone: text('timezone'),
    welcomed_at: at('welcomed_at'),
    /** The app was taken out. */
    removed_at: at('removed_at'),
    /** When the latest was sent that is known of the app being added or taken out, by Teams' time. */
    news_at: at('news_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.channel] }),
    index('teams_conversations_person').on(t.tenant, t.person),
    index('teams_conversations_team').on(t.tenant, t.team),
  ],
);
