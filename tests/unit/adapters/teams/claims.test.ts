// Claims are checked before keys, so most forgeries cost nothing.
import { expect, test } from 'vitest';
import { readClaims } from '#adapters/teams/connector/authenticate.ts';

const now = new Date('2026-03-01T10:00:00Z');
const seconds = now.getTime() / 1000;
const claims = {
  iss: 'https://api.botframework.com',
  aud: 'app',
  exp: seconds + 60,
  serviceurl: 'https://smba.trafficmanager.net/emea/',
};
const token = (changes: object) =>
  `Bearer e30.${Buffer.from(JSON.stringify({ ...claims, ...changes })).toString('base64url')}.c2ln`;

test('a token of the Bot Framework for this bot that is not over is looked at', () => {
  const read = { serviceUrl: claims.serviceurl };
  expect(readClaims(token({}), 'app', now)).toEqual(read);
  expect(readClaims(token({ exp: seconds - 300 }), 'app', now)).toEqual(read);
});

test.each([
  ['', 'Bearer x', 'Bearer a.b.c', 'Basic YTpi', 'Bearer e30.e30.e30'],
  [token({ exp: seconds - 301 }), token({ aud: 'other' }), token({ aud: ['app'] })],
  [token({ iss: 'https://sts.windows.net/x/' }), token({ serviceurl: 7 }), `${token({})} x`],
])('anything else is none, without a look at keys', (...headers) => {
  for (const header of headers) expect(readClaims(header, 'app', now)).toBeNull();
});
