import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admit, type RouteRole, type Visit } from '#api/guard.ts';
import { CountersignError } from '#domain/errors.ts';
import { draft, rawRequest, readProblem, startApi, type TestApi } from '../../fixtures/api.ts';

const visit: Visit = {
  method: 'POST',
  remoteAddress: '127.0.0.1',
  host: '127.0.0.1:3978',
  origin: undefined,
  forwarded: false,
  authorization: undefined,
  session: undefined,
};

async function refusalOf(
  facts: Partial<Visit>,
  role: RouteRole,
  apiToken?: string,
): Promise<string | null> {
  const doors = { signIn: false, publicOrigin: null, identify: async () => null };
  try {
    await admit(
      { ...visit, ...facts },
      role,
      apiToken === undefined ? doors : { ...doors, apiToken },
    );
    return null;
  } catch (error) {
    return error instanceof CountersignError ? error.code : String(error);
  }
}
const token = 'a-token-of-some-length';
const json = { 'content-type': 'application/json' };

describe('without a token', () => {
  it.each([
    ['this machine', {}, true],
    ['this machine over IPv6', { remoteAddress: '::1', host: '[::1]:3978' }, true],
    ['this machine as IPv6 writes IPv4', { remoteAddress: '::ffff:127.0.0.1' }, true],
    ['localhost of any case', { host: 'LocalHost:80' }, true],
    ['another machine', { remoteAddress: '192.168.1.7' }, false],
    ['another machine as IPv6 writes IPv4', { remoteAddress: '::ffff:10.0.0.1' }, false],
    ['a connection that is gone', { remoteAddress: undefined }, false],
    ['a tunnel to this machine', { forwarded: true }, false],
    ['a name that was rebound to this machine', { host: 'evil.example' }, false],
    ['a name that begins like localhost', { host: 'localhost.evil.example' }, false],
    ['no Host at all', { host: undefined }, false],
    ['a page of this server', { origin: 'http://127.0.0.1:3978' }, true],
    ['a page of another port', { origin: 'http://127.0.0.1:8080' }, false],
    ['a page of elsewhere', { origin: 'https://evil.example' }, false],
    ['a page without an origin', { origin: 'null' }, false],
    ['reading by a page of elsewhere', { origin: 'https://evil.example', method: 'GET' }, true],
    ['a probe from elsewhere', { remoteAddress: '10.0.0.1' }, true, 'open'],
    ['Slack', { remoteAddress: '10.0.0.1', host: 'x.example' }, true, 'open'],
    ['metrics from elsewhere', { remoteAddress: '10.0.0.1' }, false, 'metrics'],
    ['the page from elsewhere', { remoteAddress: '10.0.0.1' }, false, 'page'],
  ] as [string, Partial<Visit>, boolean, RouteRole?][])(
    'judges %s',
    async (_who, facts, passes, role = 'admin') => {
      expect(await refusalOf(facts, role)).toBe(passes ? null : 'forbidden');
    },
  );

  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it('refuses a foreign Host and a foreign Origin with a sentence, before reading the body', async () => {
    const foreign = [{ host: 'evil.example' }, { origin: 'https://evil.example' }];
    for (const headers of foreign) {
      const answer = await rawRequest(api.port, {
        path: '/api/plans',
        method: 'POST',
        headers: { ...json, ...headers },
        body: JSON.stringify(draft),
      });
      expect(answer.status).toBe(403);
      expect(answer.headers['content-type']).toContain('application/problem+json');
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'forbidden', status: 403 });
    }
    expect(api.service.calls).toEqual([]);
  });

  it.each([
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-real-ip',
  ])('takes a request that has “%s” for one that a proxy hands on', async (name) => {
    const headers = { [name]: name === 'via' ? '1.1 proxy' : '203.0.113.1' };
    const answer = await rawRequest(api.port, { path: '/api/plans', headers });
    expect(answer.status).toBe(403);
    expect((await rawRequest(api.port, { path: '/api/plans' })).status).toBe(200);
  });

  it('takes HTTP/1.0 for the tongue of a proxy', async () => {
    const ask = async (version: string) => {
      const socket = connect(api.port, '127.0.0.1');
      socket.write(
        `GET /api/plans HTTP/${version}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
      );
      return (await text(socket)).split(' ')[1];
    };
    expect([await ask('1.1'), await ask('1.0')]).toEqual(['200', '403']);
  });

  it('is not led around by an escaped path', async () => {
    const headers = { host: 'evil.example' };
    const answer = await rawRequest(api.port, { path: '/%61pi/plans', headers });
    expect(answer.status).toBe(403);
  });

  it('sends headers against sniffing, framing and caching', async () => {
    const { headers } = await api.get('/api/plans');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('with a token', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({ doors: { apiToken: token } }, async (app) => {
      const open = { config: { role: 'open', subject: 'instance' } } as const;
      app.post('/api/messages', open, async () => ({ heard: true }));
      const page = { config: { role: 'page', subject: 'instance' } } as const;
      app.get('/', page, async () => 'the page');
    });
  });
  afterAll(() => api.close());

  it.each([undefined, 'Bearer wrong', `Basic ${token}`, `Bearer ${token}x`, 'Bearer ', token])(
    'refuses %s everywhere under /api, streams and unknown paths too',
    async (authorization) => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      for (const path of ['/api/plans', '/api/conversations/c/events', '/api/none', '/api']) {
        const response = await api.get(path, headers);
        expect(response.status, path).toBe(401);
        expect(response.headers.get('www-authenticate')).toContain('Bearer');
        const { code, detail } = await readProblem(response);
        expect(code).toBe('unauthorized');
        const sent = /^Bearer \S/.test(authorization ?? '');
        expect(detail?.startsWith('The token that was sent is unknown, revoked or expired.')).toBe(
          sent,
        );
      }
    },
  );

  it('answers those who have it, by whatever name they call the server', async () => {
    const headers = {
      authorization: `bearer ${token}`,
      host: 'bot.example',
      origin: 'https://x.example',
    };
    const answer = await rawRequest(api.port, {
      path: '/api/plans',
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify(draft),
    });
    expect(answer.status).toBe(201);
    expect(JSON.parse(answer.body).requester).toBe('local');
  });

  it('asks none of Teams, the page, probes and metrics read on this machine', async () => {
    expect((await api.post('/api/messages', {})).status).toBe(200);
    for (const path of ['/', '/healthz', '/readyz', '/metrics', '/openapi.json'])
      expect((await api.get(path)).status, path).toBe(200);
  });

  it('shows metrics elsewhere only to those who have it', async () => {
    const far = { method: 'GET', remoteAddress: '10.0.0.1' };
    expect(await refusalOf(far, 'metrics', token)).toBe('unauthorized');
    const authorization = `Bearer ${token}`;
    expect(await refusalOf({ ...far, authorization }, 'metrics', token)).toBeNull();
  });

  it('does not start with a route that says nothing of who may ask it', async () => {
    const adds = startApi({}, async (app) => {
      // @ts-expect-error what the compiler refuses is refused at the start as well
      app.get('/api/everything', { config: {} }, async () => 'all of it');
    });
    await expect(adds).rejects.toThrow('GET /api/everything declares no config');
    const silent = startApi({}, async (app) => {
      app.get('/api/everything', async () => 'all of it');
    });
    await expect(silent).rejects.toThrow('GET /api/everything declares no config');
  });

  it('never logs it', async () => {
    await api.get('/api/plans', { authorization: `Bearer ${token}` });
    await expect.poll(() => api.logged()).toContain('/api/plans');
    expect(api.logged()).not.toContain(token);
  });
});
