// Slack as a platform of the instance.
import { definePlatform } from '#chat/platform.ts';
import { readSlackAccess, type SlackAccess, slackVariables } from './access.ts';
import { slackDrawing } from './drawing.ts';

function describeReach({ transport, workspaces }: SlackAccess): string {
  const way = transport.kind === 'socket' ? 'in Socket Mode' : 'listens for Slack at /slack/events';
  return workspaces.kind === 'one' ? way : `${way}; workspaces add it at ${workspaces.installAt}`;
}

export const slack = definePlatform({
  name: 'slack',
  title: 'Slack',
  guide: 'docs/slack.md',
  variables: slackVariables,
  drawing: slackDrawing,
  read(env) {
    const access = readSlackAccess(env);
    if (access === null) return null;
    const { transport, workspaces } = access;
    const many = workspaces.kind === 'many' ? workspaces : null;
    return {
      shared: many !== null,
      reached: describeReach(access),
      facts: {
        transport: transport.kind,
        workspaces: workspaces.kind,
        install_at: many?.installAt ?? null,
        allowed: many === null ? [] : many.allowed,
      },
      open: async (parts) => (await import('./open-slack.ts')).openSlack(access, parts),
      check: async (warn) => (await import('./check.ts')).checkSlack(access, warn),
      advice: 'Set it again; docs/slack.md says where to find each token and secret.',
    };
  },
});
