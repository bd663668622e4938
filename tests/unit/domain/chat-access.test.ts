import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSlackAccess, slackVariables } from '#adapters/slack/access.ts';
import { readTeamsAccess, teamsVariables } from '#adapters/teams/access.ts';
import { loadConfig } from '#app/config.ts';
import { CountersignError } from '#domain/errors.ts';

type Variables = Record<string, string>;

/** Without a countersign.json. */
const nowhere = '/nowhere';
function load(variables: Variables) {
  const { env } = loadConfig(variables, nowhere);
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  return {
    slack: readSlackAccess({ ...env, ...slackVariables.parse(set) }),
    teams: readTeamsAccess({ ...env, ...teamsVariables.parse(set) }),
  };
}

function complain(variables: Variables): string | null {
  try {
    load(variables);
    return null;
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'invalid_configuration')
      return error.message;
    throw error;
  }
}

const key = Buffer.alloc(32, 7);
const one = { SLACK_BOT_TOKEN: 'xoxb-1' };
const many = {
  SLACK_CLIENT_ID: '1.2',
  SLACK_CLIENT_SECRET: 'client-secret',
  SLACK_STATE_SECRET: '0123456789abcdef',
  COUNTERSIGN_ENCRYPTION_KEY: key.toString('base64'),
  SLACK_ALLOWED_WORKSPACES: 'T012ABC',
};
const { SLACK_ALLOWED_WORKSPACES: _, ...unlisted } = many;
const http = { SLACK_SIGNING_SECRET: 'signing-secret-of-slack' };
const socket = { SLACK_APP_TOKEN: 'xapp-1' };

const id = { MicrosoftAppId: '1f2e3d4c-5b6a-4789-8abc-def012345678' };
const password = { MicrosoftAppPassword: 'p' };
const tenant = { MicrosoftAppTenantId: '00000000-0000-0000-0000-000000000001' };
const type = (MicrosoftAppType: string) => ({ MicrosoftAppType });

