// Puts a file or folder where nothing exists, even with concurrent steps.
import { link, lstat, rename, unlink } from 'node:fs/promises';
import { systemCode } from '../failures.ts';

/** Errors of `link` for folders, and file systems without hard links. */
const noLinks = new Set(['EPERM', 'EISDIR', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

let last: Promise<unknown> = Promise.resolve();

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

/** Linking a file fails if something exists; for folders only this process is serialised. @returns false if something exists */
export async function placeNew(from: string, to: string): Promise<boolean> {
  // On some systems a link to a symbolic link points to its target.
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
