// `npm run docs [-- DIR]`: writes /docs as static files.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { argv, stdout } from 'node:process';
import Fastify from 'fastify';
import { isShown, listPages, root } from '#adapters/console/docs/pages.ts';
import { registerDocs } from '#adapters/console/docs/routes.ts';

const out = resolve(argv[2] ?? 'docs-site');
const app = Fastify();
// No outside requests.
app.setValidatorCompiler(() => (value: unknown) => ({ value }));
registerDocs(app);

/** @throws Error unless found */
async function get(path: string): Promise<Buffer> {
  const { statusCode, rawPayload } = await app.inject(path);
  if (statusCode !== 200) throw new Error(`${path} answers ${statusCode}`);
  return rawPayload;
}

/** These need a running gateway. */
const withoutServer = (page: string) =>
  page
    .replace(/<form action="\/docs\/search".*?<\/form>/s, '')
    .replace(/<script .*?<\/script>/, '')
    .replace('<a href="/">Console</a>', '')
    .replaceAll(
      /<li><a href="\/docs\/reference".*?<\/li>|<span><small>\w+<\/small><a href="\/docs\/reference".*?<\/span>/g,
      '',
    );

function write(path: string, bytes: Buffer | string): void {
  const target = join(out, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, bytes);
}

rmSync(out, { recursive: true, force: true });
const pages = listPages();
const linked = new Set<string>();
for (const { slug } of pages) {
  const address = slug === '' ? '/docs' : `/docs/${slug}`;
  const page = withoutServer((await get(address)).toString());
  write(`${address}/index.html`, page);
  for (const [, path = ''] of page.matchAll(/"\/docs\/files\/([^"#?]+)/g)) linked.add(path);
}
write('docs/docs.css', await get('/docs/docs.css'));
for (const path of [...linked].filter(isShown)) {
  mkdirSync(dirname(join(out, 'docs/files', path)), { recursive: true });
  cpSync(join(root, path), join(out, 'docs/files', path));
}
for (const path of ['icon.svg', 'styles/tokens.css'])
  cpSync(join(root, 'adapters/console/page', path), join(out, 'console/page', path));
await app.close();
stdout.write(`${pages.length} pages are in ${out}\n`);
