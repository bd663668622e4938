// Authenticates requests by their headers: the token must be signed by the Bot Framework, meant for this bot, and bound to its
// service URL. Without credentials only this machine is trusted.
import { type Activity as BotActivity, ConfigurationBotFrameworkAuthentication } from 'botbuilder';
import { z } from 'zod';
import { isLocalRequest } from '#api/guard.ts';
import type { TeamsAccess } from '../access.ts';
import { finishWithin } from '../finish-within.ts';
import { issuer, loginUrl, scope, settingsOf, type TeamsCloud } from './cloud.ts';
import type { Authenticate } from './connector.ts';

/** Milliseconds for fetching the Bot Framework's keys. */
const answeredWithinMs = 5000;
/** Tolerated clock difference in seconds, as in botbuilder. */
const clockSkew = 300;

const Claims = z.object({
  iss: z.literal(issuer),
  aud: z.string(),
  exp: z.number(),
  serviceurl: z.string(),
});

/** The unverified claims of a token, or null if it can't be valid. */
export function readClaims(
  authorization: string,
  appId: string,
  now: Date,
): { serviceUrl: string } | null {
  const [, payload] = /^Bearer [\w-]+\.([\w-]+)\.[\w-]+$/.exec(authorization) ?? [];
  try {
    const text = Buffer.from(payload ?? '', 'base64url').toString('utf8');
    const { aud, exp, serviceurl } = Claims.parse(JSON.parse(text));
    const over = exp + clockSkew < now.getTime() / 1000;
    return aud === appId && !over ? { serviceUrl: serviceurl } : null;
  } catch {
    // Not a token of the Bot Framework: no JSON, or another shape.
    return null;
  }
}

/** Errors of botbuilder and its token library that mean an invalid token; others mean the check failed. */
const refusals = new Set(['JsonWebTokenError', 'NotBeforeError', 'TokenExpiredError']);

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return refusals.has(error.name) || ('statusCode' in error && error.statusCode === 401);
}

const loopback = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/|$)/;

/** Whether the bot's token may be sent to the address. */
export function isAnswerable(serviceUrl: string, local: boolean): boolean {
  return local ? loopback.test(serviceUrl) : serviceUrl.startsWith('https://');
}

/** The public cloud's addresses, which the documented settings leave out, with keys from elsewhere. */
function describeCloud(cloud: TeamsCloud | null): Record<string, string> {
  if (cloud === null) return {};
  return {
    ToChannelFromBotLoginUrl: loginUrl,
    ToChannelFromBotOAuthScope: scope,
    ToBotFromChannelTokenIssuer: issuer,
    ToBotFromChannelOpenIdMetadataUrl: cloud.openIdMetadataUrl,
    ToBotFromEmulatorOpenIdMetadataUrl: cloud.openIdMetadataUrl,
  };
}

export function createAuthenticate(access: TeamsAccess, cloud: TeamsCloud | null): Authenticate {
  const local = access.kind === 'Local';
  const answerable = (url: string) => isAnswerable(url, local || cloud !== null);
  if (local) return async (request) => (isLocalRequest(request) ? answerable : null);
  const framework = new ConfigurationBotFrameworkAuthentication({
    ...settingsOf(access),
    ...describeCloud(cloud),
  });
  const inTurn = createTurns();
  return async ({ headers }) => {
    const { authorization = '' } = headers;
    // Refuses most forgeries without fetching keys.
    const claimed = readClaims(authorization, access.appId, new Date());
    if (claimed === null || !answerable(claimed.serviceUrl)) return null;
    const { serviceUrl } = claimed;
    // It reads only channel and address of an activity.
    const head = { channelId: 'msteams', serviceUrl } as unknown as BotActivity;
    try {
      const look = () => framework.authenticateRequest(head, authorization);
      const { claimsIdentity } = await inTurn(look);
      // It also accepts tokens of emulators and other bots, which are bound to no address: not from Teams.
      const isTeams =
        claimsIdentity.getClaimValue('iss') === issuer &&
        claimsIdentity.getClaimValue('serviceurl') === serviceUrl;
      return isTeams ? (url) => url === serviceUrl : null;
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  };
}

/**
 * Until the keys are cached, checks run one at a time, because botbuilder would fetch the keys for each; if they can't be
 * fetched, all waiting checks fail.
 */
function createTurns(): <T>(look: () => Promise<T>) => Promise<T> {
  let known = false;
  let asking: Promise<unknown> | null = null;
  const late = () => new Error(`No keys of the Bot Framework within ${answeredWithinMs} ms.`);
  const orRefusal = (error: unknown) => {
    if (!isRefusal(error)) throw error;
  };
  return async (look) => {
    while (!known && asking !== null) await asking;
    const mine = finishWithin(answeredWithinMs, look(), late);
    if (known) return mine;
    const keys = mine.then(() => {}, orRefusal);
    asking = keys;
    try {
      await keys;
      known = true;
    } finally {
      asking = null;
    }
    return mine;
  };
}
