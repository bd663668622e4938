// Imports a file of tools and digests its code: the file and every file it imports that belongs to no package. An approval binds
// the digest, so that code which changed since is not run.
import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { digestJson } from '../operation-digest.ts';

/** What tool files import; it leads to this program wherever they lie, so that they need no package beside them. */
const publicName = 'countersign/tools';

type Imports = Map<string, Set<string>>;

/** Files by what they import, of all tool files of this process: a module is resolved by the first that imports it. */
const imports: Imports = new Map();

function isOwnFile(url: string): boolean {
  return url.startsWith('file:') && !url.includes('/node_modules/');
}

/** Resolves `countersign/tools` and writes down what else is imported, until it is taken away. */
function followImports(entry: string) {
  return registerHooks({
    resolve(specifier, context, next) {
      if (specifier === publicName) return { url: entry, shortCircuit: true };
      const found = next(specifier, context);
      const { parentURL } = context;
      if (parentURL !== undefined && isOwnFile(parentURL) && isOwnFile(found.url)) {
        const known = imports.get(parentURL) ?? new Set();
        imports.set(parentURL, known.add(found.url));
      }
      return found;
    },
  });
}

/** The file and all it imports, in the order of their addresses. */
function closureOf(url: string): string[] {
  const found = new Set([url]);
  for (const one of found) for (const next of imports.get(one) ?? []) found.add(next);
  return [...found].sort();
}

/** Without their places: the same code is the same on every machine. */
async function digestFiles(urls: string[]): Promise<string> {
  return digestJson(await Promise.all(urls.map((url) => readFile(fileURLToPath(url), 'utf8'))));
}

export type ImportedTool = { exported: unknown; digest: string };

/** @param path absolute. @throws whatever the file throws, or what keeps it from being read or understood */
export async function importTool(path: string): Promise<ImportedTool> {
  const url = pathToFileURL(path).href;
  const before = await readFile(path, 'utf8');
  // `.ts` here, `.js` in the package.
  const entry = new URL(`./public${extname(import.meta.url)}`, import.meta.url).href;
  const hooks = followImports(entry);
  try {
    const module: { default?: unknown } = await import(url);
    if ((await readFile(path, 'utf8')) !== before)
      throw new Error('it was changed while it was read. Start again.');
    return { exported: module.default, digest: await digestFiles(closureOf(url)) };
  } finally {
    hooks.deregister();
  }
}
