// Puts a file or folder where nothing may be yet, so that two steps that run at once never replace each other's result.
import { link, lstat, rename, unlink } from 'node:fs/promises';
import { systemCode } from '../failures.ts';

/** What `link` answers where only `rename` can do it: for folders, and on file systems without hard links. */
const noLinks = new Set(['EPERM', 'EISDIR', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

let last: Promise<unknown> = Promise.resolve();

/** Runs one `work` at a time in this process. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work, work);
  last = mine.catch(() => undefined);
  return mine;
}

async function renameToNew(from: string, to: string): Promise<boolean> {
  const there = await lstat(to).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
  if (!there) await rename(from, to);
  return !there;
}

/**
 * Moves `from` to `to`. A file is linked there first, which fails where something is already; for folders, which cannot be
 * linked, that holds among the steps of this process.
 * @returns false: something is there already, and nothing was moved
 */
export async function placeNew(from: string, to: string): Promise<boolean> {
  // A link to a symbolic link would be a link to its target on some systems.
  if (!(await lstat(from)).isFile()) return inTurn(() => renameToNew(from, to));
  try {
    await link(from, to);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (noLinks.has(code)) return inTurn(() => renameToNew(from, to));
    throw error;
  }
  await unlink(from);
  return true;
}
