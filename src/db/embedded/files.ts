// Reads files that may be missing, and explains PostgreSQL's problems.
import { readFile, stat } from 'node:fs/promises';
import { CountersignError, errorMessage } from '#domain/errors.ts';

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const advice: [RegExp, string][] = [
  [/No space left on device/i, 'The disk is full. Make room and start again.'],
  [
    /error while loading shared libraries/i,
    'Its libraries are not in place. Run "npm ci" with install scripts allowed, or set DATABASE_URL.',
  ],
  [
    /database files are incompatible with server/i,
    'Its data was made by another major version of PostgreSQL. Start the Countersign that made it, or set COUNTERSIGN_HOME to a new folder.',
  ],
  [
    /Permission denied/i,
    'It may not use its folder. Set COUNTERSIGN_HOME to a folder it can reach, or set DATABASE_URL.',
  ],
];
const otherwise =
  'Set COUNTERSIGN_HOME to a new folder, or set DATABASE_URL to a PostgreSQL of your own.';

/** @param what such as "did not start" @param output of PostgreSQL's programs */
export function explainFailure(what: string, output: string): CountersignError {
  const todo = advice.find(([pattern]) => pattern.test(output))?.[1] ?? otherwise;
  const tail = output.split('\n').slice(-12).join('\n');
  return new CountersignError(
    'database_unavailable',
    `The embedded PostgreSQL ${what}. ${todo}${tail === '' ? '' : `\n${tail}`}`,
  );
}

/** Returns other errors unchanged. */
export function explainFileError(error: unknown, dir: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ENOSPC')
    return explainFailure('could not write its files', `${error.message}: No space left on device`);
  if (error.code !== 'EACCES' && error.code !== 'EPERM' && error.code !== 'EROFS') return error;
  return new CountersignError(
    'database_unavailable',
    `The database's folder ${dir} cannot be used (${errorMessage(error)}). Start Countersign as the user it belongs to, set COUNTERSIGN_HOME to another folder, or set DATABASE_URL.`,
    { cause: error },
  );
}
