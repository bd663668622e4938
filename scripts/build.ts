// `npm run build [-- DIR]`: builds the npm package.
// Keeps paths, strips types, renames `.ts` to `.js` since Node runs no TypeScript in node_modules. Needs Node 24.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { builtViewer, locateViewer } from '#adapters/console/docs/viewer.ts';
import { stripTypes } from '#adapters/console/strip-types.ts';
import manifest from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const out = resolve(process.argv[2] ?? 'dist');

const code = ['src', 'adapters', 'cards', 'jobs', 'bench'];
/** Only development needs migration snapshots. */
const copied = [
  'bin/*.mjs',
  'migrations/*.sql',
  'migrations/meta/_journal.json',
  'manifest.json',
  'countersign.example.json',
  // Documents link to these.
  'compose.yaml',
  'deploy/**/*.*',
  'deploy/countersign',
  'examples/**/*.*',
  'LICENSE',
  'THIRD-PARTY-NOTICES',
  '*.md',
  'docs/**/*.{md,gif,png,webp}',
];

/** A module's path in a string. */
const specifier = /(?<=['"])((?:\.{1,2}|#[a-z]+)\/[^'"\n]*)\.ts(?=['"])/g;

const sources = globSync(`{${code.join()}}/**/*.ts`, { cwd: root }).map((path) =>
  path.replaceAll('\\', '/'),
);

/** @throws Error if one is not in the package */
function checkSpecifiers(path: string, text: string, known: ReadonlySet<string>): void {
  for (const [, name = ''] of text.matchAll(specifier)) {
    const [alias = '', ...rest] = name.split('/');
    const folder = Object.entries(manifest.imports).find(([key]) => key === `${alias}/*`)?.[1];
    const named = name.startsWith('#')
      ? posix.join(folder?.replace('*', '') ?? alias, ...rest)
      : posix.join(posix.dirname(path), name);
    if (!known.has(`${named}.ts`)) throw new Error(`${path} names ${name}.ts, which is not there`);
  }
}

function write(path: string, text: string): void {
  const target = join(out, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

/** Without scripts and development. */
function publishedManifest() {
  const {
    private: _,
    scripts,
    devDependencies,
    allowScripts,
    imports,
    exports,
    ...rest
  } = manifest;
  const { '#tests/*': __, ...own } = imports;
  const entries = Object.entries(exports).map(([name, path]) => [name, path.replace(/ts$/, 'js')]);
  return { ...rest, exports: Object.fromEntries(entries), imports: own };
}

/** `countersign/tools` for editors. */
function toolDeclarations(): string {
  const read = (name: string) => readFileSync(join(root, 'src/tools/files', name), 'utf8');
  const values = read('public.ts').matchAll(/^export const (\w+): (\w+) =/gm);
  const declared = [...values].map(([, name, type]) => `export declare const ${name}: ${type};\n`);
  return `${read('types.ts')}export { z } from 'zod';\n${declared.join('')}`;
}

type Lock = { packages: { [path: string]: { dev?: boolean } } };

/** The tested versions. */
function shrinkwrap() {
  const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { dependencies, optionalDependencies, ...rest } = publishedManifest();
  const kept = Object.entries(lock.packages).filter(
    ([path, { dev }]) => path !== '' && dev !== true,
  );
  const top = { name: rest.name, version: rest.version, dependencies, optionalDependencies };
  return { ...lock, packages: { '': top, ...Object.fromEntries(kept) } };
}

for (const name of [...code, 'bin', 'deploy', 'docs', 'examples', 'migrations'])
  rmSync(join(out, name), { recursive: true, force: true });

const known = new Set(sources);
for (const path of sources) {
  const text = readFileSync(join(root, path), 'utf8');
  checkSpecifiers(path, text, known);
  write(path.replace(/ts$/, 'js'), stripTypes(text).replace(specifier, '$1.js'));
}
for (const path of globSync(`{${code.join()}}/**/*.{css,html,json,png,svg}`, { cwd: root })) {
  if (path.endsWith('tsconfig.json')) continue;
  if (!path.endsWith('.html')) cpSync(join(root, path), join(out, path));
  else write(path, readFileSync(join(root, path), 'utf8').replaceAll('.ts"', '.js"'));
}
for (const path of globSync(copied, { cwd: root })) cpSync(join(root, path), join(out, path));
cpSync(locateViewer(), join(out, builtViewer));
write('src/tools/files/public.d.ts', toolDeclarations());
write('package.json', `${JSON.stringify(publishedManifest(), null, 2)}\n`);
write('npm-shrinkwrap.json', `${JSON.stringify(shrinkwrap(), null, 2)}\n`);
console.log(`Built ${sources.length} modules into ${out}.`);
