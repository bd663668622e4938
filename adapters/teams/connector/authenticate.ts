// Whether a request comes from Teams, by its head alone: its token is signed by the Bot Framework, meant for this bot and bound to the
// address at which it says to answer. Without credentials only this machine is believed.
import { type Activity as BotActivity, ConfigurationBotFrameworkAuthentication } from 'botbuilder';
import { z } from 'zod';
import { isLocalRequest } from '#api/guard.ts';
import type { TeamsAccess } from '../access.ts';
import { finishWithin } from '../finish-within.ts';
import { issuer, loginUrl, scope, settingsOf, type TeamsCloud } from './cloud.ts';
import type { Authenticate } from './connector.ts';

/** Milliseconds that the keys of the Bot Framework may take. */
const answeredWithinMs = 5000;
/** Seconds by which clocks may differ, as botbuilder has it. */
const clockSkew = 300;

const Claims = z.object({
  iss: z.literal(issuer),
  aud: z.string(),
  exp: z.number(),
  serviceurl: z.string(),
});

/** What a token says of itself, before anybody has looked whether that is true; null: it is none that could be. */
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
    // No JSON, or not of this form: no token of the Bot Framework.
    return null;
  }
}

/** Errors by which botbuilder and its library for tokens say no; others say that they could not look. */
const refusals = new Set(['JsonWebTokenError', 'NotBeforeError', 'TokenExpiredError']);

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return refusals.has(error.name) || ('statusCode' in error && error.statusCode === 401);
}

const loopback = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/|$)/;

/** Where answers go, with the bot's token. */
export function isAnswerable(serviceUrl: string, local: boolean): boolean {
  return local ? loopback.test(serviceUrl) : serviceUrl.startsWith('https://');
}

/** Beside what is documented for all clouds: the addresses of the public one, with keys from elsewhere. */
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
    // Most of what is forged is seen by this, and has no keys looked up.
    const claimed = readClaims(authorization, access.appId, new Date());
    if (claimed === null || !answerable(claimed.serviceUrl)) return null;
    const { serviceUrl } = claimed;
    // Channel and address are all that it reads of an activity.
    const head = { channelId: 'msteams', serviceUrl } as unknown as BotActivity;
    try {
      const look = () => framework.authenticateRequest(head, authorization);
      const { claimsIdentity } = await inTurn(look);
      // It takes tokens of emulators and of other bots as well, which are bound to no address: those are not Teams.
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
 * Until a look has succeeded, and so the keys are kept, there is one at a time, since botbuilder would fetch them for each; one that
 * finds no keys has failed for all that waited for it.
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
