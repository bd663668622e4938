import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CardAnswer, registerConsole } from '#adapters/console/routes.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { Service } from '#domain/service.ts';
import { startApi, type TestApi } from '../../fixtures/api.ts';
import { makeFacts } from '../../fixtures/plans.ts';
import { createServiceDouble } from '../../fixtures/service-double.ts';

const service: Service = Object.assign(createServiceDouble(), {
  card: async (id: string, viewer: PlanCardFacts['viewer']) =>
    makeFacts({ id }, undefined, { viewer }),
});

async function readCard(response: Response): Promise<CardAnswer> {
  return JSON.parse(await response.text());
}

let api: TestApi;

beforeAll(async () => {
  api = await startApi({ service }, async (app) => {
    await registerConsole(app, { timezone: 'Europe/Madrid', hasModel: true });
  });
});
afterAll(() => api.close());

describe('the console’s page', () => {
  it('may load from its own server only, and run no inline script but its import map', async () => {
    const response = await api.get('/');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const page = await response.text();
    const [, map = ''] = /<script type="importmap">(.*?)<\/script>/s.exec(page) ?? [];
    const hash = createHash('sha256').update(map).digest('base64');
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}'`);
    expect(page.match(/<script(?![^>]*\bsrc=)/g)).toHaveLength(1);
    expect(page).not.toMatch(/https?:\/\/|\son\w+=|<style/);
  });

  it('finds everything it names, down to the last import', async () => {
    const page = await (await api.get('/')).text();
    const map: { imports: Record<string, string> } = JSON.parse(
      /<script type="importmap">(.*?)<\/script>/s.exec(page)?.[1] ?? '',
    );
    const named = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
    const folders = Object.entries(map.imports).filter(([name]) => name.endsWith('/'));
    const files = Object.values(map.imports).filter((address) => !address.endsWith('/'));
    const addressOf = (name: string) => {
      const folder = folders.find(([start]) => name.startsWith(start));
      if (folder === undefined) return map.imports[name] ?? name;
      return folder[1] + name.slice(folder[0].length);
    };
    const waiting = [...named, ...files];
    const seen = new Set<string>();
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const response = await api.get(path);
      expect(`${response.status} ${path}`).toBe(`200 ${path}`);
      if (!/\.[jt]s$/.test(path) || path.includes('/lib/adaptivecards')) continue;
      const imports = (await response.text()).matchAll(
        /(?:[\s}]from|^import|\bimport\()\s*["']([^"']+)["']/gm,
      );
      for (const [, name = ''] of imports) {
        const target = addressOf(name);
        expect(target).toMatch(/^[./]/);
        waiting.push(new URL(target, `${api.origin}${path}`).pathname);
      }
    }
    expect(seen.size).toBeGreaterThan(40);
  });

  it('serves TypeScript as JavaScript', async () => {
    const response = await api.get('/console/page/live/state.ts');
    expect(response.headers.get('content-type')).toContain('text/javascript');
    const text = await response.text();
    expect(text).not.toContain('export type');
    expect(text).toContain('export function createState(');
  });

  it('names every module it needs at once, and none that it may never need', async () => {
    const page = await (await api.get('/')).text();
    const named = [...page.matchAll(/<link rel="modulepreload" href="([^"]+)"/g)].map(
      ([, address]) => address,
    );
    expect(named).toEqual(
      expect.arrayContaining([
        '/console/page/main.ts',
        '/console/lib/lit-html/lit-html.js',
        '/console/lib/lit-html/directive.js',
        '/console/shared/cards/words.ts',
      ]),
    );
    expect(new Set(named).size).toBe(named.length);
    expect(named.some((address) => address?.includes('elk'))).toBe(false);
  });

  it('lets code make markup and start scripts by known policies only, and keeps other sites apart', async () => {
    const { headers } = await api.get('/');
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of [
      "require-trusted-types-for 'script'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "connect-src 'self'",
      "style-src 'self'",
    ])
      expect(policy.split('; ')).toContain(rule);
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['identity', null],
  ])('is sent as the browser takes it: %s', async (accepted, coding) => {
    const path = '/console/page/styles/plan.css';
    const plain = await (await api.get(path, { 'accept-encoding': 'identity' })).text();
    const answer = await api.get(path, { 'accept-encoding': accepted });
    expect(answer.headers.get('content-encoding')).toBe(coding);
    expect(answer.headers.get('vary')).toContain('accept-encoding');
    expect(await answer.text()).toBe(plain);
    const etag = answer.headers.get('etag') ?? '';
    const again = { 'accept-encoding': accepted, 'if-none-match': etag };
    expect((await api.get(path, again)).status).toBe(304);
    const other = { 'accept-encoding': coding === 'br' ? 'gzip' : 'br', 'if-none-match': etag };
    expect((await api.get(path, other)).status).toBe(200);
  });

  it('sends a file once, as long as it stays the same', async () => {
    const first = await api.get('/console/page/main.ts');
    const etag = first.headers.get('etag') ?? '';
    const again = await api.get('/console/page/main.ts', { 'if-none-match': etag });
    expect(again.status).toBe(304);
    expect((await api.get('/console/page/main.ts', { 'if-none-match': '"x"' })).status).toBe(200);
  });

  it.each([
    '/console/page/tsconfig.json',
    '/console/page/index.html',
    '/console/page/../routes.ts',
    '/console/page/..%2froutes.ts',
    '/console/lib/..%2f..%2fpackage.json',
    '/node_modules/adaptivecards/package.json',
  ])('does not serve %s', async (path) => {
    expect((await api.get(path)).status).toBe(404);
  });
});

describe('GET /api/plans/:id/card', () => {
  it('answers facts, words and the Adaptive Card for one reader', async () => {
    const response = await api.get('/api/plans/PLAN-3f9a1c20/card?user=Ben&timezone=Asia/Tokyo');
    const { facts, view, adaptive_card } = await readCard(response);
    expect(facts.viewer).toEqual({ user: 'Ben', timezone: 'Asia/Tokyo' });
    expect(view.title).toBe(facts.plan.title);
    expect(adaptive_card).toMatchObject({ type: 'AdaptiveCard' });
  });

  it('reads for the local person in the server’s zone where nothing is said', async () => {
    const { facts } = await readCard(await api.get('/api/plans/PLAN-3f9a1c20/card'));
    expect(facts.viewer).toEqual({ user: 'local', timezone: 'Europe/Madrid' });
  });

  it('needs the token where one is set, while the page itself does not', async () => {
    const guarded = await startApi(
      { service, doors: { apiToken: 'a-token-of-16-chars' } },
      async (app) => {
        await registerConsole(app, { timezone: 'UTC', hasModel: true });
      },
    );
    expect((await guarded.get('/api/plans/PLAN-1/card')).status).toBe(401);
    expect((await guarded.get('/')).status).toBe(200);
    const authorization = 'Bearer a-token-of-16-chars';
    expect((await guarded.get('/api/plans/PLAN-1/card', { authorization })).status).toBe(200);
    await guarded.close();
  });
});
