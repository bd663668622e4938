// Walks a folder's entries. Links are named, never followed.
import { isUtf8 } from 'node:buffer';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CountersignError } from '#domain/errors.ts';
import { throwIfAborted } from '../failures.ts';
import { type HeldPath, isReserved, isTemporary } from './sandbox.ts';

export type Entry = {
  path: string;
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  size: number;
};

export const prefixOf = ({ path }: HeldPath): string => (path === '.' ? '' : `${path}/`);

/** By name; null for each that can't be read or named. @param behind names leading to the previous page's last */
export async function* walkFolder(
  folder: string,
  prefix: string,
  { recursive, behind }: { recursive: boolean; behind: string[] },
  signal: AbortSignal,
): AsyncGenerator<Entry | null> {
  const [last = '', ...inside] = behind;
  const names = await readdir(folder, { encoding: 'buffer' });
  // Paths can't name what isn't UTF-8.
  const readable = names.filter((name) => isUtf8(name));
  for (let missed = names.length - readable.length; missed > 0; missed--) yield null;
  for (const name of readable.map((one) => one.toString()).sort()) {
    throwIfAborted(signal);
    if (isTemporary(name) || name < last || isReserved(prefix + name)) continue;
    const isListed = name === last;
    const info = await lstat(join(folder, name)).catch(() => null);
    if (info === null) {
      yield null;
      continue;
    }
    const isFolder = info.isDirectory();
    const kind = info.isFile()
      ? 'file'
      : isFolder
        ? 'folder'
        : info.isSymbolicLink()
          ? 'link'
          : 'other';
    if (!isListed) yield { path: prefix + name, name, kind, size: kind === 'file' ? info.size : 0 };
    if (!isFolder || !recursive) continue;
    const within = { recursive, behind: isListed ? inside : [] };
    try {
      yield* walkFolder(join(folder, name), `${prefix}${name}/`, within, signal);
    } catch (error) {
      if (error instanceof CountersignError) throw error;
      yield null;
    }
  }
}
