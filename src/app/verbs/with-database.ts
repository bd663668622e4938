// For verbs that need only the database.
import type { Logger } from 'pino';
import { type Database, openDatabase } from '#db/database.ts';
import { sessionName } from '#db/instance.ts';
import { type Config, loadConfig } from '../config.ts';
import { createLog } from '../logging.ts';
import { openMigrated } from '../open-database.ts';

export async function withDatabase(
  work: (db: Database, config: Config, log: Logger) => Promise<void>,
): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  const log = createLog(config, true);
  const place = await openMigrated(config, log);
  const db = openDatabase(place.url, {
    max: 2,
    pooled: place.pooled,
    applicationName: sessionName,
    onError: (error) => log.warn({ err: error }, 'A database connection was lost.'),
  });
  try {
    await work(db, config, log);
  } finally {
    await db.close();
    await place.close();
  }
}
