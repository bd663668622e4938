// Stores an installation; of two concurrent ones the later.
import type { Installation } from '@slack/bolt';
import type { NewSlackInstallation, SlackInstallations } from '#domain/chat/slack-installation.ts';
import { CountersignError } from '#domain/errors.ts';

/** @throws CountersignError on problems with the app */
export function readInstallation(given: Installation): NewSlackInstallation {
  const { bot, team, enterprise, isEnterpriseInstall, appId, user } = given;
  const org_wide = isEnterpriseInstall === true;
  const owner = org_wide ? enterprise : team;
  if (bot === undefined || owner === undefined || appId === undefined)
    throw new CountersignError('not_allowed', 'Slack gave no bot token for the installation.');
  if (bot.refreshToken !== undefined)
    throw new CountersignError(
      'not_allowed',
      'Countersign doesn’t support token rotation. Recreate the Slack app from the manifest, without token rotation.',
    );
  return {
    owner: owner.id,
    org_wide,
    name: owner.name ?? owner.id,
    app_id: appId,
    scopes: bot.scopes,
    installed_by: user.id,
    token: bot.token,
  };
}

/** Attempts while others store. */
const looks = 20;

/**
 * Only Slack knows which is later: it revokes the earlier token, or gives both the same.
 * @param isAlive the token is valid
 */
export async function keepInstallation(
  installations: Pick<SlackInstallations, 'read' | 'store'>,
  installation: NewSlackInstallation,
  isAlive: (token: string) => Promise<boolean>,
): Promise<void> {
  for (let look = 0; look < looks; look++) {
    const before = await installations.read(installation.owner);
    const { token = null, generation = null } = before ?? {};
    if (token !== null && token !== installation.token && !(await isAlive(installation.token)))
      return;
    if (await installations.store(installation, generation)) return;
  }
  throw new CountersignError(
    'tool_unavailable',
    'Too many installations of one workspace at once.',
    {
      passesAfterMs: 0,
    },
  );
}
