// The console's part of the HTTP server: the page, what it loads, and a plan's card drawn for it.
// Everything else the page needs it asks of the API, as any other client would.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { actorOf, viewerOf } from '#api/actor.ts';
import { ProposeBody } from '#api/requests.ts';
import { drawWholeCard } from '#cards/expand.ts';
import { viewSession } from '#cards/session-view.ts';
import { viewPlan } from '#cards/view-model.ts';
import { readDraft } from '#domain/plan/templates.ts';
import type { Service } from '#domain/service.ts';
import { line } from '#domain/text.ts';
import { type Asset, entry, importMap, listAssets, pageFile } from './assets.ts';
import { registerDocs } from './docs/routes.ts';
import {
  createAssetReader,
  listModules,
  type ReadAsset,
  type Served,
  send,
  toServed,
} from './served.ts';

// GET /api/plans/:id/card, POST /api/plans/preview and GET /api/runs/:id/card: what is said about a plan or a planning session, and its Adaptive Card,
// for one reader.

/** What the route answers; `cards/` says everything in `view` and `adaptive_card`. */
export type CardAnswer = {
  facts: Awaited<ReturnType<Service['card']>>;
  view: ReturnType<typeof viewPlan>;
  adaptive_card: ReturnType<typeof drawWholeCard>;
};

/** The same of a run's planning session; the facts are left out, since an outline can be long. */
type RunCardAnswer = {
  run_id: string;
  turn: number;
  digest: string;
  planning_status: Awaited<ReturnType<Service['runCard']>>['status'];
  view: ReturnType<typeof viewSession>;
  adaptive_card: ReturnType<typeof drawWholeCard>;
};

const CardPath = z.object({ id: z.string().min(1).max(300) });
const CardQuery = z.strictObject({
  user: line(200).optional(),
  timezone: line(100).optional(),
});

function addCardRoute(app: FastifyInstance, { timezone }: ConsoleOptions): void {
  app.get<{ Params: z.infer<typeof CardPath>; Querystring: z.infer<typeof CardQuery> }>(
    '/api/plans/:id/card',
    {
      config: { role: 'viewer', subject: 'plan' },
      schema: { params: CardPath, querystring: CardQuery },
    },
    async (request): Promise<CardAnswer> => {
      const { params, query, service } = request;
      const viewer = { user: viewerOf(request, query.user), timezone: query.timezone ?? timezone };
      const facts = await service.card(params.id, viewer);
      const view = viewPlan(facts);
      return { facts, view, adaptive_card: drawWholeCard(view) };
    },
  );

  app.post<{ Body: z.infer<typeof ProposeBody>; Querystring: z.infer<typeof CardQuery> }>(
    '/api/plans/preview',
    {
      config: { role: 'requester', subject: 'new' },
      schema: { body: ProposeBody, querystring: CardQuery },
    },
    async (request): Promise<CardAnswer> => {
      const { query, service } = request;
      const { user, conversation, ...draft } = request.body;
      const actor = actorOf(request, user);
      const viewer = { user: actor.id, timezone: query.timezone ?? timezone };
      const options = conversation === undefined ? {} : { conversation };
      const facts = await service.previewProposal(readDraft(draft), options, viewer, actor);
      const view = viewPlan(facts);
      return { facts, view, adaptive_card: drawWholeCard(view) };
    },
  );

  app.get<{ Params: z.infer<typeof CardPath>; Querystring: z.infer<typeof CardQuery> }>(
    '/api/runs/:id/card',
    {
      config: { role: 'viewer', subject: 'run' },
      schema: { params: CardPath, querystring: CardQuery },
    },
    async (request): Promise<RunCardAnswer> => {
      const { params, query, service } = request;
      const viewer = { user: viewerOf(request, query.user), timezone: query.timezone ?? timezone };
      const { run_id, turn, digest, status, ...rest } = await service.runCard(params.id, viewer);
      const view = viewSession({ run_id, turn, digest, status, ...rest });
      const adaptive_card = drawWholeCard(view);
      return { run_id, turn, digest, planning_status: status, view, adaptive_card };
    },
  );
}

type Page = { served: Served; policy: string };

const sheet = '/console/styles.css';
const sheetLink = /^ *<link rel="stylesheet" href="([^"]+)" \/>\n/gm;

/** All style sheets of the page as one, in its order. */
async function buildSheet(assets: ReadonlyMap<string, Asset>, read: ReadAsset): Promise<Served> {
  const source = await readFile(pageFile, 'utf8');
  const named = [...source.matchAll(sheetLink)].flatMap(
    ([, address = '']) => assets.get(address) ?? [],
  );
  const parts = await Promise.all(named.map(read));
  return toServed(parts.map(({ body }) => body).join('\n'));
}

/** The page, with its import map and with links to all its modules, so that they load side by side. */
async function buildPage(
  assets: ReadonlyMap<string, Asset>,
  read: ReadAsset,
  hasModel: boolean,
): Promise<Page> {
  const map = JSON.stringify(importMap);
  const links = (await listModules(entry, assets, read))
    .map((address) => `<link rel="modulepreload" href="${address}" />`)
    .join('');
  const source = await readFile(pageFile, 'utf8');
  const body = source
    .replace('<!-- importmap -->', `<script type="importmap">${map}</script>`)
    .replace('<!-- modules -->', links)
    .replace('<body>', hasModel ? '<body>' : '<body data-model="none">')
    .replaceAll(sheetLink, '')
    .replace('<!-- styles -->', `<link rel="stylesheet" href="${sheet}" />`);
  return { served: toServed(body), policy: buildPolicy(map) };
}

/** Adds the console to a server that has the API. */
export async function registerConsole(
  app: FastifyInstance,
  options: ConsoleOptions,
): Promise<void> {
  const assets = listAssets();
  const readAsset = createAssetReader();
  // Made at the first visit, so that a process without visitors reads no files.
  let building: Promise<Page> | null = null;

  const config = { role: 'page', subject: 'instance' } as const;
  app.get('/', { config }, async (_request, reply) => {
    building ??= buildPage(assets, readAsset, options.hasModel).catch((error: unknown) => {
      building = null;
      throw error;
    });
    const { served, policy } = await building;
    reply.headers({
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
    });
    return send(reply, served, 'text/html; charset=utf-8');
  });

  let styles: Served | null = null;
  app.get(sheet, { config }, async (_request, reply) => {
    const now = await buildSheet(assets, readAsset);
    // The copy that was sent before is compressed already.
    if (styles?.etag !== now.etag) styles = now;
    return send(reply, styles, 'text/css; charset=utf-8');
  });

  for (const [address, asset] of assets) {
    app.get(address, { config }, async (_request, reply) =>
      send(reply, await readAsset(asset), asset.type),
    );
  }

  registerDocs(app);
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
    "object-src 'none'",
    "frame-ancestors 'none'",
    // Markup is made by lit's templates and the card renderer alone; the only script that code starts is the graph's worker.
    "require-trusted-types-for 'script'",
    `trusted-types ${[
      'lit-html',
      'adaptivecards#deprecatedExportedFunctionPolicy',
      'adaptivecards#markdownPassthroughPolicy',
      'adaptivecards#restoreContentsPolicy',
      'countersign-graph',
    ].join(' ')}`,
  ].join('; ');
}

// What the console is given by the process it runs in.
type ConsoleOptions = {
  /** IANA zone of readers whose browser does not say where they are. */
  timezone: string;
  /** The first screen says so where there is none. */
  hasModel: boolean;
};
