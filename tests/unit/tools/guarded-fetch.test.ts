// Only the fetch's own origin may be private without being listed.
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { createAddressRules } from '#tools/http/addresses.ts';
import { createGuardedFetch } from '#tools/http/guarded-fetch.ts';
import { listenOnLoopback } from '../../fixtures/loopback.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function listen(answer: RequestListener): Promise<string> {
  const server = await listenOnLoopback(createServer(answer));
  open.push(server);
  return server.url;
}

const fetchAs = (own: string, allowPrivate: string[] = []) =>
  createGuardedFetch(createAddressRules(allowPrivate), own, { timeoutMs: 5000 });

it('takes a request and gives its answer', async () => {
  const own = await listen(async (request, response) => {
    response.writeHead(201, { 'x-method': request.method ?? '' });
    response.end(`${request.headers['content-type']}: ${await text(request)}`);
  });
  const answer = await fetchAs(`${own}/mcp`)(`${own}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ code: 'a b' }),
  });
  expect(answer).toBeInstanceOf(Response);
  expect([answer.status, answer.headers.get('x-method')]).toEqual([201, 'POST']);
  expect(await answer.text()).toBe('application/x-www-form-urlencoded: code=a+b');
});

it('does not go to another private origin, also where its own sends it there', async () => {
  const asked: string[] = [];
  const other = await listen((request, response) => {
    asked.push(request.url ?? '');
    response.end('inside');
  });
  const own = await listen((_, response) => {
    response.writeHead(302, { location: `${other}/inside` }).end();
  });
  const refused = /^127\.0\.0\.1 is a private or local address/;
  await expect(fetchAs(own)(other)).rejects.toThrow(refused);
  await expect(fetchAs(own)(own)).rejects.toThrow(refused);
  expect(asked).toEqual([]);
  expect(await (await fetchAs(own, ['127.0.0.1'])(own)).text()).toBe('inside');
});

it('does not read on where an answer does not end', async () => {
  const own = await listen((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', more);
    more();
  });
  await expect(fetchAs(own)(own)).rejects.toThrow(/more than 1 MB/);
});
