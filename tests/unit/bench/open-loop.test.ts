import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { sendAtRate } from '#bench/open-loop.ts';

let server: Server | undefined;
afterEach(async () => {
  await new Promise((resolve) => server?.close(resolve));
});

async function open(answer: (body: string) => number | null): Promise<string> {
  const opened = createServer(async (request, response) => {
    const status = answer((await request.toArray()).join(''));
    if (status !== null) response.writeHead(status).end();
  });
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(opened.address() as AddressInfo).port}`;
}

const posts = (count: number) =>
  Array.from({ length: count }, (_, i) => () => ({ body: String(i), headers: {} }));
const notStopped = () => new AbortController().signal;

test('each is sent once, and has a time', async () => {
  const came: string[] = [];
  const url = await open((body) => {
    came.push(body);
    return 200;
  });
  const ms = await sendAtRate(url, posts(20), 2000, notStopped());
  expect(ms).toHaveLength(20);
  expect(ms.every((one) => one > 0)).toBe(true);
  expect(came.map(Number).toSorted((a, b) => a - b)).toEqual(posts(20).map((_, i) => i));
});

test('the next is sent although none before it was answered', async () => {
  const over = new AbortController();
  let came = 0;
  const url = await open(() => {
    came += 1;
    if (came === 5) over.abort(new Error('seen enough'));
    return null;
  });
  const sending = sendAtRate(url, posts(1000), 100, over.signal);
  await expect(sending).rejects.toThrow('seen enough');
  expect(came).toBeGreaterThanOrEqual(5);
});

test('an answer that is not 200 is thrown', async () => {
  const url = await open((body) => (body === '3' ? 503 : 200));
  await expect(sendAtRate(url, posts(5), 1000, notStopped())).rejects.toThrow('answered 503');
});
