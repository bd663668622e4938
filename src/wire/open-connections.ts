// What a process has open to the database: its pools, its queues and the line it listens on.
import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { Config } from '#config';
import type { Enqueue, EnqueueAll } from '#contracts/jobs.ts';
import { receivingLimits, storedAtOnce } from '#conversation/inbox/receive.ts';
import { sharedSession } from '#conversation/inbox/thread-desk.ts';
import { queues } from '#jobs/queues.ts';
import { createEnqueue, createEnqueueAll, createQueues, openBoss } from '#store/boss.ts';
import { type Database, openDatabase, type Transaction } from '#store/database.ts';
import { type Listener, openListener } from '#store/notify.ts';
import { storePools } from '#store/sql/resources.ts';
import type { Closers } from '../closers.ts';
import { openMigrated } from '../open-database.ts';

export type Connections = {
  db: Database;
  /** Of their own, so that what is stored waits for nothing that is done; unused until something comes. */
  receiving: Database;
  /** For what several threads of the inbox share, and what is looked up for several; unused until one is worked on. */
  threads: Database;
  /**
   * For the catalogue, which is read beside transactions that go on meanwhile: were all of `db` taken by such, each would
   * wait for another's. Whoever has one of these waits for nothing more.
   */
  aside: Database;
  boss: PgBoss;
  enqueue: Enqueue<Transaction>;
  enqueueAll: EnqueueAll<Transaction>;
  listener: Listener;
  /** Where the database is, in words. */
  words: string;
};

/** Connections of one process to the database. */
const poolSize = 16;

/** Opens them all, on a database that is up to this build's schema and has this build's queues; `closers` learn how to close each. */
export async function openConnections(
  config: Config,
  options: { log: Logger; work: boolean; warn(message: string, err?: unknown): void },
  closers: Closers,
): Promise<Connections> {
  const { log, work, warn } = options;
  const place = await openMigrated(config, log);
  closers.add('the database server', place.close);
  const db = openDatabase(place.url, {
    max: poolSize,
    applicationName: 'countersign',
    onError: (error) => warn('A database connection was lost.', error),
  });
  closers.add('the database pool', db.close);
  const receiving = openDatabase(place.url, {
    // One that was given up is still taken for a moment.
    max: storedAtOnce + 1,
    applicationName: 'countersign inbox',
    session: receivingLimits,
    onError: (error) => warn('A connection for what comes in was lost.', error),
  });
  closers.add('the connections for what comes in', receiving.close);
  const threads = openDatabase(place.url, {
    // To enter threads, to settle events, and to look for what was overheard: one statement of each at a time.
    max: 3,
    applicationName: 'countersign threads',
    session: sharedSession,
    onError: (error) => warn('A connection for threads was lost.', error),
  });
  closers.add('the connections for threads', threads.close);
  const aside = openDatabase(place.url, {
    max: 2,
    applicationName: 'countersign aside',
    onError: (error) => warn('A connection for the catalogue was lost.', error),
  });
  closers.add('the connections for the catalogue', aside.close);
  const boss = await openBoss(place.url, {
    work,
    onError: (error) => warn('pg-boss reported an error.', error),
  });
  closers.add('pg-boss', () => boss.stop({ graceful: true, timeout: 3000 }));
  await createQueues(boss, queues);
  await storePools(db.query, config.settings.resourcePools);
  const listener = await openListener(place.url, (error) =>
    warn('The listening connection was lost.', error),
  );
  closers.add('the listener', listener.close);
  return {
    db,
    receiving,
    threads,
    aside,
    boss,
    enqueue: createEnqueue(boss),
    enqueueAll: createEnqueueAll(boss),
    listener,
    words: place.words,
  };
}
