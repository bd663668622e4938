import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createRespond, isSlackAddress } from '#adapters/slack/port/respond.ts';
import { toBlocks } from '#adapters/slack/press/windows.ts';
import { textSection } from '#cards/slack-windows.ts';
import { drawTable } from '#cards/table.ts';

test.each([
  ['https://hooks.slack.com/commands/T1/2/3', true],
  ['https://hooks.slack-gov.com/actions/T1/2/3', true],
  ['http://hooks.slack.com/commands/T1/2/3', false],
  ['https://hooks.slack.com:8443/commands/T1/2/3', false],
  ['https://hooks.slack.com.example.com/commands', false],
  ['https://hooks.slack.com@example.com/', false],
  ['https://user@hooks.slack.com/', false],
  ['https://example.com/?https://hooks.slack.com/', false],
  ['http://169.254.169.254/latest', false],
  ['http://127.0.0.1:3978/api/plans', false],
  ['file:///etc/passwd', false],
  ['no address', false],
])('%s: %s', (url, ours) => {
  expect(isSlackAddress(url, undefined)).toBe(ours);
});

test('where Slack is stood in for, the addresses of that count, and no other port of its machine', () => {
  const apiUrl = 'http://127.0.0.1:4000/api/';
  expect(isSlackAddress('http://127.0.0.1:4000/actions/1', apiUrl)).toBe(true);
  expect(isSlackAddress('http://127.0.0.1:4001/actions/1', apiUrl)).toBe(false);
  expect(isSlackAddress('https://127.0.0.1:4000/actions/1', apiUrl)).toBe(false);
});

test.each([200, 404])(
  'what Slack says beside its status %i is not waited for, and the connection is let go',
  async (status) => {
    const answered = Promise.withResolvers<ServerResponse>();
    const server = createServer((_request, response) => {
      response.writeHead(status).write('and so on');
      answered.resolve(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('It has no port.');
    const apiUrl = `http://127.0.0.1:${address.port}/api/`;
    const respond = createRespond({ apiUrl, warn: () => {} });
    expect(await respond(`${apiUrl}answer`, { text: 'hello' })).toBe(status === 200);
    const response = await answered.promise;
    if (!response.closed) await once(response, 'close');
    // Less than the ten seconds after which an answer is given up.
  },
  5000,
);

test('blocks that Slack refuses are answered without tables', async () => {
  const taken: string[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (body.includes('data_table')) return response.writeHead(400).end('invalid_blocks');
    taken.push(body);
    return response.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It has no port.');
  const apiUrl = `http://127.0.0.1:${address.port}/api/`;
  const respond = createRespond({ apiUrl, warn: () => {} });
  const blocks = toBlocks(drawTable({ caption: 'Plans', columns: ['Plan'], rows: [['One']] }));
  const plain = [textSection('One')];
  expect(await respond(`${apiUrl}answer`, { text: 'One', blocks, plain })).toBe(true);
  expect(taken).toEqual([expect.stringContaining('"blocks":[{"type":"section"')]);
});
