// The console's part of the HTTP server: the page, what it loads, and a plan's card drawn for it.
// Everything else the page needs it asks of the API, as any other client would.
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { importMap, listAssets, pageFile } from './assets.ts';
import { addCardRoute } from './card-route.ts';
import type { ConsoleOptions } from './console-options.ts';
import { buildPolicy } from './security.ts';
import { createAssetReader, type Served, tagContent } from './serve-asset.ts';

function buildPage(): { served: Served; policy: string } {
  const map = JSON.stringify(importMap);
  const body = readFileSync(pageFile, 'utf8').replace(
    '<!-- importmap -->',
    `<script type="importmap">${map}</script>`,
  );
  return { served: { body, etag: tagContent(body) }, policy: buildPolicy(map) };
}

/** Sends `served`, or only that the browser has it already. Browsers ask each time, so an update shows at once. */
function send(reply: FastifyReply, { body, etag }: Served, type: string): FastifyReply {
  const { 'if-none-match': known } = reply.request.headers;
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (known === etag) return reply.code(304).send();
  return reply.type(type).send(body);
}

/** Adds the console to a server that has the API. */
export async function registerConsole(
  app: FastifyInstance,
  options: ConsoleOptions,
): Promise<void> {
  const page = buildPage();
  const readAsset = createAssetReader();

  app.get('/', async (_request, reply) => {
    reply.header('content-security-policy', page.policy);
    return send(reply, page.served, 'text/html; charset=utf-8');
  });

  for (const [address, asset] of listAssets()) {
    app.get(address, async (_request, reply) => send(reply, await readAsset(asset), asset.type));
  }

  addCardRoute(app, options);
}
