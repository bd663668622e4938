// Fetches a file that is attached in Slack.
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createAsk } from '#adapters/slack/calls/hold.ts';
import { placeOf } from '#adapters/slack/signals/name-signal.ts';
import { createFetchFile } from '#adapters/slack/talk/fetch-file.ts';
import { listenOnLoopback } from '../../../fixtures/loopback.ts';
import { createLimits } from '../../fixtures/rate-limits.ts';

test('a download that breaks off can be tried again', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  });
  const { url, close } = await listenOnLoopback(server);
  onTestFinished(close);
  const file = { id: 'F1', channels: ['C1'], url_private_download: `${url}/F1` };
  const client = { files: { info: async () => ({ ok: true, file }) } };
  const fetchFile = createFetchFile({
    clientOf: async () => client as never, // Only what is called here.
    ask: createAsk(createLimits()),
    apiUrl: url,
  });
  const fetched = fetchFile(placeOf('T1', 'C1', null), 'F1', AbortSignal.timeout(10_000));
  await expect(fetched).rejects.toMatchObject({ code: 'tool_unavailable', passesAfterMs: 0 });
});
