// Teams as a platform of the instance.
import { drawAdaptiveCard, drawAdaptiveText } from '#cards/expand.ts';
import { fitCard, measureCard, platformLimits } from '#cards/limits.ts';
import { addRefresh } from '#cards/press.ts';
import { drawPlainText, drawText } from '#cards/text.ts';
import type { CardDrawing } from '#chat/outbox/draw-message.ts';
import { definePlatform, type Platform } from '#chat/platform.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import { readTeamsAccess, type TeamsAccess, teamsVariables } from './access.ts';
import type { TeamsCloud } from './connector/cloud.ts';

export const teamsDrawing: CardDrawing = {
  text: drawAdaptiveText,
  card(above, view) {
    const { body: textBody } = drawAdaptiveText(above);
    const card = fitCard(
      view,
      (shrunk) => {
        const drawn = drawAdaptiveCard(shrunk);
        return addRefresh({ ...drawn, body: [textBody, drawn.body].flat() }, shrunk);
      },
      (all) => measureCard(all) <= platformLimits.teams.payload,
    );
    return { card };
  },
  words: (view) => ('paragraphs' in view ? drawPlainText(view) : drawText(view)),
  readAloud: 'card',
  forReaders: true,
};

function allowedOf(access: TeamsAccess): string[] | null {
  if (access.kind === 'MultiTenant') return access.allowed;
  return access.kind === 'Local' ? [] : [access.tenantId];
}

const openToAll =
  'Set TEAMS_ALLOWED_TENANTS to tenant IDs. Otherwise anyone who knows the app ID can add the bot to their own tenant.';

/** @throws CountersignError with advice for an operator */
async function checkTeams(access: TeamsAccess): Promise<Omit<CheckResult, 'part'>> {
  if (access.kind === 'Local')
    return { state: 'ok', text: 'Without a token, for a client on this machine' };
  const { tryToSignIn } = await import('./connector/open.ts');
  await tryToSignIn(access);
  const open = access.kind === 'MultiTenant' && access.allowed === null;
  const text = `${access.kind} bot ${access.appId}`;
  return { state: 'ok', text, ...(open ? { advice: openToAll } : {}) };
}

/** @param cloud replaces Microsoft's public cloud */
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
        check: () => checkTeams(access),
        advice: 'Set them again; docs/teams.md says where to find the app id and secret.',
      };
    },
  });

export const teams = teamsWith(null);
