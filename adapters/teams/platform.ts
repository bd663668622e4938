// Teams as a platform of the instance.
import { definePlatform, type Platform } from '#chat/platform.ts';
import { readTeamsAccess, type TeamsAccess, teamsVariables } from './access.ts';
import type { TeamsCloud } from './connector/cloud.ts';
import { teamsDrawing } from './drawing.ts';

/** The tenants that may use it; null: any. */
function allowedOf(access: TeamsAccess): string[] | null {
  if (access.kind === 'MultiTenant') return access.allowed;
  return access.kind === 'Local' ? [] : [access.tenantId];
}

/** @param cloud another sign-in than Microsoft's; null: Microsoft's */
export const teamsWith = (cloud: TeamsCloud | null): Platform =>
  definePlatform({
    name: 'teams',
    title: 'Teams',
    guide: 'docs/teams.md',
    variables: teamsVariables,
    drawing: teamsDrawing,
    read(env) {
      const access = readTeamsAccess(env);
      if (access === null) return null;
      const local = access.kind === 'Local';
      return {
        shared: access.kind === 'MultiTenant',
        reached: local
          ? `listens at /api/messages without a token, for a Teams client on this machine (${env.HOST})`
          : 'listens for Teams at /api/messages',
        facts: {
          kind: access.kind,
          app_id: local ? null : access.appId,
          allowed: allowedOf(access),
        },
        async open(parts) {
          const [{ openTeams }, { openConnector }] = await Promise.all([
            import('./open-teams.ts'),
            import('./connector/open.ts'),
          ]);
          return openTeams(access, openConnector(access, cloud, parts.clock.now), parts);
        },
        check: async () => (await import('./check.ts')).checkTeams(access),
        advice: 'Set them again; docs/teams.md says where to find the app id and secret.',
      };
    },
  });

export const teams = teamsWith(null);
