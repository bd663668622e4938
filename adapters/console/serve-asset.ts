// Reads an asset for the browser: TypeScript with its types stripped, everything with an ETag, kept in memory
// until the file changes.
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Asset } from './assets.ts';
import { stripTypes } from './strip-types.ts';

export type Served = { body: string; etag: string };

export function tagContent(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** A reader with its own memory. An edited file is read again at its next request. */
export function createAssetReader(): (asset: Asset) => Promise<Served> {
  const memory = new Map<string, { changed: number; served: Served }>();
  return async ({ file, kind }) => {
    const changed = (await stat(file)).mtimeMs;
    const known = memory.get(file);
    if (known?.changed === changed) return known.served;
    const source = await readFile(file, 'utf8');
    const body = kind === 'typescript' ? stripTypes(source) : source;
    const served = { body, etag: tagContent(body) };
    memory.set(file, { changed, served });
    return served;
  };
}
