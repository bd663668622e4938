// The home folder, private because it holds personal content.
import { chmodSync, closeSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { Config } from './config.ts';

const others = 0o077;

/**
 * Root's folders stay traversable: embedded PostgreSQL runs as another user.
 * Leaves COUNTERSIGN_WORKSPACE, others' folders and the likes of /tmp alone.
 */
export function secureHome({ home, workspace, env }: Config): void {
  const asRoot = process.getuid?.() === 0;
  makePrivate(home, asRoot ? 0o711 : 0o700);
  makePrivate(join(home, 'logs'), 0o700);
  const isNew = env.COUNTERSIGN_WORKSPACE === undefined && makePrivate(workspace, 0o700);
  // For trying things out.
  if (isNew && env.DATABASE_URL === undefined)
    writeFileSync(join(workspace, 'orders.csv'), exampleTable, { flag: 'wx' });
}

const exampleTable = 'id,name,item\n1001,Ana,desk lamp\n1002,Ben,chair\n1003,Chloe,bookshelf\n';

function makePrivate(folder: string, mode: number): boolean {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    if (!exists(folder)) {
      mkdirSync(folder, { mode });
      // Undoes the umask.
      chmodSync(folder, mode);
      return true;
    }
    const found = statSync(folder);
    const sticky = (found.mode & 0o1000) !== 0;
    const open = found.mode & others & ~mode;
    if (found.isDirectory() && found.uid === process.getuid?.() && !sticky && open !== 0)
      chmodSync(folder, found.mode & 0o7777 & ~open);
  } catch (error) {
    // Users of the folder report this; with DATABASE_URL it may be read-only.
    if (!isRefusal(error)) throw explain(folder, error);
  }
  return false;
}

/** For commands that own the terminal. @throws `invalid_configuration` if not writable */
export function openLogFile(config: Config): string {
  secureHome(config);
  const folder = join(config.home, 'logs');
  const file = join(folder, 'countersign.log');
  try {
    mkdirSync(folder, { recursive: true });
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw explain(file, error);
  }
  return file;
}

function explain(path: string, cause: unknown): CountersignError {
  return new CountersignError(
    'invalid_configuration',
    `COUNTERSIGN_HOME: ${path} cannot be written (${errorMessage(cause)}). Set COUNTERSIGN_HOME to a folder that this user can write to, or change the folder’s owner.`,
    { cause },
  );
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isRefusal(error: unknown): boolean {
  const refusals = ['EACCES', 'EPERM', 'EROFS'];
  return error instanceof Error && 'code' in error && refusals.includes(String(error.code));
}
