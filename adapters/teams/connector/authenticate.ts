// Authenticates requests by Bot Framework token.
import { type Activity as BotActivity, ConfigurationBotFrameworkAuthentication } from 'botbuilder';
import { z } from 'zod';
import { isLocalRequest } from '#api/guard.ts';
import type { TeamsAccess } from '../access.ts';
import { finishWithin } from '../finish-within.ts';
import { issuer, loginUrl, scope, settingsOf, type TeamsCloud } from './cloud.ts';
import type { Authenticate } from './connector.ts';

/** Limit for fetching the keys. */
const answeredWithinMs = 5000;
/** Seconds, as in botbuilder. */
const clockSkew = 300;

const Claims = z.object({
  iss: z.literal(issuer),
  aud: z.string(),
  exp: z.number(),
  serviceurl: z.string(),
});

/** Unverified; null if it can't be valid. */
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
    // No Bot Framework token.
    return null;
  }
}

/** Invalid token; other errors mean the check failed. */
const refusals = new Set(['JsonWebTokenError', 'NotBeforeError', 'TokenExpiredError']);

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return refusals.has(error.name) || ('statusCode' in error && error.statusCode === 401);
}

const loopback = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/|$)/;

/** Our token may be sent there. */
export function isAnswerable(serviceUrl: string, local: boolean): boolean {
  return local ? loopback.test(serviceUrl) : serviceUrl.startsWith('https://');
}

/** Missing from the documented settings. */
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
    // Reads only channel and address.
    const head = { channelId: 'msteams', serviceUrl } as unknown as BotActivity;
    try {
      const look = () => framework.authenticateRequest(head, authorization);
      const { claimsIdentity } = await inTurn(look);
      // It also accepts emulators' and bots' tokens, bound to no address.
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

/** One at a time until the keys are cached, which botbuilder fetches per check. A failure fails all waiting ones. */
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
