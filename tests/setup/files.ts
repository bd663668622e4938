import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Without Countersign's own folder. */
export async function readFiles(folder: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = found
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !relative(folder, path).startsWith('.countersign'));
  return Object.fromEntries(
    await Promise.all(
      paths.map(async (path) => [relative(folder, path), await readFile(path, 'utf8')] as const),
    ),
  );
}
