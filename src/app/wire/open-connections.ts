// A process's database connections.
import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { createEnqueue, createEnqueueAll, createQueues, openBoss } from '#db/boss.ts';
import { type Database, openDatabase, type Transaction } from '#db/database.ts';
import { sessionName } from '#db/instance.ts';
import { type Listener, openListener } from '#db/notify.ts';
import { storePools } from '#db/sql/resources.ts';
import type { Enqueue, EnqueueAll } from '#domain/jobs.ts';
import { queuesFor } from '#jobs/queues.ts';
import type { Closers } from '../closers.ts';
import type { Config } from '../config.ts';
import { openMigrated, openPlace } from '../open-database.ts';

export type Connections = {
  db: Database;
  boss: PgBoss;
  enqueue: Enqueue<Transaction>;
  enqueueAll: EnqueueAll<Transaction>;
  listener: Listener;
  words: string;
};

/** A pool of `DATABASE_POOL_SIZE`, shared with pg-boss, and a listener, all registered with `closers`. */
export async function openConnections(
  config: Config,
  options: {
    log: Logger;
    work: boolean;
    reopened: boolean;
    warn(message: string, err?: unknown): void;
  },
  closers: Closers,
): Promise<Connections> {
  const { log, work, reopened, warn } = options;
  // A later version may have migrated it meanwhile.
  const place = await (reopened ? openPlace(config, log) : openMigrated(config, log));
  closers.add('the database server', place.close);
  const db = openDatabase(place.url, {
    max: config.env.DATABASE_POOL_SIZE,
    pooled: place.pooled,
    applicationName: sessionName,
    onError: (error) => warn('A database connection was lost.', error),
  });
  closers.add('the database pool', db.close);
  const listener = await openListener(place.directUrl, (error) =>
    warn('The listening connection was lost.', error),
  );
  closers.add('the listener', listener.close);
  const boss = await openBoss(db, listener, {
    work,
    backend: config.settings.pgBossBackend,
    onError: (error) => warn('pg-boss reported an error.', error),
  });
  closers.add('pg-boss', () => boss.stop({ graceful: true, timeout: 3000 }));
  await createQueues(boss, queuesFor(config.chats.map(({ platform }) => platform.name)));
  await storePools(db.query, config.settings.resourcePools);
  return {
    db,
    boss,
    enqueue: createEnqueue(boss),
    enqueueAll: createEnqueueAll(boss),
    listener,
    words: place.words,
  };
}
