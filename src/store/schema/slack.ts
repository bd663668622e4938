// Where the Slack app is installed, of which organisation a workspace is, and which installations have come back from Slack.
import { boolean, index, integer, text } from 'drizzle-orm/pg-core';
import { at, bytes, countersign } from './columns.ts';

/** An installation in a workspace, or in an organisation for all its workspaces. Who installs again replaces it. */
export const slackInstallations = countersign.table('slack_installations', {
  /** The workspace, `T…`; org-wide, the organisation, `E…`. */
  owner: text('owner').primaryKey(),
  org_wide: boolean('org_wide').notNull(),
  name: text('name').notNull(),
  app_id: text('app_id').notNull(),
  /** What the token may be used for. */
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
