// Whether an activity comes from Teams: its token is signed by the Bot Framework, meant for this bot and bound to the address that the
// activity says to answer at. Without credentials only this machine is believed.
import { type Activity as BotActivity, ConfigurationBotFrameworkAuthentication } from 'botbuilder';
import type { FastifyRequest } from 'fastify';
import { isLocalRequest } from '#api/guard.ts';
import type { TeamsAccess } from '#contracts/chat-access.ts';
import { issuer, loginUrl, scope, settingsOf, type TeamsCloud } from '../cloud.ts';
import type { Activity } from './read-activity.ts';

/** @throws when the keys cannot be had now; then nobody knows */
export type Authenticate = (request: FastifyRequest, activity: Activity) => Promise<boolean>;

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
  if (local)
    return async (request, { serviceUrl }) => isLocalRequest(request) && answerable(serviceUrl);
  const framework = new ConfigurationBotFrameworkAuthentication({
    ...settingsOf(access),
    ...describeCloud(cloud),
  });
  return async (request, activity) => {
    const { authorization = '' } = request.headers;
    if (!answerable(activity.serviceUrl)) return false;
    try {
      // Channel and address are all that it reads of an activity.
      const { claimsIdentity } = await framework.authenticateRequest(
        activity as unknown as BotActivity,
        authorization,
      );
      // It takes tokens of emulators and of other bots as well, which are bound to no address: those are not Teams.
      return (
        claimsIdentity.getClaimValue('iss') === issuer &&
        claimsIdentity.getClaimValue('serviceurl') === activity.serviceUrl
      );
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  };
}
