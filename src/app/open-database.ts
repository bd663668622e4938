// Opens and migrates the configured or embedded database.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openEmbedded } from '#db/embedded/embedded.ts';
import { migrate } from '#db/migrate.ts';
import type { Config } from './config.ts';
import { secureHome } from './home.ts';

type Place = {
  url: string;
  /** For listening and migrations. */
  directUrl: string;
  /** `url` is a pooler. */
  pooled: boolean;
  words: string;
  close(): Promise<void>;
};

/** @param binaries programs for the embedded database, instead of ours */
export async function openPlace(config: Config, log: Logger, binaries?: string): Promise<Place> {
  secureHome(config);
  const { DATABASE_URL, DATABASE_DIRECT_URL } = config.env;
  if (DATABASE_URL !== undefined) {
    const { host, pathname } = new URL(DATABASE_URL);
    return {
      url: DATABASE_URL,
      directUrl: DATABASE_DIRECT_URL ?? DATABASE_URL,
      pooled: DATABASE_DIRECT_URL !== undefined,
      words: `${host}${pathname} (DATABASE_URL)`,
      close: async () => {},
    };
  }
  const dir = join(config.home, 'postgres');
  const embedded = await openEmbedded({
    dir,
    ...(binaries === undefined ? {} : { binaries }),
    log: { info: (text) => log.debug(text), warn: (text) => log.warn(text) },
  });
  return {
    url: embedded.url,
    directUrl: embedded.url,
    pooled: false,
    words: `embedded PostgreSQL in ${dir}`,
    close: () => embedded.close(),
  };
}

/** `applied` names new migrations. @throws CountersignError `schema_too_new` or `database_unavailable` */
export async function openMigrated(
  config: Config,
  log: Logger,
): Promise<Place & { applied: string[] }> {
  const place = await openPlace(config, log);
  try {
    const applied = await migrate(place.directUrl);
    if (applied.length > 0) log.debug({ applied }, 'The database schema is up to date.');
    return { ...place, applied };
  } catch (error) {
    await place.close();
    throw error;
  }
}
