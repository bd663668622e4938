// Slack installations with their organisations, and reachable Teams conversations.
import { boolean, index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import type { TeamsConversation } from '#domain/chat/teams-conversation.ts';
import { at, bytes, countersign } from './columns.ts';

/** For a workspace or a whole organisation. Installing again replaces it. */
export const slackInstallations = countersign.table('slack_installations', {
  /** The workspace (`T…`), or the organisation (`E…`) if org-wide. */
  owner: text('owner').primaryKey(),
  org_wide: boolean('org_wide').notNull(),
  name: text('name').notNull(),
  app_id: text('app_id').notNull(),
  scopes: text('scopes').array().notNull(),
  /** Encrypted, or null once removed. */
  token: bytes('token'),
  /** Late news about an earlier installation is ignored. */
  generation: integer('generation').notNull(),
  installed_by: text('installed_by').notNull(),
  installed_at: at('installed_at').notNull(),
  removed_at: at('removed_at'),
});

export const slackWorkspaces = countersign.table(
  'slack_workspaces',
  {
    team: text('team').primaryKey(),
    enterprise: text('enterprise').notNull(),
  },
  (t) => [index('slack_workspaces_enterprise').on(t.enterprise)],
);

/** Each is accepted once; kept until they expire. */
export const slackOauthStates = countersign.table(
  'slack_oauth_states',
  {
    id: text('id').primaryKey(),
    expires_at: at('expires_at').notNull(),
  },
  (t) => [index('slack_oauth_states_expiry').on(t.expires_at)],
);

export const teamsConversations = countersign.table(
  'teams_conversations',
  {
    tenant: text('tenant').notNull(),
    /** Teams' ID of a chat or channel, without the thread's message. */
    channel: text('channel').notNull(),
    kind: text('kind').$type<TeamsConversation['kind']>().notNull(),
    service_url: text('service_url').notNull(),
    bot: text('bot').notNull(),
    /** Owner of the personal chat, by Teams' ID for this bot. */
    person: text('person'),
    team: text('team'),
    timezone: text('timezone'),
    welcomed_at: at('welcomed_at'),
    removed_at: at('removed_at'),
    /** Teams' time of the latest known add or removal of the app. */
    news_at: at('news_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.channel] }),
    index('teams_conversations_person').on(t.tenant, t.person),
    index('teams_conversations_team').on(t.tenant, t.team),
  ],
);
