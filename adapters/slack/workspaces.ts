// Slack's client for each workspace. Every token comes through `tokenOf`, so that where they are kept is one function's affair.
import { webApi } from '@slack/bolt';
import type { SlackAccess } from '#contracts/chat-access.ts';
import { CountersignError } from '#contracts/errors.ts';
import { explainSlackError } from './port/explain-error.ts';
import type { SlackLogger } from './slack-logger.ts';

/** The bot token of a workspace. @throws CountersignError `not_allowed` when the app is not installed there */
export type TokenOf = (team: string) => Promise<string>;

type WebClient = webApi.WebClient;
export type ClientOf = (team: string) => Promise<WebClient>;

/** Milliseconds until a call counts as lost. */
const callWithinMs = 10_000;

type ClientOptions = { apiUrl: string | undefined; logger: SlackLogger };

/** A client that neither waits nor tries again: whoever calls knows whether that is safe. */
export function createClient(token: string, { apiUrl, logger }: ClientOptions): WebClient {
  return new webApi.WebClient(token, {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    logger,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: callWithinMs,
  });
}

/** One workspace by its token, whichever that is: Slack is asked once, and no other one is served with it. */
function tokenOfOne(botToken: string, options: ClientOptions): TokenOf {
  let known: string | undefined;
  return async (team) => {
    if (known === undefined) {
      try {
        const { team_id } = await createClient(botToken, options).auth.test();
        known = team_id;
      } catch (error) {
        throw explainSlackError(error, 'say whose token this is');
      }
    }
    if (known === team) return botToken;
    throw new CountersignError(
      'not_allowed',
      `SLACK_BOT_TOKEN is of the workspace ${known ?? 'unknown'}, not of ${team}. Install the app in one of both only.`,
    );
  };
}

/** Where tokens come from, by what is set. */
export function createTokenOf({ workspaces }: SlackAccess, options: ClientOptions): TokenOf {
  if (workspaces.kind === 'one') return tokenOfOne(workspaces.botToken, options);
  return async (team) => {
    throw new CountersignError(
      'not_allowed',
      `Countersign is not installed in the Slack workspace ${team}. Add it there first.`,
    );
  };
}

export function createClientOf(tokenOf: TokenOf, options: ClientOptions): ClientOf {
  const clients = new Map<string, { token: string; client: WebClient }>();
  return async (team) => {
    const token = await tokenOf(team);
    const known = clients.get(team);
    if (known?.token === token) return known.client;
    const client = createClient(token, options);
    clients.set(team, { token, client });
    return client;
  };
}
