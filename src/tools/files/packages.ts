// All packages behind tool files: an update changes their code.
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { systemCode } from '../failures.ts';

const names = z.record(z.string(), z.unknown()).catch({});
const Manifest = z.object({
  name: z.string().catch(''),
  version: z.string().catch(''),
  dependencies: names,
  peerDependencies: names,
});

export function packageFolderOf(path: string): string | null {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0] ?? null;
}

async function readManifest(folder: string): Promise<z.output<typeof Manifest> | null> {
  try {
    return Manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
    throw error;
  }
}

async function findPackage(folder: string, name: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await realpath(join(at, 'node_modules', name)).catch(() => null);
    if (found !== null) return found;
    if (at === dirname(at)) return null;
  }
}

/** Sorted, without optional dependencies, which differ between machines. */
export async function listPackages(folders: Iterable<string>): Promise<string[]> {
  const seen = new Set<string>(folders);
  const found = new Set<string>();
  for (const folder of seen) {
    const manifest = await readManifest(folder);
    if (manifest === null) continue;
    found.add(`${manifest.name}@${manifest.version}`);
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
      const next = await findPackage(folder, name);
      if (next !== null) seen.add(next);
    }
  }
  return [...found].sort();
}
