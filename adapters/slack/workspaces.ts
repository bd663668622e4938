// Slack's client per workspace.
import { webApi } from '@slack/bolt';
import { CountersignError } from '#domain/errors.ts';
import { createRecent } from '#domain/recent.ts';
import { explainSlackError } from './calls/explain-error.ts';
import type { SlackLogger } from './slack-logger.ts';

export type Tokens = {
  /** @throws CountersignError `not_allowed` without the app */
  of(team: string): Promise<string>;
  /** Null if several. @throws CountersignError */
  only(): Promise<string | null>;
  /**
   * After Slack refused `token`. @returns a valid one, or null if there is nothing to add
   * @throws CountersignError with advice for an operator
   */
  renew(team: string, token: string, reason: string): Promise<string | null>;
};

type WebClient = webApi.WebClient;
/** @param givenUp aborts all its calls */
export type ClientOf = (team: string, givenUp?: AbortSignal) => Promise<WebClient>;

/** Creating more is cheap. */
const maxKept = 1000;

/** A call counts as lost after this. */
const callWithinMs = 10_000;

export type ClientOptions = { apiUrl: string | undefined; logger: SlackLogger };

export const settingsOf = ({ apiUrl, logger }: ClientOptions): webApi.WebClientOptions => ({
  ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
  logger,
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  timeout: callWithinMs,
});

/** Never waits or retries: the caller knows if that is safe. */
export function createClient(token: string, options: ClientOptions): WebClient {
  return new webApi.WebClient(token, settingsOf(options));
}

export const fetchUntil =
  (signal: AbortSignal): NonNullable<webApi.WebClientOptions['fetch']> =>
  (url, init) =>
    fetch(url, { ...init, signal: AbortSignal.any([signal, init?.signal ?? signal]) });

/** Refusals of any token, after which nothing was done. */
export const tokenRefusals = new Set([
  'account_inactive',
  'invalid_auth',
  'token_expired',
  'token_revoked',
]);

/** Null for other errors. */
export function tokenRefusalOf(error: unknown): string | null {
  if (!(error instanceof webApi.WebAPIPlatformError)) return null;
  return tokenRefusals.has(error.data.error) ? error.data.error : null;
}

/** Switches to a replaced token. */
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

/** Asks Slack once for the workspace's ID. */
export function tokensOfOne(botToken: string, options: ClientOptions): Tokens {
  let known: string | undefined;
  async function findOwn(): Promise<string | undefined> {
    if (known !== undefined) return known;
    try {
      const { team_id } = await createClient(botToken, options).auth.test();
      known = team_id;
    } catch (error) {
      throw explainSlackError(error, 'say who owns this token');
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
