// /docs: documents, search and API reference, rendered on the server.
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { send, toServed } from '../served.ts';
import { drawFound, drawFrame, drawPage, type MenuEntry } from './layout.ts';
import { type DocsPage, isShown, listPages, readPage, root } from './pages.ts';
import { render } from './render.ts';
import { createSearch } from './search.ts';
import { locateViewer } from './viewer.ts';

const html = 'text/html; charset=utf-8';
const pictures: Record<string, string> = {
  '.gif': 'image/gif',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** Menu titles unlike the page's. */
const titles: Record<string, string> = { '': 'Overview', api: 'HTTP API' };
const reference: MenuEntry = { slug: 'reference', group: 'Reference', title: 'API reference' };

/** @param viewer allows the reference viewer's own styles */
function policyOf(viewer: boolean): string {
  return [
    "default-src 'none'",
    "img-src 'self' data:",
    "script-src 'self'",
    `style-src 'self'${viewer ? " 'unsafe-inline'" : ''}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

type Site = { pages: DocsPage[]; entries: MenuEntry[]; search: ReturnType<typeof createSearch> };

/** Reads titles once, since documents don't change at run time. */
async function openSite(): Promise<Site> {
  const pages = listPages();
  const entries = await Promise.all(
    pages.map(async (page): Promise<MenuEntry> => {
      const { title } = render(await readPage(page), page, pages);
      return { ...page, title: titles[page.slug] ?? title };
    }),
  );
  const last = entries.findLastIndex(({ group }) => group === reference.group);
  return {
    pages,
    entries: entries.toSpliced(last + 1, 0, reference),
    search: createSearch(pages),
  };
}

const noFile = (name: string) =>
  new CountersignError('not_found', `There is no file ${name} in the docs.`);

const SearchQuery = z.object({ q: z.string().max(200).default('') });
const PagePath = z.object({ '*': z.string().max(300) });

const config = { role: 'page', subject: 'instance' } as const;

export function registerDocs(app: FastifyInstance): void {
  let opening: Promise<Site> | null = null;
  const open = () => {
    opening ??= openSite().catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  };
  const answer = (reply: FastifyReply, body: string, viewer = false) => {
    reply.header('content-security-policy', policyOf(viewer));
    return send(reply, toServed(body), html);
  };

  app.get('/docs/docs.css', { config }, async (_request, reply) =>
    send(
      reply,
      toServed(await readFile(join(import.meta.dirname, 'docs.css'), 'utf8')),
      'text/css; charset=utf-8',
    ),
  );

  app.get('/docs/viewer.js', { config }, async (_request, reply) =>
    send(reply, toServed(await readFile(locateViewer(), 'utf8')), 'text/javascript; charset=utf-8'),
  );

  app.get('/docs/reference', { config }, async (_request, reply) => {
    const { entries } = await open();
    const body = drawFrame(entries, 'reference', {
      title: 'API reference',
      head: '<script type="module" src="/docs/viewer.js"></script>',
      wide: true,
      main: `<openapi-explorer id="main" spec-url="/openapi.json" hide-server-selection hide-authentication hide-console
        table="true" use-path-in-nav-bar="true"></openapi-explorer>
        <noscript>The reference needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>`,
    });
    return answer(reply, body, true);
  });

  app.get<{ Querystring: z.infer<typeof SearchQuery> }>(
    '/docs/search',
    { config, schema: { querystring: SearchQuery } },
    async ({ query: { q } }, reply) => {
      const { entries, search } = await open();
      return answer(reply, drawFound(entries, q.trim(), (await search)(q)));
    },
  );

  app.get<{ Params: z.infer<typeof PagePath> }>(
    '/docs/files/*',
    { config, schema: { params: PagePath } },
    async (request, reply) => {
      const path = request.params['*'];
      if (!isShown(path)) throw noFile(path);
      const bytes = await readFile(join(root, path)).catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      });
      if (bytes === null) throw noFile(path);
      const type = pictures[extname(path)] ?? 'text/plain; charset=utf-8';
      return reply.type(type).header('cache-control', 'no-cache').send(bytes);
    },
  );

  const showPage = async (slug: string, reply: FastifyReply) => {
    const { pages, entries } = await open();
    const page = pages.find((one) => one.slug === slug.replace(/\/$/, ''));
    if (page === undefined) {
      const main = `<h1>There is no such page</h1><p>Pick one from the menu, or <a href="/docs/search?q=${encodeURIComponent(slug)}">search for it</a>.</p>`;
      return answer(reply.code(404), drawFrame(entries, ' ', { title: 'Not found', main }));
    }
    return answer(reply, drawPage(entries, page.slug, render(await readPage(page), page, pages)));
  };
  app.get('/docs', { config }, async (_request, reply) => showPage('', reply));
  app.get<{ Params: z.infer<typeof PagePath> }>(
    '/docs/*',
    { config, schema: { params: PagePath } },
    async (request, reply) => showPage(request.params['*'], reply),
  );
}
