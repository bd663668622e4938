// The measured PostgreSQL, named or temporary; others' data stays untouched.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, openDatabase } from '#db/database.ts';
import { openEmbedded } from '#db/embedded/embedded.ts';
import type { Random } from '#domain/clock.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';

export type FreshDatabase = { url: string; drop(): Promise<void> };

export type Server = {
  words: string;
  /** `18.4` */
  version: string;
  /** Empty; the caller drops it. */
  createDatabase(): Promise<FreshDatabase>;
  /** Leaves a named one alone. */
  close(): Promise<void>;
};

type Warn = (message: string) => void;

/** Traversable by the database's user. The caller removes it. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'));
  await chmod(folder, 0o711);
  return folder;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

async function openPlace(named: string | undefined, warn: Warn) {
  if (named !== undefined) {
    return { url: named, words: `${new URL(named).host} (DATABASE_URL)`, close: async () => {} };
  }
  const folder = await makeFolder();
  const embedded = await openEmbedded({
    dir: join(folder, 'postgres'),
    log: { info: () => undefined, warn },
  });
  return {
    url: embedded.url,
    words: 'embedded, temporary',
    async close() {
      await embedded.close();
      await removeFolder(folder);
    },
  };
}

/** A closed pool takes a moment; the drop cuts off the rest. */
async function untilLeft({ pool }: Database, name: string): Promise<void> {
  for (let looks = 0; looks < 100; looks++) {
    const { rowCount } = await pool.query('select from pg_stat_activity where datname = $1', [
      name,
    ]);
    if (rowCount === 0) return;
    await pause(20);
  }
}

/** @param named URL of a database on the server @throws CountersignError `database_unavailable` */
export async function openServer(
  named: string | undefined,
  { random, warn }: { random: Random; warn: Warn },
): Promise<Server> {
  const place = await openPlace(named, warn);
  const admin = openDatabase(place.url, {
    max: 1,
    applicationName: 'countersign bench',
    onError: (error) => warn(`The connection to the server was lost: ${errorMessage(error)}`),
  });
  const close = async () => {
    await admin.close();
    await place.close();
  };
  try {
    const { rows } = await admin.pool.query<{ version: string }>(
      "select split_part(current_setting('server_version'), ' ', 1) as version",
    );
    return {
      words: place.words,
      version: rows[0]?.version ?? 'unknown',
      async createDatabase() {
        const name = `countersign_bench_${random.hex(6)}`;
        await admin.pool.query(`create database ${name}`).catch((cause: unknown) => {
          throw new CountersignError(
            'database_unavailable',
            `The bench makes databases of its own on ${place.words} and could not: ${errorMessage(cause)}. Give the role the right to (alter role … createdb), or unset DATABASE_URL.`,
            { cause },
          );
        });
        const url = new URL(place.url);
        url.pathname = `/${name}`;
        return {
          url: url.href,
          async drop() {
            await untilLeft(admin, name);
            await admin.pool.query(`drop database if exists ${name} with (force)`);
          },
        };
      },
      close,
    };
  } catch (error) {
    await close();
    if (error instanceof CountersignError) throw error;
    throw new CountersignError(
      'database_unavailable',
      `${place.words} does not answer: ${errorMessage(error)}. Check DATABASE_URL, or unset it.`,
      { cause: error },
    );
  }
}
