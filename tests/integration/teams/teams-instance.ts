// An instance called by Teams' double over HTTP.
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { teamsWith } from '#adapters/teams/platform.ts';
import { serve } from '#app/serve.ts';
import type { Planner } from '#domain/planning/run.ts';
import { type Connector, startConnector } from '../../fixtures/teams/connector.ts';
import type { Message } from '../../fixtures/teams/sent-cards.ts';
import type { TestDatabase } from '../../setup/database.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { createSharing } from '../../setup/share.ts';
import { waitFor } from '../../wait.ts';

export type TeamsInstance = { teams: Connector; instance: TestInstance };

export type TeamsInstanceOptions = {
  planner?: Planner;
  settings?: object;
  work?: boolean;
  env?: Record<string, string>;
  /** The tenant vouches for its people's addresses. */
  single?: boolean;
  /** Not shared with other tests. */
  own?: boolean;
};

/** Ends with the test or by `leave`. */
export async function openTeamsInstance(
  url: string,
  teams: Connector,
  options: TeamsInstanceOptions = {},
) {
  const opened = await open(url, teams, options);
  onTestFinished(opened.leave);
  return opened;
}

async function open(url: string, teams: Connector, options: TeamsInstanceOptions) {
  const { planner, settings, work, single = true } = options;
  const instance = await openTestInstance(url, {
    env: {
      MicrosoftAppId: teams.appId,
      MicrosoftAppPassword: 'a-client-secret',
      ...(single
        ? { MicrosoftAppTenantId: teams.tenant }
        : { TEAMS_ALLOWED_TENANTS: teams.tenant }),
      PORT: '0',
      ...options.env,
    },
    platforms: [teamsWith(teams.cloud)],
    inboxRule: { backoffMs: 20, longestBackoffMs: 40, lateSeconds: 0 },
    deliveryRule: { backoffMs: 20, longestBackoffMs: 40, paceMs: 50 },
    ...(planner === undefined ? {} : { planner }),
    ...(settings === undefined ? {} : { settings }),
    ...(work === undefined ? {} : { work }),
  });
  const { app, port } = await serve(instance, instance.config, pino({ level: 'silent' }));
  teams.connect(`http://127.0.0.1:${port}/api/messages`);
  let left = false;
  const leave = async () => {
    if (left) return;
    left = true;
    await app.close();
    await instance.close();
  };
  return { instance, leave };
}

export async function startTeams(url: string, options: TeamsInstanceOptions = {}) {
  const teams = await startConnector();
  const { instance, leave } = await open(url, teams, options);
  const close = async () => {
    await leave();
    await teams.end();
  };
  return { teams, instance, leave, close };
}

const share = createSharing(startTeams, async ({ teams }) => teams.forget());

/** The double is reset for each test. */
export const useTeamsInstance = (
  database: TestDatabase,
  options: TeamsInstanceOptions = {},
): Promise<TeamsInstance & { leave(): Promise<void> }> => share(database, options);

export function findMessage(
  { messages }: Connector,
  conversation: string,
  words: string,
): Message | null {
  return (
    messages.findLast(
      (one) => one.conversation === conversation && JSON.stringify(one.activity).includes(words),
    ) ?? null
  );
}

export function awaitMessage(
  teams: Connector,
  conversation: string,
  words: string,
): Promise<Message> {
  return waitFor(`a message with “${words}”`, async () => findMessage(teams, conversation, words), {
    timeoutMs: 20_000,
  });
}
