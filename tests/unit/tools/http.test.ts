import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { McpServer } from '#domain/settings.ts';
import { createAddressRules, findUrlProblem } from '#tools/http/addresses.ts';
import { findHeaderProblem } from '#tools/http/headers.ts';
import { refuseOnceLate } from '#tools/late-call.ts';
import { openWire } from '#tools/mcp/open-transport.ts';
import { listenOnLoopback } from '../../fixtures/loopback.ts';
import { type Bench, openBench } from './tool-bench.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(listener: RequestListener): Promise<{ port: number; hits: string[] }> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  const { port, close } = await listenOnLoopback(server);
  closers.push(close);
  return { port, hits };
}

async function open(
  http: { [key: string]: unknown },
  lookup?: (host: string) => Promise<string[]>,
): Promise<Bench> {
  const bench = await openBench({ http }, lookup === undefined ? {} : { lookup });
  closers.push(() => bench.close());
  return bench;
}

const toLoopback = async () => ['127.0.0.1'];

describe('an address', () => {
  const rules = createAddressRules([]);
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://0.0.0.0/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[ff02::1]/',
    'http://[2002:7f00:1::]/',
  ])('%s is refused when a plan is proposed', (url) => {
    expect(findUrlProblem(url, rules)?.code).toBe('address_not_allowed');
  });

  it.each(['file:///etc/passwd', 'ftp://example.org/', 'gopher://example.org/'])(
    '%s is refused for its scheme',
    (url) => {
      expect(findUrlProblem(url, rules)?.message).toMatch(/Only http and https/);
    },
  );

  it('in public is allowed', () => {
    expect(findUrlProblem('https://93.184.216.34/', rules)).toBeNull();
    expect(findUrlProblem('https://[2606:2800:220:1::1]/', rules)).toBeNull();
  });

  it('is allowed by its range, but not its neighbours', () => {
    const some = createAddressRules(['10.1.0.0/16', 'intranet', '::1']);
    expect(some.allows('x', '10.1.2.3')).toBe(true);
    expect(some.allows('x', '10.2.2.3')).toBe(false);
    expect(some.allows('x', '::1')).toBe(true);
    expect(some.allows('INTRANET.', '192.168.0.1')).toBe(true);
    expect(some.allows('x', '::ffff:10.1.2.3')).toBe(true);
    expect(() => createAddressRules(['not a host'])).toThrow(/http\.allowPrivate/);
  });
});

