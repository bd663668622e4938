// The home folder is private: the database, logs and workspace hold what people wrote and what tools answered.
import { chmodSync, closeSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { Config } from './config.ts';

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
  const isNew = env.COUNTERSIGN_WORKSPACE === undefined && makePrivate(workspace, 0o700);
  // To try things out, and not where a database of one's own was set up.
  if (isNew && env.DATABASE_URL === undefined)
    writeFileSync(join(workspace, 'orders.csv'), exampleTable, { flag: 'wx' });
}

/** The table that the README's example reads. */
const exampleTable = 'id,name,item\n1001,Ana,desk lamp\n1002,Ben,chair\n1003,Chloe,bookshelf\n';

/** @returns whether it was created */
function makePrivate(folder: string, mode: number): boolean {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    if (!exists(folder)) {
      mkdirSync(folder, { mode });
      // Restores what the umask took away.
      chmodSync(folder, mode);
      return true;
    }
    const found = statSync(folder);
    const sticky = (found.mode & 0o1000) !== 0;
    const open = found.mode & others & ~mode;
    if (found.isDirectory() && found.uid === process.getuid?.() && !sticky && open !== 0)
      chmodSync(folder, found.mode & 0o7777 & ~open);
  } catch (error) {
    // Each user of the folder reports that in its own words; with DATABASE_URL it may be one that nobody can write.
    if (!isRefusal(error)) throw explain(folder, error);
  }
  return false;
}

/**
 * The log file of commands that own the terminal.
 * @throws `invalid_configuration` when nobody can write to it here
 */
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
    `COUNTERSIGN_HOME: ${path} cannot be written (${errorMessage(cause)}). Set COUNTERSIGN_HOME to a folder that this user can write to, or change whose folder it is.`,
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
