import { afterEach, expect, it } from 'vitest';
import { CountersignError } from '#domain/errors.ts';
import { createIdentityDouble, readProblem, startApi, type TestApi } from '../../fixtures/api.ts';

let api: TestApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

const apiToken = 'a-token-of-this-test';
const authorization = `Bearer ${apiToken}`;
/** As a local proxy forwards it. */
const through = (address: string) => ({ authorization, 'x-forwarded-for': address });

async function open(): Promise<TestApi> {
  api = await startApi({ doors: { apiToken }, requestsPerMinute: 3 });
  return api;
}

async function statuses(times: number, ask: () => Promise<Response>): Promise<number[]> {
  const found: number[] = [];
  for (let time = 0; time < times; time += 1) found.push((await ask()).status);
  return found;
}

it('refuses one caller beyond the limit with a problem that says when to come back, and no other', async () => {
  const { get } = await open();
  expect(await statuses(3, () => get('/api/plans', through('203.0.113.7')))).toEqual([
    200, 200, 200,
  ]);
  const refused = await get('/api/plans', through('203.0.113.7'));
  expect(refused.status).toBe(429);
  expect(refused.headers.get('content-type')).toContain('application/problem+json');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await readProblem(refused)).toMatchObject({
    code: 'rate_limited',
    detail: expect.stringMatching(/^More than 3 requests .* Try again in \d+ s\.$/),
  });
  expect((await get('/api/plans', through('203.0.113.8'))).status).toBe(200);
});

it('does not believe an address that the caller names itself', async () => {
  const { get } = await open();
  let made = 0;
  const lying = () => {
    made += 1;
    return get('/api/plans', through(`198.51.100.${made}, 203.0.113.7`));
  };
  expect(await statuses(4, lying)).toEqual([200, 200, 200, 429]);
});

it('goes on to the address before that where the last one is another trusted proxy, and believes nobody else', async () => {
  api = await startApi({
    doors: { apiToken },
    requestsPerMinute: 2,
    trustedProxies: ['10.1.0.0/16', '2001:db8::7'],
  });
  const { get } = api;
  const from = (address: string) => () => get('/api/plans', through(address));
  expect(await statuses(3, from('203.0.113.7, 10.1.2.3'))).toEqual([200, 200, 429]);
  expect(await statuses(1, from('203.0.113.8, 2001:db8::7, 10.1.2.3'))).toEqual([200]);
  // Outside the network: the peer counts, regardless of its headers.
  expect(await statuses(1, from('203.0.113.9, 10.2.0.1'))).toEqual([200]);
  expect(await statuses(2, from('203.0.113.10, 10.2.0.1'))).toEqual([200, 429]);
});

it('counts what somebody signed in asks by person, from wherever, where that is limited', async () => {
  const person = (token: string) => ({
    ...{ account: token, name: `Person ${token}`, role: 'viewer' as const, tenant: null },
    ...{ groups: [], names: [token], by: 'token' as const },
  });
  api = await startApi({
    doors: { apiToken, identify: async (by) => ('token' in by ? person(by.token) : null) },
    requestsPerMinute: 3,
    personRequestsPerMinute: 2,
  });
  const { get } = api;
  let made = 0;
  const ask = (token: string) => () => {
    made += 1;
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': `203.0.113.${made}` };
    return get('/api/plans', headers);
  };
  expect(await statuses(3, ask('ana'))).toEqual([200, 200, 429]);
  expect(await statuses(1, ask('ben'))).toEqual([200]);
  expect((await readProblem(await ask('ana')())).detail).toContain('came from Person ana');
  expect(await statuses(4, () => get('/api/plans', through('203.0.113.7')))).toEqual([
    200, 200, 200, 429,
  ]);
});

it('counts the addresses of one IPv6 network as one caller', async () => {
  const { get } = await open();
  let made = 0;
  const ask = () => {
    made += 1;
    return get('/api/plans', through(`2001:db8:1:2::${made}`));
  };
  expect(await statuses(4, ask)).toEqual([200, 200, 200, 429]);
  expect((await get('/api/plans', through('2001:db8:1:3::1'))).status).toBe(200);
});

it('limits how often one address signs in, apart from what it asks the API', async () => {
  const refuse = () => Promise.reject(new CountersignError('unauthorized', 'Begin again.'));
  api = await startApi({
    doors: { apiToken },
    requestsPerMinute: 3,
    identity: { identity: createIdentityDouble({ begin: refuse, finish: refuse }), secure: true },
  });
  const { get } = api;
  for (const path of ['/sign-in/corp', '/sign-in/corp/callback?code=a&state=b']) {
    const ask = (address: string) => () => get(path, { 'x-forwarded-for': address });
    expect(new Set(await statuses(60, ask('203.0.113.7')))).toEqual(new Set([401]));
    const refused = await ask('203.0.113.7')();
    expect(refused.status).toBe(429);
    expect((await readProblem(refused)).detail).toMatch(
      /^More than 60 requests came from this address within a minute\. Try again in \d+ s\.$/,
    );
    expect((await ask('203.0.113.8')()).status).toBe(401);
  }
  expect((await get('/api/plans', through('203.0.113.7'))).status).toBe(200);
});

it('never refuses this machine', async () => {
  const { get, origin } = await open();
  const console = { authorization, origin };
  expect(new Set(await statuses(10, () => get('/api/plans', console)))).toEqual(new Set([200]));
});

it.each(['/healthz', '/readyz', '/metrics', '/openapi.json'])('never refuses %s', async (path) => {
  const { get } = await open();
  expect(new Set(await statuses(6, () => get(path, through('203.0.113.7'))))).toEqual(
    new Set([200]),
  );
});

it('never refuses the webhooks of chat platforms', async () => {
  api = await startApi({ doors: { apiToken }, requestsPerMinute: 3 }, async (app) => {
    const config = { role: 'open', subject: 'instance' } as const;
    for (const path of ['/slack/events', '/api/messages'])
      app.post(path, { config }, async () => ({}));
  });
  const { post } = api;
  for (const path of ['/slack/events', '/api/messages']) {
    const hook = () => post(path, {}, { 'x-forwarded-for': '203.0.113.7' });
    expect(await statuses(6, hook)).toEqual([200, 200, 200, 200, 200, 200]);
  }
});
