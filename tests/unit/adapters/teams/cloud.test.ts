// App types as Microsoft's own library understands them: the credentials it builds. Nothing signs in.
import { ConfigurationServiceClientCredentialFactory } from 'botbuilder';
import { expect, test } from 'vitest';
import type { TeamsAccess } from '#adapters/teams/access.ts';
import { loginUrl, scope, settingsOf } from '#adapters/teams/connector/cloud.ts';

const appId = '1f2e3d4c-5b6a-4789-8abc-def012345678';
const tenantId = '00000000-0000-0000-0000-000000000001';

const made = async (access: TeamsAccess) => {
  const factory = new ConfigurationServiceClientCredentialFactory(settingsOf(access));
  const credentials = await factory.createCredentials(appId, scope, loginUrl, true);
  return { kind: credentials.constructor.name, credentials };
};

test('a multi-tenant app signs in at the tenant of all bots, with its secret', async () => {
  const { kind, credentials } = await made({
    kind: 'MultiTenant',
    appId,
    password: 'p',
    allowed: null,
  });
  expect(credentials).toMatchObject({ appId, appPassword: 'p' });
  expect(kind).toBe('MicrosoftAppCredentials');
  expect(credentials).toMatchObject({ oAuthEndpoint: loginUrl, oAuthScope: scope });
});

test('a single-tenant app signs in at its own tenant, with its secret', async () => {
  const { kind, credentials } = await made({
    kind: 'SingleTenant',
    appId,
    password: 'p',
    tenantId,
  });
  expect(credentials).toMatchObject({ appId, appPassword: 'p' });
  expect(kind).toBe('MicrosoftAppCredentials');
  expect(credentials).toMatchObject({
    oAuthEndpoint: `https://login.microsoftonline.com/${tenantId}`,
    oAuthScope: scope,
  });
});

test('a managed identity has no secret, and asks the machine it runs on', async () => {
  const { kind, credentials } = await made({ kind: 'UserAssignedMSI', appId, tenantId });
  expect(credentials).toMatchObject({ appId });
  expect(kind).toBe('ManagedIdentityAppCredentials');
  expect(JSON.stringify(settingsOf({ kind: 'UserAssignedMSI', appId, tenantId }))).not.toMatch(
    /password/i,
  );
});
