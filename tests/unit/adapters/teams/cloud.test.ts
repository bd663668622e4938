// Microsoft's own library is the reference for app types.
import { ConfigurationServiceClientCredentialFactory } from 'botbuilder';
import { expect, test } from 'vitest';
import type { TeamsAccess } from '#adapters/teams/access.ts';
import { loginUrl, scope, settingsOf } from '#adapters/teams/connector/cloud.ts';

const appId = '1f2e3d4c-5b6a-4789-8abc-def012345678';
const tenantId = '00000000-0000-0000-0000-000000000001';

test.each<[string, TeamsAccess, string, object]>([
  [
    'multi-tenant app signs in at the tenant of all bots, with its secret',
    { kind: 'MultiTenant', appId, password: 'p', allowed: null },
    'MicrosoftAppCredentials',
    { appId, appPassword: 'p', oAuthEndpoint: loginUrl, oAuthScope: scope },
  ],
  [
    'single-tenant app signs in at its own tenant, with its secret',
    { kind: 'SingleTenant', appId, password: 'p', tenantId },
    'MicrosoftAppCredentials',
    {
      ...{ appId, appPassword: 'p', oAuthScope: scope },
      oAuthEndpoint: `https://login.microsoftonline.com/${tenantId}`,
    },
  ],
  [
    'managed identity asks the machine it runs on',
    { kind: 'UserAssignedMSI', appId, tenantId },
    'ManagedIdentityAppCredentials',
    { appId },
  ],
])('a %s', async (_, access, kind, expected) => {
  const factory = new ConfigurationServiceClientCredentialFactory(settingsOf(access));
  const credentials = await factory.createCredentials(appId, scope, loginUrl, true);
  expect(credentials.constructor.name).toBe(kind);
  expect(credentials).toMatchObject(expected);
});

test('a managed identity has no secret', () => {
  const settings = settingsOf({ kind: 'UserAssignedMSI', appId, tenantId });
  expect(JSON.stringify(settings)).not.toMatch(/password/i);
});
