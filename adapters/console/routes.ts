// The console's part of the HTTP server: the page, what it loads, and a plan's card drawn for it.
// Everything else the page needs it asks of the API, as any other client would.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { drawWholeCard } from '#cards/expand.ts';
import { viewSession } from '#cards/session-view.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { Service } from '#domain/service.ts';
import { line } from '#domain/text.ts';
import { type Asset, importMap, listAssets, pageFile } from './assets.ts';
import { stripTypes } from './strip-types.ts';

// GET /api/plans/:id/card and /api/runs/:id/card: what is said about a plan or a planning session, and its Adaptive Card,
// for one reader.

/** What the route answers; `cards/` says everything in `view` and `adaptive_card`. */
export type CardAnswer = {
  facts: Awaited<ReturnType<ConsoleOptions['service']['card']>>;
  view: ReturnType<typeof viewPlan>;
  adaptive_card: ReturnType<typeof drawWholeCard>;
};

/** The same of a run's planning session; the facts are left out, since an outline can be long. */
type RunCardAnswer = {
  run_id: string;
  turn: number;
  digest: string;
  planning_status: Awaited<ReturnType<ConsoleOptions['service']['runCard']>>['status'];
  view: ReturnType<typeof viewSession>;
  adaptive_card: ReturnType<typeof drawWholeCard>;
};

const CardPath = z.object({ id: z.string().min(1).max(300) });
const CardQuery = z.strictObject({
  user: line(200).default('local'),
  timezone: line(100).optional(),
});

function addCardRoute(app: FastifyInstance, { service, timezone }: ConsoleOptions): void {
  app.get<{ Params: z.infer<typeof CardPath>; Querystring: z.infer<typeof CardQuery> }>(
    '/api/plans/:id/card',
    { schema: { params: CardPath, querystring: CardQuery } },
    async ({ params, query }): Promise<CardAnswer> => {
      const viewer = { user: query.user, timezone: query.timezone ?? timezone };
      const facts = await service.card(params.id, viewer);
      const view = viewPlan(facts);
      return { facts, view, adaptive_card: drawWholeCard(view) };
    },
  );

  app.get<{ Params: z.infer<typeof CardPath>; Querystring: z.infer<typeof CardQuery> }>(
    '/api/runs/:id/card',
    { schema: { params: CardPath, querystring: CardQuery } },
    async ({ params, query }): Promise<RunCardAnswer> => {
      const viewer = { user: query.user, timezone: query.timezone ?? timezone };
      const { run_id, turn, digest, status, ...rest } = await service.runCard(params.id, viewer);
      const view = viewSession({ run_id, turn, digest, status, ...rest });
      const adaptive_card = drawWholeCard(view);
      return { run_id, turn, digest, planning_status: status, view, adaptive_card };
    },
  );
}

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

// What the page is allowed to do in the browser: load from this server, run our files, and nothing else.

/** The policy for a page whose only inline script is `importMap`. */
function buildPolicy(importMap: string): string {
  const hash = createHash('sha256').update(importMap).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

// Reads an asset for the browser: TypeScript with its types stripped, everything with an ETag, kept in memory
// until the file changes.
type Served = { body: string; etag: string };

function tagContent(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** A reader with its own memory. An edited file is read again at its next request. */
function createAssetReader(): (asset: Asset) => Promise<Served> {
  const memory = new Map<string, { changed: number; served: Served }>();
  return async ({ file, kind }) => {
    const changed = (await stat(file)).mtimeMs;
    const known = memory.get(file);
    if (known?.changed === changed) return known.served;
    const source = await readFile(file, 'utf8');
    const body = kind === 'typescript' ? stripTypes(source) : source;
    const served = { body, etag: tagContent(body) };
    memory.set(file, { changed, served });
    return served;
  };
}

// What the console is given by the process it runs in.
type ConsoleOptions = {
  service: Service;
  /** IANA zone of readers whose browser does not say where they are. */
  timezone: string;
};
