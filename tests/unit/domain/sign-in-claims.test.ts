// Sign-in claims that would merge two people are refused.
import { expect, test } from 'vitest';
import { IdentitySettings, readProfile, resolveProviders } from '#domain/people/identity.ts';

const credentials = { client_id: 'c', client_secret: 's', allowed_tenants: ['any'] };
function providerOf(preset: 'slack' | 'entra') {
  const [provider] = resolveProviders(
    IdentitySettings.parse({ providers: { one: { preset, ...credentials } } }),
  );
  if (provider === undefined) throw new Error('there is no provider');
  return provider;
}
const slack = (claim: string) => `https://slack.com/${claim}`;

test('people of Slack and Entra are there by the account they have in the chat', () => {
  const slackClaims = { sub: 'U1', [slack('user_id')]: 'U1', [slack('team_id')]: 'T1' };
  expect(readProfile(providerOf('slack'), slackClaims, true)).toMatchObject({
    account: 'slack:T1:U1',
    tenant: 'slack:T1',
  });
  const entraClaims = { sub: 'x', oid: 'o1', tid: 't1' };
  expect(readProfile(providerOf('entra'), entraClaims, true)).toMatchObject({
    account: 'teams:t1:o1',
    tenant: 'teams:t1',
  });
});

test.each([
  ['entra', 'oid', { sub: 'x', tid: 't1' }],
  ['entra', 'tid', { sub: 'x', oid: 'o1' }],
  ['entra', 'sub', { oid: 'o1', tid: 't1' }],
  ['slack', slack('team_id'), { sub: 'U1', [slack('user_id')]: 'U1' }],
] as const)('a sign-in with %s that does not say %s lets nobody in', (preset, claim, claims) => {
  expect(() => readProfile(providerOf(preset), claims, true)).toThrow(
    expect.objectContaining({
      code: 'forbidden',
      message: expect.stringContaining(`has no "${claim}"`),
    }),
  );
});

test.each([
  ['group', { preset: 'google', allowed_domains: ['acme.example'] }, 'others'],
  ['slack', { issuer: 'https://id.example' }, 'unless its "preset" is "slack"'],
  ['teams', { preset: 'slack', allowed_tenants: ['T1'] }, 'unless its "preset" is "entra"'],
])('a provider called %s would be taken for something else', (name, provider, why) => {
  const read = IdentitySettings.safeParse({
    providers: { [name]: { ...provider, client_id: 'c', client_secret: 's' } },
  });
  expect(read.error?.issues).toMatchObject([
    { path: ['providers', name], message: expect.stringContaining(why) },
  ]);
});

test.each(['slack', 'teams'])('%s may be what signs in the people of that platform', (name) => {
  const preset = name === 'teams' ? 'entra' : name;
  const provider = { preset, allowed_tenants: ['any'], client_id: 'c', client_secret: 's' };
  expect(IdentitySettings.safeParse({ providers: { [name]: provider } }).success).toBe(true);
});
