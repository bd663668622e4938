// Opens the configured chat platforms. A platform's libraries load only where it is configured.
import type { openSlack, SlackAdapter } from '#adapters/slack/open-slack.ts';
import type { TeamsCloud } from '#adapters/teams/connector/cloud.ts';
import type { openTeams, TeamsAdapter } from '#adapters/teams/open-teams.ts';
import { createSlackInstallations, warnOfForeignKeys } from '#chat/slack-installations.ts';
import type { Database, Transaction } from '#db/database.ts';
import { createRateLimits } from '#db/rate-limits.ts';
import { createSeal } from '#db/seal.ts';
import type { SlackAccess } from '#domain/chat/access.ts';
import type { SlackInstallations } from '#domain/chat/slack-installation.ts';
import { systemClock } from '#domain/clock.ts';
import type { EnqueueAll } from '#domain/jobs.ts';
import type { Config } from '../config.ts';

/** Where several workspaces of Slack are kept; null: there is one, by its token. */
async function openInstallations(
  { workspaces }: SlackAccess,
  parts: { db: Database; enqueueAll: EnqueueAll<Transaction>; warn(message: string): void },
): Promise<SlackInstallations | null> {
  if (workspaces.kind === 'one') return null;
  const { encryptionKey, installAt } = workspaces;
  const seal = createSeal(encryptionKey);
  const installations = createSlackInstallations({
    ...parts,
    seal,
    clock: systemClock,
    installAt,
  });
  await warnOfForeignKeys(installations, { ...parts, installAt });
  return installations;
}

/** null: Slack is not set up. */
export async function loadSlack(
  { slack: access, timezone }: Config,
  parts: Pick<
    Parameters<typeof openSlack>[0],
    'service' | 'serveWithin' | 'namesOf' | 'openConversation' | 'openHome' | 'renewGroups' | 'warn'
  > &
    Parameters<typeof openInstallations>[1],
): Promise<SlackAdapter | null> {
  if (access === null) return null;
  const installations = await openInstallations(access, parts);
  const { openSlack } = await import('#adapters/slack/open-slack.ts');
  const limits = createRateLimits(parts.db.query);
  return openSlack({ ...parts, access, installations, clock: systemClock, limits, timezone });
}

/** null: Teams is not set up. */
export async function loadTeams(
  { teams: access, timezone }: Config,
  {
    cloud,
    ...parts
  }: Pick<
    Parameters<typeof openTeams>[0],
    | 'service'
    | 'serveWithin'
    | 'conversations'
    | 'namesOf'
    | 'everyNameOf'
    | 'openConversation'
    | 'warn'
  > & {
    /** Another sign-in than Microsoft's; null: Microsoft's. */
    cloud: TeamsCloud | null;
  },
): Promise<TeamsAdapter | null> {
  if (access === null) return null;
  const [{ openTeams }, { openConnector }] = await Promise.all([
    import('#adapters/teams/open-teams.ts'),
    import('#adapters/teams/connector/open.ts'),
  ]);
  const clock = systemClock;
  const connector = openConnector(access, cloud, clock.now);
  return openTeams({ ...parts, access, connector, clock, timezone });
}
