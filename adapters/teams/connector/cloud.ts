// Microsoft's sign-in as the bot meets it: whose tokens are believed, and whose are shown.
import { ConfigurationServiceClientCredentialFactory } from 'botbuilder';
import { z } from 'zod';
import type { TeamsAccess } from '../access.ts';

/** Another sign-in than Microsoft's public one. */
export type TeamsCloud = {
  /** Where the keys are that sign what Teams sends. */
  openIdMetadataUrl: string;
  /** Shown instead of a token that is asked for. */
  token: string;
};

export const issuer = 'https://api.botframework.com';
export const scope = 'https://api.botframework.com';
export const loginUrl = 'https://login.microsoftonline.com/botframework.com';

/** The bot's own token; null: none is shown. @param fresh not one that was kept */
export type Tokens = (fresh?: boolean) => Promise<string | null>;

/** What the credentials of every type can do; their common class is not exported. */
const Credentials = z.custom<{ getToken(fresh?: boolean): Promise<string> }>(
  (value) => typeof value === 'object' && value !== null && 'getToken' in value,
);

/** The settings as botbuilder reads them. */
export function settingsOf(access: TeamsAccess): Record<string, string> {
  switch (access.kind) {
    case 'Local':
      return { MicrosoftAppId: '' };
    case 'MultiTenant':
      return {
        MicrosoftAppType: access.kind,
        MicrosoftAppId: access.appId,
        MicrosoftAppPassword: access.password,
      };
    case 'SingleTenant':
      return {
        MicrosoftAppType: access.kind,
        MicrosoftAppId: access.appId,
        MicrosoftAppPassword: access.password,
        MicrosoftAppTenantId: access.tenantId,
      };
    case 'UserAssignedMSI':
      return {
        MicrosoftAppType: access.kind,
        MicrosoftAppId: access.appId,
        MicrosoftAppTenantId: access.tenantId,
      };
    default:
      return access satisfies never;
  }
}

export function createTokens(access: TeamsAccess, cloud: TeamsCloud | null): Tokens {
  if (access.kind === 'Local') return async () => null;
  if (cloud !== null) return async () => cloud.token;
  const factory = new ConfigurationServiceClientCredentialFactory(settingsOf(access));
  const credentials = factory
    .createCredentials(access.appId, scope, loginUrl, true)
    .then((made) => Credentials.parse(made));
  // The caller that asks for a token is told.
  credentials.catch(() => {});
  return async (fresh = false) => (await credentials).getToken(fresh);
}
