// The home folder is nobody else's: database, logs and workspace hold what people wrote and what tools answered.
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '#config';

const others = 0o077;

/**
 * Makes the home, its logs and its workspace readable by their owner alone, whether they are new or not. Root's may be
 * passed through, but not looked into: its embedded PostgreSQL runs as another user. A workspace of the operator's own
 * (COUNTERSIGN_WORKSPACE) stays as it is, and so does a folder of another owner or one like /tmp.
 */
export function secureHome({ home, workspace, env }: Config): void {
  const asRoot = process.getuid?.() === 0;
  makePrivate(home, asRoot ? 0o711 : 0o700);
  makePrivate(join(home, 'logs'), 0o700);
  if (env.COUNTERSIGN_WORKSPACE === undefined) makePrivate(workspace, 0o700);
}

function makePrivate(folder: string, mode: number): void {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    if (!exists(folder)) {
      mkdirSync(folder, { mode });
      // Whatever the umask took away.
      chmodSync(folder, mode);
      return;
    }
    const found = statSync(folder);
    const sticky = (found.mode & 0o1000) !== 0;
    const open = found.mode & others & ~mode;
    if (found.isDirectory() && found.uid === process.getuid?.() && !sticky && open !== 0)
      chmodSync(folder, found.mode & 0o7777 & ~open);
  } catch (error) {
    // Whoever needs the folder says so in words of its own; with DATABASE_URL it may be one that nobody can write.
    if (!isRefusal(error)) throw error;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isRefusal(error: unknown): boolean {
  const refusals = ['EACCES', 'EPERM', 'EROFS'];
  return error instanceof Error && 'code' in error && refusals.includes(String(error.code));
}
