// Microsoft's sign-in and the bot's tokens.
import { ConfigurationServiceClientCredentialFactory } from 'botbuilder';
import { z } from 'zod';
import { shareByKey } from '#domain/recent.ts';
import type { TeamsAccess } from '../access.ts';

export type TeamsCloud = {
  /** Keys that sign Teams' requests. */
  openIdMetadataUrl: string;
  /** Replaces sign-in. */
  token: string;
  graphUrl: string;
};

export const issuer = 'https://api.botframework.com';
export const scope = 'https://api.botframework.com';
export const loginUrl = 'https://login.microsoftonline.com/botframework.com';

/** Null without sign-in. @param fresh not cached */
export type Tokens = (fresh?: boolean) => Promise<string | null>;

/** botbuilder does not export their base class. */
const Credentials = z.custom<{ getToken(fresh?: boolean): Promise<string> }>(
  (value) => typeof value === 'object' && value !== null && 'getToken' in value,
);

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

const graph = 'https://graph.microsoft.com';

/** `token` is null without sign-in. */
export type Graph = { url: string; token(tenant: string, fresh?: boolean): Promise<string | null> };

export function createGraph(access: TeamsAccess, cloud: TeamsCloud | null): Graph {
  if (access.kind === 'Local') return { url: graph, token: async () => null };
  if (cloud !== null) return { url: cloud.graphUrl, token: async () => cloud.token };
  const known = new Map<string, Promise<z.infer<typeof Credentials>>>();
  return {
    url: graph,
    async token(tenant, fresh = false) {
      // A multi-tenant bot signs in at each.
      const kind = access.kind === 'MultiTenant' ? 'SingleTenant' : access.kind;
      const settings = {
        ...settingsOf(access),
        MicrosoftAppType: kind,
        MicrosoftAppTenantId: tenant,
      };
      const credentials = await shareByKey(known, tenant, async () => {
        const factory = new ConfigurationServiceClientCredentialFactory(settings);
        const made = await factory.createCredentials(access.appId, graph, loginUrl, true);
        return Credentials.parse(made);
      });
      return credentials.getToken(fresh);
    },
  };
}

export function createTokens(access: TeamsAccess, cloud: TeamsCloud | null): Tokens {
  if (access.kind === 'Local') return async () => null;
  if (cloud !== null) return async () => cloud.token;
  const factory = new ConfigurationServiceClientCredentialFactory(settingsOf(access));
  const credentials = factory
    .createCredentials(access.appId, scope, loginUrl, true)
    .then((made) => Credentials.parse(made));
  // The caller gets the error.
  credentials.catch(() => {});
  return async (fresh = false) => (await credentials).getToken(fresh);
}
