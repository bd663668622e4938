import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registerDocs } from '#adapters/console/docs/routes.ts';
import { startApi, type TestApi } from '../../fixtures/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({}, async (app) => registerDocs(app));
});
afterAll(() => api.close());

const open = async (path: string) => {
  const response = await api.get(path);
  return {
    status: response.status,
    policy: response.headers.get('content-security-policy') ?? '',
    text: await response.text(),
  };
};

const hrefs = (html: string) =>
  [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address = '']) => address);

async function readMenu(): Promise<string[]> {
  const { text } = await open('/docs');
  const menu = /<nav class="menu".*?<\/nav>/s.exec(text)?.[0] ?? '';
  return hrefs(menu);
}

it('has every document of the repository in its menu, each under a subject', async () => {
  const menu = await readMenu();
  const documents = readdirSync(new URL('../../../docs/', import.meta.url))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `/docs/${name.replace('.md', '')}`);
  expect(documents.filter((address) => !menu.includes(address))).toEqual([]);
  expect((await open('/docs')).text.includes('<h2>More</h2>')).toBe(false);
});

it('leads nowhere that is not there, from any page', async () => {
  const pages = (await readMenu()).filter((address) => address !== '/docs/reference');
  const texts = new Map<string, string>();
  for (const address of pages) {
    const { status, text } = await open(address);
    expect({ address, status }).toEqual({ address, status: 200 });
    texts.set(address, text);
  }
  const links = [...texts].flatMap(([from, text]) => hrefs(text).map((to) => ({ from, to })));
  const dead: { from: string; to: string }[] = [];
  const known = new Map<string, number>();
  for (const { from, to } of links) {
    if (/^(?:https?:|mailto:|\/console\/|\/$)/.test(to)) continue;
    const [path = '', anchor] = to.split('#');
    const address = path === '' ? from : path;
    const status = known.get(address) ?? (await api.get(address)).status;
    known.set(address, status);
    const target = texts.get(address);
    if (status !== 200) dead.push({ from, to });
    else if (anchor !== undefined && target !== undefined && !target.includes(`id="${anchor}"`))
      dead.push({ from, to });
  }
  expect(links.length).toBeGreaterThan(500);
  expect(dead).toEqual([]);
});

it('allows no script but its own, and inline styles in the reference alone', async () => {
  const page = await open('/docs/api');
  expect(page.policy).toContain("script-src 'self';");
  expect(page.policy).not.toContain('unsafe');
  const reference = await open('/docs/reference');
  expect(reference.policy).toContain("script-src 'self';");
  expect(reference.text).toContain('spec-url="/openapi.json"');
});

it('finds sections by words, marks them, and shows a query as text', async () => {
  const { text } = await open('/docs/search?q=idempotency');
  expect(text).toContain('<a href="/docs/api#errors-and-retries">HTTP API: Errors and retries</a>');
  expect(text).toMatch(/<mark>Idempotency<\/mark>-Key/);
  const hostile = await open(`/docs/search?q=${encodeURIComponent('"><script>x</script>')}`);
  expect(hostile.text).not.toContain('<script>');
  expect((await open('/docs/search')).text).toContain('Type what you are looking for');
  expect((await open('/docs/search?q=zzzzqqq')).text).toContain('Nothing matches “zzzzqqq”');
});

const addressOfFirst = (html: string) => hrefs(/<main.*<\/main>/s.exec(html)?.[0] ?? '')[0];

it.each([
  ['who can approve', '/docs/approvals'],
  ['time zone', '/docs/planning#time-zones'],
  ['cancel a reminder', '/docs/tools#reminders'],
  ['executor settings', '/docs/configuration#settings'],
])('finds %s first at %s', async (words, address) => {
  const { text } = await open(`/docs/search?q=${encodeURIComponent(words)}`);
  expect(addressOfFirst(text)).toBe(address);
});

it('answers an unknown page with the menu, and gives away no file outside docs', async () => {
  const missing = await open('/docs/no-such-page');
  expect(missing.status).toBe(404);
  expect(missing.text).toContain('There is no such page');
  for (const path of [
    '..%2f..%2fpackage.json',
    '..%2fpackage.json',
    'docs%2fapi.md',
    'docs%2f..%2fpackage.json',
    'package.json',
    'src%2fmain.ts',
    'examples%2f..%2fpackage.json',
    'docs%2fconsole%2fnone.webp',
  ])
    expect((await open(`/docs/files/${path}`)).status).toBe(404);
  expect((await open('/docs/files/docs/slack.png')).status).toBe(200);
});