describe('http_get', () => {
  it('reaches no private address, by number or by name', async () => {
    const { port, hits } = await serve((_, response) => response.end('inside'));
    const bench = await open({}, toLoopback);
    for (const host of ['127.0.0.1', 'localhost', 'public.example'])
      expect((await bench.fail('http_get', { url: `http://${host}:${port}/` })).code).toBe(
        'address_not_allowed',
      );
    expect(hits).toEqual([]);
  });

  it('asks for the address of a name once, and connects to that one', async () => {
    const { port, hits } = await serve((_, response) => response.end('inside'));
    const answers = [['127.0.0.1'], ['93.184.216.34']];
    let asked = 0;
    const bench = await open({}, async () => answers[Math.min(asked++, 1)] ?? []);
    const error = await bench.fail('http_get', { url: `http://rebind.example:${port}/` });
    expect(error.code).toBe('address_not_allowed');
    expect(asked).toBe(1);
    expect(hits).toEqual([]);
  });

  it('reaches a private host that is listed, and gives text or JSON', async () => {
    const { port } = await serve((request, response) => {
      response.setHeader(
        'content-type',
        request.url === '/json' ? 'application/json' : 'text/plain',
      );
      response.end(request.url === '/json' ? '{"a":[1]}' : 'hello');
    });
    const bench = await open({ allowPrivate: ['intranet.test'] }, toLoopback);
    const base = `http://intranet.test:${port}`;
    expect(await bench.data('http_get', { url: `${base}/` })).toMatchObject({
      status: 200,
      text: 'hello',
    });
    expect((await bench.data('http_get', { url: `${base}/json` })).json).toEqual({ a: [1] });
    expect((await bench.fail('http_get', { url: `http://other.test:${port}/` })).code).toBe(
      'address_not_allowed',
    );
  });

  it.each([
    ['meta', 'text/html', Buffer.from('<meta charset="iso-8859-1"><p>café', 'latin1')],
    ['header', 'text/html; charset="ISO-8859-1"', Buffer.from('<p>café', 'latin1')],
    [
      'XML declaration',
      'text/xml',
      Buffer.from('<?xml version="1.0" encoding="latin1"?><a>café', 'latin1'),
    ],
    ['mark', 'text/plain', Buffer.from('\ufeffcafé', 'utf16le')],
    ['nothing', 'text/plain', Buffer.from('café', 'latin1')],
  ])('reads a text whose encoding is told by %s', async (_, type, body) => {
    const { port } = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': type }).end(body),
    );
    const bench = await open({ allowPrivate: ['127.0.0.1'] });
    const { text } = await bench.data('http_get', { url: `http://127.0.0.1:${port}/` });
    expect(text).toMatch(/café$/);
  });

  it('reads JSON behind a byte order mark', async () => {
    const { port } = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('\ufeff{"a":"é"}'),
    );
    const bench = await open({ allowPrivate: ['127.0.0.1'] });
    expect(await bench.data('http_get', { url: `http://127.0.0.1:${port}/` })).toMatchObject({
      json: { a: 'é' },
    });
  });

  it('sends no header of its own to another origin that it is redirected to, whatever it is called', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const { port } = await serve((request, response) => {
      seen.push(request.headers);
      const [host] = (request.headers.host ?? '').split(':');
      const next = host === 'one.test' && request.url === '/' ? '/again' : null;
      const away = host === 'one.test' ? `http://two.test:${port}/` : null;
      const location = next ?? away;
      if (location === null) response.end('arrived');
      else response.writeHead(302, { location }).end();
    });
    const bench = await open({ allowPrivate: ['127.0.0.0/8'] }, toLoopback);
    const headers = { 'X-Api-Key': 'secret', 'PRIVATE-TOKEN': 'secret', Accept: 'text/plain' };
    await bench.call('http_get', { url: `http://one.test:${port}/`, headers });
    const [first, again, away] = seen;
    for (const own of [first, again])
      expect(own).toMatchObject({ 'x-api-key': 'secret', 'private-token': 'secret' });
    expect(JSON.stringify(away)).not.toContain('secret');
    expect(away?.accept).toBe('text/plain');
  });

  it('checks each stop of a redirect', async () => {
    const { port, hits } = await serve((request, response) => {
      const target = request.url === '/out' ? `http://127.0.0.1:${port}/secret` : '/end';
      if (request.url === '/end') response.end('arrived');
      else response.writeHead(302, { location: target }).end();
    });
    const bench = await open({ allowPrivate: ['intranet.test'] }, toLoopback);
    const base = `http://intranet.test:${port}`;
    expect(await bench.data('http_get', { url: `${base}/near` })).toMatchObject({
      text: 'arrived',
      url: `${base}/end`,
    });
    expect((await bench.fail('http_get', { url: `${base}/out` })).code).toBe('address_not_allowed');
    expect(hits).not.toContain('GET /secret');
  });

  it('takes no credentials along to another place', async () => {
    const seen: (string | undefined)[] = [];
    const { port } = await serve((request, response) => {
      seen.push(request.headers.authorization);
      if (request.url === '/end') response.end('');
      else response.writeHead(302, { location: `http://other.test:${port}/end` }).end();
    });
    const bench = await open({ allowPrivate: ['127.0.0.0/8'] }, toLoopback);
    await bench.call('http_get', {
      url: `http://one.test:${port}/`,
      headers: { Authorization: 'Bearer abc' },
    });
    expect(seen).toEqual(['Bearer abc', undefined]);
  });

  it('stops at a size, counted after unpacking, and at a time', async () => {
    const { port } = await serve((request, response) => {
      if (request.url === '/slow') return;
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(Buffer.alloc(200_000)));
    });
    const bench = await open({ allowPrivate: ['127.0.0.1'], max_bytes: 10_000, timeout_ms: 200 });
    const base = `http://127.0.0.1:${port}`;
    expect((await bench.fail('http_get', { url: `${base}/` })).message).toMatch(
      /larger than 10000/,
    );
    expect((await bench.fail('http_get', { url: `${base}/slow` })).code).toBe('timed_out');
  });

  it.each([
    ['no such page', ': no such page'],
    ['<!DOCTYPE html><title>404 Not Found</title><h1>404 Not Found</h1>', ''],
    [
      '<html><head><title>Oh</title><style>p{}</style></head><p>No page &amp; no <b>trace</b></p><script>x()</script>',
      ': No page & no trace',
    ],
    ['<html><head><title>Gone for good</title></head><body></body></html>', ': Gone for good'],
  ])('reports an answer that is not a success in plain text: %s', async (body, shown) => {
    const { port } = await serve((_, response) => response.writeHead(404).end(body));
    const bench = await open({ allowPrivate: ['127.0.0.1'] });
    const error = await bench.fail('http_get', { url: `http://127.0.0.1:${port}/x` });
    expect(error.message).toMatch(/answered 404 Not Found/);
    expect(error.message.replace(/^.*404 Not Found(?=:|$)/, '')).toBe(shown);
  });
});