describe('Slack', () => {
  test('is off when nothing is set, or only an empty text', () => {
    expect(load({}).slack).toBeNull();
    expect(load({ SLACK_BOT_TOKEN: '' }).slack).toBeNull();
    expect(load({ COUNTERSIGN_ENCRYPTION_KEY: key.toString('hex') }).slack).toBeNull();
  });

  test('reaches one workspace by its token, over HTTP or by Socket Mode', () => {
    const workspaces = { kind: 'one', botToken: 'xoxb-1' };
    expect(load({ ...one, ...http }).slack).toMatchObject({
      transport: { kind: 'http', signingSecret: 'signing-secret-of-slack' },
      workspaces,
    });
    expect(load({ ...one, ...socket }).slack).toMatchObject({
      transport: { kind: 'socket', appToken: 'xapp-1' },
      workspaces,
    });
  });

  test('takes Socket Mode when both are set', () => {
    expect(load({ ...one, ...http, ...socket }).slack?.transport.kind).toBe('socket');
  });

  test.each([
    ['base64', key.toString('base64')],
    ['base64 for addresses', key.toString('base64url')],
    ['hex', key.toString('hex')],
  ])('reaches several workspaces with a key in %s', (_name, text) => {
    const { slack } = load({ ...many, ...http, COUNTERSIGN_ENCRYPTION_KEY: text });
    expect(slack?.workspaces).toEqual({
      kind: 'many',
      clientId: '1.2',
      clientSecret: 'client-secret',
      stateSecret: '0123456789abcdef',
      encryptionKey: key,
      installAt: '/slack/install',
      allowed: ['T012ABC'],
    });
    const COUNTERSIGN_PUBLIC_URL = 'https://example.com/countersign';
    const COUNTERSIGN_ENCRYPTION_KEY = text;
    const { slack: outside } = load({
      ...many,
      ...http,
      COUNTERSIGN_ENCRYPTION_KEY,
      COUNTERSIGN_PUBLIC_URL,
      SLACK_ALLOWED_WORKSPACES: ' T012ABC, E9Z ',
    });
    expect(outside?.workspaces).toMatchObject({
      installAt: 'https://example.com/countersign/slack/install',
      allowed: ['T012ABC', 'E9Z'],
    });
  });

  test('lets any workspace in only where that is said', () => {
    const SLACK_ALLOWED_WORKSPACES = ' any ';
    expect(load({ ...many, ...http, SLACK_ALLOWED_WORKSPACES }).slack?.workspaces).toMatchObject({
      allowed: null,
    });
  });

  test('takes tokens of another kind from another server only', () => {
    expect(complain({ ...http, SLACK_BOT_TOKEN: 'test' })).toMatch(/^SLACK_BOT_TOKEN: must begin/);
    const SLACK_API_URL = 'http://127.0.0.1:4003/api/';
    expect(load({ ...http, SLACK_BOT_TOKEN: 'test', SLACK_API_URL }).slack?.apiUrl).toBe(
      SLACK_API_URL,
    );
  });

  const wrong: [string, Variables, RegExp][] = [
    [
      'a workspace by its name',
      { ...one, ...http, SLACK_ALLOWED_WORKSPACES: 'globex' },
      /^SLACK_ALLOWED_WORKSPACES: must be ids/,
    ],
    [
      'any workspace beside one by its id',
      { ...many, ...http, SLACK_ALLOWED_WORKSPACES: 'any, T012ABC' },
      /^SLACK_ALLOWED_WORKSPACES: must be ids/,
    ],
    [
      'several workspaces, whichever they are',
      { ...unlisted, ...http },
      /^SLACK_ALLOWED_WORKSPACES: missing\. List the ids .* or set it to any\.$/,
    ],
    ['a token alone', one, /^SLACK_SIGNING_SECRET: missing\. .*SLACK_APP_TOKEN/],
    ['a signing secret alone', http, /^SLACK_BOT_TOKEN: missing\./],
    ['an app token alone', socket, /^SLACK_BOT_TOKEN: missing\./],
    ['several workspaces that nobody can call', many, /^SLACK_SIGNING_SECRET: missing\./],
    ['one and several workspaces', { ...one, ...many, ...http }, /^SLACK_BOT_TOKEN: .*Keep one/],
    [
      'half of what several workspaces need',
      { ...http, SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 's' },
      /^SLACK_STATE_SECRET and COUNTERSIGN_ENCRYPTION_KEY: missing\./,
    ],
    ["a person's token", { ...http, SLACK_BOT_TOKEN: 'xoxp-1' }, /^SLACK_BOT_TOKEN: .*xoxb-/],
    [
      'a bot token for an app token',
      { ...one, SLACK_APP_TOKEN: 'xoxb-1' },
      /^SLACK_APP_TOKEN: .*xapp-/,
    ],
    [
      'a signing secret of 15 characters',
      { ...one, SLACK_SIGNING_SECRET: 'x'.repeat(15) },
      /^SLACK_SIGNING_SECRET: .*16/,
    ],
    [
      'a token with the end of its line',
      { ...http, SLACK_BOT_TOKEN: 'xoxb-1\n' },
      /^SLACK_BOT_TOKEN: must not have/,
    ],
    [
      'an API anybody can listen to',
      { ...http, ...one, SLACK_API_URL: 'http://slack.example.com/api/' },
      /^SLACK_API_URL: must begin with https/,
    ],
    [
      'an API whose name only begins like a loopback address',
      { ...http, ...one, SLACK_API_URL: 'http://127.0.0.1.example.com/api/' },
      /^SLACK_API_URL: must begin with https/,
    ],
    [
      'a state secret of 15 characters',
      { SLACK_STATE_SECRET: 'x'.repeat(15) },
      /^SLACK_STATE_SECRET: .*16/,
    ],
    [
      'a key of 31 bytes',
      { COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(31).toString('base64') },
      /^COUNTERSIGN_ENCRYPTION_KEY: must be 32 bytes/,
    ],
    [
      'a key of 33 bytes',
      { COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(33).toString('hex') },
      /^COUNTERSIGN_ENCRYPTION_KEY: must be 32 bytes/,
    ],
  ];
  test.each(wrong)('%s is refused', (_name, variables, sentence) => {
    expect(complain(variables)).toMatch(sentence);
  });
});

