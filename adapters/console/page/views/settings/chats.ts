// Slack and Teams: state and what is missing.
import type { SettingsView } from '#domain/settings-view.ts';
import { listOf } from '#domain/words.ts';
import { html, type TemplateResult } from '../../lit.ts';
import type { Settings } from '../../live/state.ts';
import { drawBlock, drawCheck, drawFactList, drawState, drawWhere } from './parts.ts';

function drawMissing(name: string, guide: '/docs/slack' | '/docs/teams'): TemplateResult {
  return html`<p>
    ${name} is not connected. <a href=${guide}>Set it up in a few minutes</a>; people then ask, approve and follow plans where
    they talk anyway.
  </p>`;
}

function drawSlack(facts: SettingsView, settings: Settings): TemplateResult {
  const { slack } = facts.chats;
  const variables = ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET'];
  const many = [
    'SLACK_CLIENT_ID',
    'SLACK_CLIENT_SECRET',
    'SLACK_STATE_SECRET',
    'SLACK_ALLOWED_WORKSPACES',
    'COUNTERSIGN_ENCRYPTION_KEY',
  ];
  if (slack === null)
    return drawBlock(
      'Slack',
      html`${drawMissing('Slack', '/docs/slack')} ${drawWhere(facts, { variables })}`,
      drawState('off', 'Not connected'),
    );
  const { transport, workspaces, install_at: installAt, allowed } = slack;
  return drawBlock(
    'Slack',
    html`${drawFactList([
      ['Connection', transport === 'socket' ? 'Socket Mode' : 'HTTP, at /slack/events'],
      ['Workspaces', workspaces === 'one' ? 'One, by its token' : 'Every one that adds the app'],
      installAt === null ? null : ['Added at', html`<code>${installAt}</code>`],
      workspaces === 'one'
        ? null
        : ['May add it', allowed === null ? 'Any workspace' : listOf(allowed)],
    ])}
      ${drawCheck({ part: 'slack' }, settings, 'Check connection and scopes')}
      ${drawWhere(facts, { variables: workspaces === 'one' ? variables : many })}`,
    drawState('ok', 'Set up'),
  );
}

const kinds = {
  MultiTenant: 'Multi-tenant',
  SingleTenant: 'Single tenant',
  UserAssignedMSI: 'Managed identity',
  Local: 'A client on this machine, without a token',
} as const;

function drawTeams(facts: SettingsView, settings: Settings): TemplateResult {
  const { teams } = facts.chats;
  const variables = [
    'MicrosoftAppId',
    'MicrosoftAppPassword',
    'MicrosoftAppType',
    'MicrosoftAppTenantId',
    'TEAMS_ALLOWED_TENANTS',
  ];
  if (teams === null)
    return drawBlock(
      'Teams',
      html`${drawMissing('Teams', '/docs/teams')} ${drawWhere(facts, { variables })}`,
      drawState('off', 'Not connected'),
    );
  const { kind, app_id: appId, allowed } = teams;
  return drawBlock(
    'Teams',
    html`${drawFactList([
      ['Kind', kinds[kind]],
      appId === null ? null : ['App', html`<code>${appId}</code>`],
      kind === 'Local' ? null : ['Tenants', allowed === null ? 'Any' : listOf(allowed)],
      ['Listens at', html`<code>/api/messages</code>`],
    ])}
      ${drawCheck({ part: 'teams' }, settings, 'Check sign-in')}
      ${drawWhere(facts, { variables: kind === 'Local' ? ['COUNTERSIGN_TEAMS_LOCAL'] : variables })}`,
    drawState('ok', 'Set up'),
  );
}

export function drawChats(facts: SettingsView, settings: Settings): TemplateResult {
  return html`${drawSlack(facts, settings)} ${drawTeams(facts, settings)}`;
}
