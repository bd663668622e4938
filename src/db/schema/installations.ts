// Tables of Slack installations: where the app is installed, and which organisation a workspace belongs to.
import { boolean, index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import type { TeamsConversation } from '#domain/chat/teams-conversation.ts';
import { at, bytes, countersign } from './columns.ts';

/** An installation in a workspace, or in an organisation for all its workspaces. Who installs again replaces it. */
export const slackInstallations = countersign.table('slack_installations', {
  /** The workspace, `T…`; org-wide, the organisation, `E…`. */
  owner: text('owner').primaryKey(),
  org_wide: boolean('org_wide').notNull(),
  name: text('name').notNull(),
  app_id: text('app_id').notNull(),
  /** Scopes of the token. */
  scopes: text('scopes').array().notNull(),
  /** The bot token, encrypted; null since it was removed. */
  token: bytes('token'),
  /** Counts the installations, so that news about an earlier one changes nothing of a later one. */
  generation: integer('generation').notNull(),
  /** Slack's user who did it. */
  installed_by: text('installed_by').notNull(),
  installed_at: at('installed_at').notNull(),
  removed_at: at('removed_at'),
});

/** Workspaces that are served by the installation of their organisation. */
export const slackWorkspaces = countersign.table(
  'slack_workspaces',
  {
    team: text('team').primaryKey(),
    enterprise: text('enterprise').notNull(),
  },
  (t) => [index('slack_workspaces_enterprise').on(t.enterprise)],
);

/** Installations that have come back from Slack; none comes back twice. Kept as long as they could. */
export const slackOauthStates = countersign.table(
  'slack_oauth_states',
  {
    id: text('id').primaryKey(),
    expires_at: at('expires_at').notNull(),
  },
  (t) => [index('slack_oauth_states_expiry').on(t.expires_at)],
);

// Where Teams can be written to: what a bot has to know of a conversation in order to speak there first, or after a restart.

export const teamsConversations = countersign.table(
  'teams_conversations',
  {
    tenant: text('tenant').notNull(),
    /** A chat or a channel by Teams' own name, without the message of a thread. */
    channel: text('channel').notNull(),
    kind: text('kind').$type<TeamsConversation['kind']>().notNull(),
    /** From the latest activity whose token vouched for it. */
    service_url: text('service_url').notNull(),
    /** The bot's own name there. */
    bot: text('bot').notNull(),
    /** The owner of the personal chat, by the name Teams uses for this bot. */
    person: text('person'),
    /** The team of a channel. */
    team: text('team'),
    /** The personal chat owner's zone. */
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
