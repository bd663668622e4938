// Tells by a random ID in a file whether processes share a workspace.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../failures.ts';
import { placeNew } from './place-new.ts';
import { reservedFolder } from './sandbox.ts';

const readOnly = new Set(['EROFS', 'EACCES', 'EPERM']);

async function readId(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim() || null;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Created if missing; null if the folder has none and is read-only. */
export async function readWorkspaceId(folder: string): Promise<string | null> {
  const own = join(folder, reservedFolder);
  const path = join(own, 'workspace-id');
  const known = await readId(path);
  if (known !== null) return known;
  const id = randomUUID();
  const aside = join(own, `.countersign-${randomBytes(6).toString('hex')}.tmp`);
  try {
    await mkdir(own, { recursive: true });
    await writeFile(aside, `${id}\n`, { flag: 'wx', flush: true });
    if (await placeNew(aside, path)) return id;
    await unlink(aside);
  } catch (error) {
    if (readOnly.has(systemCode(error) ?? '')) return null;
    throw error;
  }
  return readId(path);
}
