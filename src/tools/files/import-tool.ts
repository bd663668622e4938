// Imports a tool file and digests its code, imports and package versions.
// Approvals bind the digest, so changed code is not run.
import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { digestJson } from '../catalogue.ts';
import { listPackages, packageFolderOf } from './packages.ts';

const publicName = 'countersign/tools';

/** A module belongs to its first importer. */
const imports = new Map<string, Set<string>>();
const digested = new Set<string>();
let importing = false;
let following = false;

const folderOf = (url: string) => packageFolderOf(fileURLToPath(url));

/** Also refuses imports that no digest covers. */
function followImports(entry: string): void {
  if (following) return;
  following = true;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === publicName) return { url: entry, shortCircuit: true };
      const found = next(specifier, context);
      const { parentURL: parent } = context;
      if (parent === undefined || !found.url.startsWith('file:')) return found;
      if (digested.has(parent)) {
        if (imports.get(parent)?.has(found.url) === true) return found;
        throw new Error(
          `${specifier} is imported at run time, so approvals cannot cover it. Import it at the top of the file.`,
        );
      }
      if (importing && parent.startsWith('file:') && folderOf(parent) === null)
        imports.set(parent, (imports.get(parent) ?? new Set()).add(found.url));
      return found;
    },
  });
}

/** Includes only direct imports of packages. */
function closureOf(url: string): string[] {
  const found = new Set([url]);
  for (const one of found) for (const next of imports.get(one) ?? []) found.add(next);
  return [...found].sort();
}

/** Without paths, so that it is the same on every machine. */
async function digestFiles(urls: string[]): Promise<string> {
  const own = urls.filter((url) => folderOf(url) === null);
  const texts = await Promise.all(own.map((url) => readFile(fileURLToPath(url), 'utf8')));
  const packages = await listPackages(urls.flatMap((url) => folderOf(url) ?? []));
  return digestJson(packages.length === 0 ? texts : [...texts, packages]);
}

export type ImportedTool = { exported: unknown; digest: string };

export async function importTool(path: string): Promise<ImportedTool> {
  const url = pathToFileURL(path).href;
  const before = await readFile(path, 'utf8');
  followImports(new URL(`./public${extname(import.meta.url)}`, import.meta.url).href);
  importing = true;
  try {
    const module: { default?: unknown } = await import(url);
    if ((await readFile(path, 'utf8')) !== before)
      throw new Error('it was changed while it was read. Start again.');
    const files = closureOf(url);
    const digest = await digestFiles(files);
    for (const one of files) if (folderOf(one) === null) digested.add(one);
    return { exported: module.default, digest };
  } finally {
    importing = false;
  }
}