describe('a call of a remote MCP server', () => {
  it('is not sent once it is late; what keeps the connection is', async () => {
    const { port, hits } = await serve((_, response) => response.writeHead(202).end());
    const server = McpServer.parse({ url: `http://127.0.0.1:${port}/mcp` });
    const { transport } = openWire(server, '.', null);
    await transport.start();
    closers.push(() => transport.close());
    const send = (method: string) =>
      transport.send({ jsonrpc: '2.0', id: 1, method, params: { name: 'pay', arguments: {} } });
    await expect(
      refuseOnceLate(
        () => true,
        () => send('tools/call'),
      ),
    ).rejects.toThrow();
    expect(hits).toEqual([]);
    await refuseOnceLate(
      () => true,
      () => send('ping'),
    );
    await refuseOnceLate(
      () => false,
      () => send('tools/call'),
    );
    expect(hits).toEqual(['POST /mcp', 'POST /mcp']);
  });
});

describe('http_request', () => {
  it('sends nothing if its call has become late while the address was looked up', async () => {
    const { port, hits } = await serve((_, response) => response.end());
    const looked = Promise.withResolvers<string[]>();
    const bench = await open({ allowPrivate: ['127.0.0.1'] }, () => looked.promise);
    const args = { url: `http://one.test:${port}/`, method: 'POST' };
    let late = false;
    const failed = refuseOnceLate(
      () => late,
      () => bench.fail('http_request', args),
    );
    late = true;
    looked.resolve(['127.0.0.1']);
    expect(await failed).toMatchObject({ code: 'cancelled', details: { outcome: 'none' } });
    expect(hits).toEqual([]);
    late = false;
    await bench.call('http_request', args);
    expect(hits).toEqual(['POST /']);
  });

  it('sends a JSON body and a key that is the same for each attempt', async () => {
    const bodies: string[] = [];
    const keys: unknown[] = [];
    const { port } = await serve((request, response) => {
      keys.push(request.headers['idempotency-key'], request.headers['content-type']);
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      request.on('end', () => response.writeHead(201).end());
    });
    const bench = await open({ allowPrivate: ['127.0.0.1'] });
    const url = `http://127.0.0.1:${port}/`;
    await bench.call('http_request', { url, method: 'POST', body: { a: 1 } });
    expect(bodies).toEqual(['{"a":1}']);
    expect(keys).toEqual(['PLAN-00000001:1:1', 'application/json']);
    const own = { url, method: 'POST', headers: { Host: 'other.example' } };
    expect((await bench.fail('http_request', own)).message).toMatch(/Host cannot be set/);
  });

  it.each<[string, Record<string, string>]>([
    ['X-Note', { 'X-Note': 'ok – done' }],
    ['X-Note', { 'X-Note': 'a\r\nX-Evil: 1' }],
    ['X-Note', { 'X-Note': 'a\u0000b' }],
    ['X-Note', { 'X-Note': '🌱' }],
    ['X-Note', { 'X-Note': ' a' }],
    ['Transfer-Encoding', { 'Transfer-Encoding': 'chunked' }],
    ['CONTENT-LENGTH', { 'CONTENT-LENGTH': '7' }],
    ['connection', { connection: 'close' }],
    ['""', { '': 'a' }],
    ['X Note', { 'X Note': 'a' }],
    ['X-Ä', { 'X-Ä': 'a' }],
    ['x-note', { 'X-Note': 'a', 'x-note': 'b' }],
  ])(
    'names the header %s that cannot be sent, at proposal and before the call',
    async (name, headers) => {
      const { port, hits } = await serve((_, response) => response.end());
      const bench = await open({ allowPrivate: ['127.0.0.1'] });
      const args = { url: `http://127.0.0.1:${port}/`, method: 'POST', headers };
      expect(bench.registry.validate('http_request', args).join()).toContain(name);
      expect(bench.registry.validate('http_get', { url: args.url, headers }).join()).toContain(
        name,
      );
      const error = await bench.fail('http_request', args);
      expect(error).toMatchObject({ code: 'invalid_arguments', details: { outcome: 'none' } });
      expect(hits).toEqual([]);
    },
  );

  it('takes every header that fetch takes as it is, and no other', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.dictionary(text, text), (headers) => {
        if (findHeaderProblem(headers) !== null) return;
        for (const [name, value] of Object.entries(headers))
          expect(new Headers([[name, value]]).get(name)).toBe(value);
      }),
    );
    expect(findHeaderProblem({ Accept: 'text/plain', 'X-A': 'Grüße', 'X-B': '' })).toBeNull();
    expect(findHeaderProblem({ 'X-Later': { $decide: 'a date' } })).toBeNull();
  });

  it('is not carried by a redirect to another place', async () => {
    const { port, hits } = await serve((_, response) =>
      response.writeHead(307, { location: `http://other.test:${port}/end` }).end(),
    );
    const bench = await open({ allowPrivate: ['127.0.0.0/8'] }, toLoopback);
    const args = { url: `http://one.test:${port}/`, method: 'POST', body: 'x' };
    expect((await bench.fail('http_request', args)).message).toMatch(
      /isn't the address in the plan/,
    );
    expect(hits).toEqual(['POST /']);
  });

  it.each<[string, RequestListener, object]>([
    [
      'redirects to another place',
      (_, response) => response.writeHead(303, { location: 'http://example.org/' }).end(),
      { outcome: 'unknown' },
    ],
    [
      'fails in the server',
      (_, response) => response.writeHead(502).end(),
      { status: 502, outcome: 'unknown' },
    ],
    [
      'has too long an answer',
      (_, response) => response.end('x'.repeat(2000)),
      { outcome: 'unknown' },
    ],
    ['is refused', (_, response) => response.writeHead(409).end(), { status: 409 }],
  ])('says whether a change may have been made that %s', async (_, listener, details) => {
    const { port } = await serve(listener);
    const bench = await open({ allowPrivate: ['127.0.0.1'], max_bytes: 1000 });
    const args = { method: 'POST', url: `http://127.0.0.1:${port}/orders` };
    expect((await bench.fail('http_request', args)).details).toEqual(details);
  });

  it('says that its outcome is unknown when the answer never comes', async () => {
    const { port } = await serve((request) => request.socket.destroy());
    const bench = await open({ allowPrivate: ['127.0.0.1'] });
    const args = { url: `http://127.0.0.1:${port}/`, method: 'POST' };
    expect((await bench.fail('http_request', args)).details).toEqual({ outcome: 'unknown' });
    const signal = AbortSignal.abort();
    const unsent = await bench.fail('http_request', args, { signal });
    expect(unsent).toMatchObject({ code: 'cancelled', details: {} });
  });
});
