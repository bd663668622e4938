// The console's own routes; otherwise the page uses the API.
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

// Cards of plans and planning sessions, for one reader.

/** `view` and `adaptive_card` come from `cards/`. */
export type CardAnswer = {
  facts: Awaited<ReturnType<Service['card']>>;
  view: ReturnType<typeof viewPlan>;
  adaptive_card: ReturnType<typeof drawWholeCard>;
};

/** Without facts, since an outline can be long. */
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

async function buildSheet(assets: ReadonlyMap<string, Asset>, read: ReadAsset): Promise<Served> {
  const source = await readFile(pageFile, 'utf8');
  const named = [...source.matchAll(sheetLink)].flatMap(
    ([, address = '']) => assets.get(address) ?? [],
  );
  const parts = await Promise.all(named.map(read));
  return toServed(parts.map(({ body }) => body).join('\n'));
}

/** Preload links let modules load in parallel. */
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

export async function registerConsole(
  app: FastifyInstance,
  options: ConsoleOptions,
): Promise<void> {
  const assets = listAssets();
  const readAsset = createAssetReader();
  // Built at the first visit.
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
    // An unchanged sheet is already compressed.
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

/** `importMap` is its only inline script. */
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
    // Only lit and the card renderer create markup; the only started script is the graph's worker.
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

type ConsoleOptions = {
  /** For browsers that don't send theirs. */
  timezone: string;
  /** If false, the first screen says so. */
  hasModel: boolean;
};
