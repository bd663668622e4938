// A whole house that Teams' double reaches over HTTP, with signed tokens.
import pino from 'pino';
import { onTestFinished } from 'vitest';
import type { Planner } from '#contracts/run.ts';
import { type Connector, startConnector } from '#tests/fixtures/teams/connector.ts';
import type { Message } from '#tests/fixtures/teams/sent-cards.ts';
import { openTestHouse, type TestHouse } from '#tests/setup/house.ts';
import { waitFor } from '#tests/wait.ts';
import { serve } from '../../../src/serve.ts';

export type TeamsHouse = { teams: Connector; house: TestHouse };

type Options = {
  planner?: Planner;
  settings?: object;
  work?: boolean;
  teams?: Connector;
  /** The tenant vouches for its people by their addresses. */
  single?: boolean;
};

/** A house that Teams calls, which ends with the test or by `leave`. */
export async function openTeamsHouse(url: string, teams: Connector, options: Options = {}) {
  const { planner, settings, work, single = true } = options;
  const house = await openTestHouse(url, {
    env: {
      MicrosoftAppId: teams.appId,
      MicrosoftAppPassword: 'a-client-secret',
      ...(single
        ? { MicrosoftAppTenantId: teams.tenant }
        : { TEAMS_ALLOWED_TENANTS: teams.tenant }),
      PORT: '0',
    },
    teamsCloud: teams.cloud,
    inboxRule: { backoffMs: 20, longestBackoffMs: 40, lateSeconds: 0 },
    deliveryRule: { backoffMs: 20, longestBackoffMs: 40, paceMs: 50 },
    ...(planner === undefined ? {} : { planner }),
    ...(settings === undefined ? {} : { settings }),
    ...(work === undefined ? {} : { work }),
  });
  const { app, port } = await serve(house, house.config, pino({ level: 'silent' }));
  teams.connect(`http://127.0.0.1:${port}/api/messages`);
  let left = false;
  const leave = async () => {
    if (left) return;
    left = true;
    await app.close();
    await house.close();
  };
  onTestFinished(leave);
  return { house, leave };
}

/** A double, and a house it calls; both end with the test. */
export async function useTeamsHouse(
  url: string,
  options: Options = {},
): Promise<TeamsHouse & { leave(): Promise<void> }> {
  const teams = options.teams ?? (await startConnector());
  onTestFinished(() => teams.end());
  return { teams, ...(await openTeamsHouse(url, teams, options)) };
}

/** The last message in a conversation whose content has `words`. */
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
