// Slack's client for each workspace. Every token comes through `Tokens`, so that where they are kept is one place's affair.
import { webApi } from '@slack/bolt';
import { CountersignError } from '#domain/errors.ts';
import { createRecent } from '#domain/recent.ts';
import { explainSlackError } from './calls/explain-error.ts';
import type { SlackLogger } from './slack-logger.ts';

/** Where the bot tokens of workspaces come from. */
export type Tokens = {
  /** @throws CountersignError `not_allowed` when the app is not installed there */
  of(team: string): Promise<string>;
  /** The only workspace; null: there are several. @throws CountersignError */
  only(): Promise<string | null>;
  /**
   * Slack does not take `token` any more, and says why.
   * @returns the one that holds instead; null: Slack's own words are all there is to say
   * @throws CountersignError that says what an operator has to do
   */
  renew(team: string, token: string, reason: string): Promise<string | null>;
};

type WebClient = webApi.WebClient;
/** @param givenUp ends every call of this client, the one under way too */
export type ClientOf = (team: string, givenUp?: AbortSignal) => Promise<WebClient>;

/** Workspaces whose client is kept; another one is as quickly made. */
const maxKept = 1000;

/** Milliseconds until a call counts as lost. */
const callWithinMs = 10_000;

export type ClientOptions = { apiUrl: string | undefined; logger: SlackLogger };

export const settingsOf = ({ apiUrl, logger }: ClientOptions): webApi.WebClientOptions => ({
  ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
  logger,
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  timeout: callWithinMs,
});

/** A client that neither waits nor tries again: the caller knows whether that is safe. */
export function createClient(token: string, options: ClientOptions): WebClient {
  return new webApi.WebClient(token, settingsOf(options));
}

/** Calls that end with `signal`. */
export const fetchUntil =
  (signal: AbortSignal): NonNullable<webApi.WebClientOptions['fetch']> =>
  (url, init) =>
    fetch(url, { ...init, signal: AbortSignal.any([signal, init?.signal ?? signal]) });

/** Refusals that are about a token, whichever. What was refused so was not done. */
export const tokenRefusals = new Set([
  'account_inactive',
  'invalid_auth',
  'token_expired',
  'token_revoked',
]);

/** Why Slack does not take a token; null: that is not what is wrong. */
export function tokenRefusalOf(error: unknown): string | null {
  if (!(error instanceof webApi.WebAPIPlatformError)) return null;
  return tokenRefusals.has(error.data.error) ? error.data.error : null;
}

/** A client that goes on with the next token when its own was replaced meanwhile. */
class WorkspaceClient extends webApi.WebClient {
  readonly #renew: (reason: string) => Promise<WebClient | null>;

  constructor(
    token: string,
    options: webApi.WebClientOptions,
    renew: (reason: string) => Promise<WebClient | null>,
  ) {
    super(token, options);
    this.#renew = renew;
  }

  override async apiCall(method: string, options?: Record<string, unknown>) {
    try {
      return await super.apiCall(method, options);
    } catch (error) {
      const reason = tokenRefusalOf(error);
      const next = reason === null ? null : await this.#renew(reason);
      if (next === null) throw error;
      return next.apiCall(method, options);
    }
  }
}

/** One workspace by its token, whichever that is: Slack is asked once, and no other one is served with it. */
export function tokensOfOne(botToken: string, options: ClientOptions): Tokens {
  let known: string | undefined;
  async function findOwn(): Promise<string | undefined> {
    if (known !== undefined) return known;
    try {
      const { team_id } = await createClient(botToken, options).auth.test();
      known = team_id;
    } catch (error) {
      throw explainSlackError(error, 'say whose token this is');
    }
    return known;
  }
  return {
    only: async () => (await findOwn()) ?? null,
    async of(team) {
      const own = await findOwn();
      if (own === team) return botToken;
      throw new CountersignError(
        'not_allowed',
        `SLACK_BOT_TOKEN is of the workspace ${own ?? 'unknown'}, not of ${team}. Install the app in one of both only.`,
      );
    },
    renew: async () => null,
  };
}

export function createClientOf(tokens: Tokens, options: ClientOptions): ClientOf {
  const clients = createRecent<{ token: string; client: WebClient }>({ keep: maxKept });
  function makeClient(team: string, token: string, givenUp?: AbortSignal): WebClient {
    const ends = givenUp === undefined ? {} : { fetch: fetchUntil(givenUp) };
    return new WorkspaceClient(token, { ...settingsOf(options), ...ends }, async (reason) => {
      const next = await tokens.renew(team, token, reason);
      return next === null ? null : clientWith(team, next, givenUp);
    });
  }
  function clientWith(team: string, token: string, givenUp?: AbortSignal): WebClient {
    if (givenUp !== undefined) return makeClient(team, token, givenUp);
    const known = clients.get(team);
    if (known?.token === token) return known.client;
    const client = makeClient(team, token);
    clients.set(team, { token, client });
    return client;
  }
  return async (team, givenUp) => clientWith(team, await tokens.of(team), givenUp);
}