describe('Teams', () => {
  test('is off without an app id', () => {
    expect(load({}).teams).toBeNull();
    expect(load({ MicrosoftAppId: '', MicrosoftAppPassword: '' }).teams).toBeNull();
  });

  test('is a single-tenant bot as soon as a tenant is named, a multi-tenant one otherwise', () => {
    const appId = id.MicrosoftAppId;
    const single = {
      kind: 'SingleTenant',
      appId,
      password: 'p',
      tenantId: tenant.MicrosoftAppTenantId,
    };
    expect(load({ ...id, ...password, ...tenant }).teams).toEqual(single);
    expect(load({ ...id, ...password, ...tenant, ...type('SingleTenant') }).teams).toEqual(single);
    const multi = { kind: 'MultiTenant', appId, password: 'p', allowed: null };
    const any = { TEAMS_ALLOWED_TENANTS: ' Any' };
    expect(load({ ...id, ...password, ...any }).teams).toEqual(multi);
    expect(load({ ...id, ...password, ...any, ...type('MultiTenant') }).teams).toEqual(multi);
  });

  test('needs no password with a managed identity', () => {
    expect(load({ ...id, ...tenant, ...type('UserAssignedMSI') }).teams).toEqual({
      kind: 'UserAssignedMSI',
      appId: id.MicrosoftAppId,
      tenantId: tenant.MicrosoftAppTenantId,
    });
  });

  test('serves the tenants that are named, when it is a bot of many', () => {
    const TEAMS_ALLOWED_TENANTS = `${tenant.MicrosoftAppTenantId}, ${id.MicrosoftAppId}`;
    expect(load({ ...id, ...password, TEAMS_ALLOWED_TENANTS }).teams).toMatchObject({
      allowed: [tenant.MicrosoftAppTenantId, id.MicrosoftAppId],
    });
  });

  const local = { COUNTERSIGN_TEAMS_LOCAL: 'true' };
  test('takes whoever is on this machine without a token, when that is asked for', () => {
    for (const HOST of ['127.0.0.1', 'localhost', '::1'])
      expect(load({ ...local, HOST }).teams).toEqual({ kind: 'Local' });
    expect(load({ COUNTERSIGN_TEAMS_LOCAL: 'false' }).teams).toBeNull();
  });

  const wrong: [string, Variables, RegExp][] = [
    [
      'a local client where others reach the server',
      { ...local, HOST: '0.0.0.0' },
      /^COUNTERSIGN_TEAMS_LOCAL: .*127\.0\.0\.1, not to 0\.0\.0\.0/,
    ],
    [
      'a local client beside a real bot',
      { ...local, ...id, ...password },
      /^COUNTERSIGN_TEAMS_LOCAL: .*MicrosoftAppId is set/,
    ],
    [
      'a local client where a proxy lets others in',
      { ...local, COUNTERSIGN_PUBLIC_URL: 'https://bot.example.com' },
      /^COUNTERSIGN_TEAMS_LOCAL: .*Unset it where COUNTERSIGN_PUBLIC_URL is set/,
    ],
    [
      'a multi-tenant bot that does not say whom it serves',
      { ...id, ...password },
      /^TEAMS_ALLOWED_TENANTS: missing\. .*any/,
    ],
    [
      'a tenant by its domain',
      { ...id, ...password, MicrosoftAppTenantId: 'contoso.onmicrosoft.com' },
      /^MicrosoftAppTenantId: must be the GUID/,
    ],
    [
      'tenants that are names',
      { ...id, ...password, TEAMS_ALLOWED_TENANTS: 'contoso' },
      /^TEAMS_ALLOWED_TENANTS: .*GUID/,
    ],
    ['a password alone', password, /^MicrosoftAppId: missing\. MicrosoftAppPassword is set/],
    ['a tenant alone', tenant, /^MicrosoftAppId: missing\. MicrosoftAppTenantId is set/],
    ['a type alone', type('SingleTenant'), /^MicrosoftAppId: missing\. MicrosoftAppType is set/],
    ['an app id alone', id, /^MicrosoftAppPassword: missing\. A MultiTenant bot/],
    [
      'a single-tenant bot without a tenant',
      { ...id, ...password, ...type('SingleTenant') },
      /^MicrosoftAppTenantId: missing\. A SingleTenant bot/,
    ],
    [
      'a single-tenant bot without a password',
      { ...id, ...tenant, ...type('SingleTenant') },
      /^MicrosoftAppPassword: missing\./,
    ],
    [
      'a managed identity without a tenant',
      { ...id, ...type('UserAssignedMSI') },
      /^MicrosoftAppTenantId: missing\. A UserAssignedMSI bot/,
    ],
    [
      'a managed identity with a password',
      { ...id, ...password, ...tenant, ...type('UserAssignedMSI') },
      /^MicrosoftAppPassword: is not used/,
    ],
    [
      'a multi-tenant bot with a tenant',
      { ...id, ...password, ...tenant, ...type('MultiTenant') },
      /^MicrosoftAppTenantId: limits nothing/,
    ],
    [
      'an app id that is a name',
      { ...password, MicrosoftAppId: 'my-bot' },
      /^MicrosoftAppId: .*GUID/,
    ],
    [
      'a tenant that is a name',
      { ...id, ...password, MicrosoftAppTenantId: 'contoso' },
      /^MicrosoftAppTenantId: .*GUID/,
    ],
    ['a type nobody knows', { ...id, ...password, ...type('Shared') }, /^MicrosoftAppType: /],
  ];
  test.each(wrong)('%s is refused', (_name, variables, sentence) => {
    expect(complain(variables)).toMatch(sentence);
  });
});

test('whatever is set is taken, or refused by the name of a variable and without a secret', () => {
  const tenants = { TEAMS_ALLOWED_TENANTS: 'any' };
  const all = { ...one, ...many, ...http, ...socket, ...id, ...password, ...tenant, ...tenants };
  const secrets = [one.SLACK_BOT_TOKEN, ...Object.values(many), ...Object.values(http), 'xapp-1'];
  const types = fc.constantFrom(
    {},
    ...['MultiTenant', 'SingleTenant', 'UserAssignedMSI'].map(type),
  );
  fc.assert(
    fc.property(fc.subarray(Object.entries(all)), types, (entries, kind) => {
      const sentence = complain({ ...Object.fromEntries(entries), ...kind });
      if (sentence === null) return;
      expect(sentence).toMatch(/^((SLACK|COUNTERSIGN|TEAMS)_[A-Z_]+|MicrosoftApp\w+)[^:]*: /);
      for (const secret of secrets) expect(sentence).not.toContain(secret);
    }),
    { numRuns: 500 },
  );
});
