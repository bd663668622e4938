// pg-boss: creates queues and sends jobs inside our transactions.
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'drizzle-orm';
import { type BackendProfile, type Db, PgBoss } from 'pg-boss';
import { type Enqueue, type EnqueueAll, type QueueName, queueOf } from '#domain/jobs.ts';
import type { Database, Transaction } from './database.ts';
import { bossSchema } from './instance.ts';
import type { Listener } from './notify.ts';

// Start-time fair queueing (Goyal et al., 1996): one job per person and round; rounds are descending pg-boss priorities.

/** Concurrent transactions don't see each other, so two jobs of a person may share a round. */
async function findTurns(
  tx: Transaction,
  queue: QueueName,
  persons: string[],
): Promise<Map<string, number>> {
  if (persons.length === 0) return new Map();
  const waiting = sql`from ${sql.identifier(bossSchema)}.job where name = ${queue} and state < 'active' and not blocked`;
  const { rows } = await tx.execute<{ person: string; turn: number }>(sql`
    select person, coalesce(least(
      (select priority ${waiting} order by priority desc limit 1),
      (select priority - 1 ${waiting} and group_id = person order by priority limit 1)
    ), 0) as turn
    from unnest(array[${sql.join(
      persons.map((person) => sql`${person}`),
      sql`, `,
    )}]::text[]) as person`);
  return new Map(rows.map(({ person, turn }) => [person, turn]));
}

const inTurn = (person: string, turn: number) => ({ group: { id: person }, priority: turn });

/** `short`: at most one job per key waits. */
export type QueueSpec = {
  name: QueueName;
  /** `exclusive`: at most one job, waiting or active. */
  policy: 'standard' | 'short' | 'exclusive';
  retryLimit: number;
  retryDelay: number;
  expireInSeconds: number;
  /** Silence after which a job is reassigned (at least 10). */
  heartbeatSeconds?: number;
  /** A week by default. */
  deleteAfterSeconds?: number;
};

/** pg-boss reports some errors as plain objects. */
function asError(reported: Error): Error {
  if (reported instanceof Error) return reported;
  const { message, stack } = reported as { message: string; stack?: string };
  return Object.assign(new Error(message), stack === undefined ? {} : { stack });
}

/**
 * Installs pg-boss's schema if missing.
 * @param options.work false for a process that only sends jobs
 * @param options.backend the kind of server, if not PostgreSQL itself
 */
export async function openBoss(
  { pool }: Pick<Database, 'pool'>,
  listener: Pick<Listener, 'listen'>,
  options: { work: boolean; backend?: BackendProfile; onError: (error: Error) => void },
): Promise<PgBoss> {
  const boss = new PgBoss({
    schema: bossSchema,
    ...(options.backend === undefined ? {} : { backend: options.backend }),
    db: {
      // Without values, a text may hold several statements, as its installation does.
      executeSql: (text, values) =>
        values === undefined || values.length === 0 ? pool.query(text) : pool.query(text, values),
      listen: listener.listen,
    },
    useListenNotify: options.work,
    supervise: options.work,
    schedule: options.work,
  });
  boss.on('error', (error) => options.onError(asError(error)));
  await boss.start();
  return boss;
}

const noJob = '00000000-0000-0000-0000-000000000000';

/** Safe to run concurrently. */
export async function createQueues(boss: PgBoss, queues: QueueSpec[]): Promise<void> {
  const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  for (const { name, policy, ...options } of queues) {
    const wanted = { ...options, notify: true, retryBackoff: true };
    const there = known.get(name);
    if (there === undefined) await boss.createQueue(name, { ...wanted, policy });
    else if (isDeepStrictEqual({ ...there, ...wanted }, { ...there })) continue;
    // An existing queue keeps its policy.
    await boss.updateQueue(name, wanted);
    // First use looks the queue up on its own connection: inside a transaction this could deadlock on the pool.
    await boss.findJobs(name, { id: noJob });
  }
}

export function createEnqueue(boss: PgBoss): Enqueue<Transaction> {
  return async (tx, name, payload, options = {}) => {
    const queue = queueOf(name, payload);
    const persons = options.person === undefined ? [] : [options.person];
    const [turn] = await findTurns(tx, queue, persons);
    await boss.send(queue, payload, {
      db: bossIn(tx),
      ...(options.urgent === true ? { priority: 1 } : {}),
      ...(turn === undefined ? {} : inTurn(...turn)),
      ...(options.key === undefined ? {} : { singletonKey: options.key }),
      ...(options.startAfter === undefined ? {} : { startAfter: options.startAfter }),
    });
  };
}

/** A job whose key already waits is not added. */
export function createEnqueueAll(boss: PgBoss): EnqueueAll<Transaction> {
  return async (tx, name, jobs) => {
    const queues = Map.groupBy(jobs, ({ payload }) => queueOf(name, payload));
    // A common order prevents deadlocks between senders.
    for (const [queue, some] of [...queues].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const persons = new Set(some.flatMap(({ person }) => person ?? []));
      const turns = await findTurns(tx, queue, [...persons]);
      const rows = some.map(({ payload, key, person }) => {
        const turn = person === undefined ? undefined : turns.get(person);
        if (person === undefined || turn === undefined) return { data: payload, singletonKey: key };
        turns.set(person, turn - 1);
        return { data: payload, singletonKey: key, ...inTurn(person, turn) };
      });
      await boss.insert(queue, rows, { db: bossIn(tx) });
    }
  };
}

const bossNames = new Map<string, string>();

function bossNameOf(text: string): string {
  const known = bossNames.get(text);
  if (known !== undefined) return known;
  const name = `boss_${bossNames.size + 1}`;
  bossNames.set(text, name);
  return name;
}

/** Sends a job only if the change commits. Prepared, because planning these takes longer than running them. */
function bossIn(tx: Transaction): Db {
  return {
    executeSql: async (text, values = []) => ({
      rows: await tx.run({ name: bossNameOf(text), text, params: values }, {}),
    }),
  };
}
