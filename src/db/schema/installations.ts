// Installation tables: Slack installations with their organisations, and reachable Teams conversations.
import { boolean, index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import type { TeamsConversation } from '#domain/chat/teams-conversation.ts';
import { at, bytes, countersign } from './columns.ts';

/** A workspace installation, or an organisation's for all its workspaces. Installing again replaces it. */
export const slackInstallations = countersign.table('slack_installations', {
  /** The workspace (`T…`), or the organisation (`E…`) if org-wide. */
  owner: text('owner').primaryKey(),
  org_wide: boolean('org_wide').notNull(),
  name: text('name').notNull(),
  app_id: text('app_id').notNull(),
  scopes: text('scopes').array().notNull(),
  /** Encrypted bot token, or null once removed. */
  token: bytes('token'),
  /** Installation counter, so that late news about an earlier one is ignored. */
  generation: integer('generation').notNull(),
  /** The Slack user who installed it. */
  installed_by: text('installed_by').notNull(),
  installed_at: at('installed_at').notNull(),
  removed_at: at('removed_at'),
});

/** Workspaces covered by their organisation's installation. */
export const slackWorkspaces = countersign.table(
  'slack_workspaces',
  {
    team: text('team').primaryKey(),
    enterprise: text('enterprise').notNull(),
  },
  (t) => [index('slack_workspaces_enterprise').on(t.enterprise)],
);

/** OAuth states that Slack returned, kept until they expire; each is accepted once. */
export const slackOauthStates = countersign.table(
  'slack_oauth_states',
  {
    id: text('id').primaryKey(),
    expires_at: at('expires_at').notNull(),
  },
  (t) => [index('slack_oauth_states_expiry').on(t.expires_at)],
);

// Data for posting to a Teams conversation first, or after a restart.

export const teamsConversations = countersign.table(
  'teams_conversations',
  {
    tenant: text('tenant').notNull(),
    /** Teams' ID of a chat or channel, without the thread's message. */
    channel: text('channel').notNull(),
    kind: text('kind').$type<TeamsConversation['kind']>().notNull(),
    /** From the latest activity with a valid token. */
    service_url: text('service_url').notNull(),
    bot: text('bot').notNull(),
    /** Owner of the personal chat, by Teams' ID for this bot. */
    person: text('person'),
    /** The channel's team. */
    team: text('team'),
    /** The personal chat owner's zone. */
    timezone: text('timezone'),
    welcomed_at: at('welcomed_at'),
    removed_at: at('removed_at'),
    /** Send time, by Teams' clock, of the latest known add or removal of the app. */
    news_at: at('news_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.channel] }),
    index('teams_conversations_person').on(t.tenant, t.person),
    index('teams_conversations_team').on(t.tenant, t.team),
  ],
);
