// Names that no other host of the domain can set.
import { expect, it } from 'vitest';
import { createIdentityDouble, startApi } from '../../fixtures/api.ts';

const session = 'a'.repeat(64);
const ana = {
  ...{ account: 'ana', name: 'Ana', role: 'viewer' as const, tenant: null },
  ...{ groups: [], names: ['ana'], by: 'session' as const },
};

it.each([
  { publicOrigin: 'https://bot.example.com', secure: true, prefix: '__Host-' },
  { publicOrigin: 'http://127.0.0.1:3978', secure: false, prefix: '' },
])('sets and takes cookies of $publicOrigin with the prefix "$prefix"', async (site) => {
  const { publicOrigin, secure, prefix } = site;
  const signedOut: string[] = [];
  const api = await startApi({
    doors: {
      signIn: true,
      publicOrigin,
      identify: async (by) => ('session' in by && by.session === session ? ana : null),
    },
    identity: {
      secure,
      identity: createIdentityDouble({
        begin: async () => ({ address: 'https://corp.example/authorize', browser: 'tried' }),
        finish: async (_, { browser }) => ({
          ...{ session, back: '/', expires: new Date(Date.now() + 60_000) },
          ...(browser === 'tried' ? {} : { session: 'of nobody' }),
        }),
        signOut: async (secret) => void signedOut.push(secret),
      }),
    },
  });
  const ask = (path: string, cookie = '', method = 'GET') =>
    fetch(api.origin + path, {
      method,
      redirect: 'manual',
      headers: { cookie, origin: publicOrigin },
    });
  const attributes = secure ? '; HttpOnly; SameSite=Lax; Secure' : '; HttpOnly; SameSite=Lax';
  try {
    const [begun = ''] = (await ask('/sign-in/corp')).headers.getSetCookie();
    expect(begun).toMatch(new RegExp(`^${prefix}countersign_sign_in=tried; Path=/; Max-Age=\\d+`));
    expect(begun.endsWith(attributes)).toBe(true);
    const callback = '/sign-in/corp/callback?code=a';
    const [set = ''] = (await ask(callback, begun.split(';')[0])).headers.getSetCookie();
    expect(set.startsWith(`${prefix}countersign_session=${session}; Path=/; Max-Age=`)).toBe(true);
    expect(set.endsWith(attributes)).toBe(true);
    expect((await ask('/api/me', set.split(';')[0])).status).toBe(200);
    const other = secure ? 'countersign_session' : '__Host-countersign_session';
    expect((await ask('/api/me', `${other}=${session}`)).status).toBe(401);
    await ask('/api/sign-out', set.split(';')[0], 'POST');
    expect(signedOut).toEqual([session]);
  } finally {
    await api.close();
  }
});
