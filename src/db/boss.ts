// pg-boss: creates queues and sends jobs inside our transactions.
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'drizzle-orm';
import { type BackendProfile, type Db, PgBoss } from 'pg-boss';
import { type Enqueue, type EnqueueAll, type QueueName, queueOf } from '#domain/jobs.ts';
import type { Database, Transaction } from './database.ts';
import { bossSchema } from './instance.ts';
import type { Listener } from './notify.ts';

// Start-time fair queueing (Goyal et al., 1996): each person is served once per round, however many jobs they sent. Rounds are
// descending pg-boss priorities, so all processes follow them.

/**
 * The priority of the next job of each of `persons`: the current round, or the one after their last. Concurrent transactions
 * are invisible, so two jobs of a person may share a round.
 */
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

/** Options of a queue; `short`: at most one job per key waits. */
export type QueueSpec = {
  name: QueueName;
  /** `exclusive`: one job at most, waiting or active. */
  policy: 'standard' | 'short' | 'exclusive';
  retryLimit: number;
  retryDelay: number;
  expireInSeconds: number;
  /** A job is reassigned if its worker is silent for this long (at least 10). */
  heartbeatSeconds?: number;
  /** How long an ended job is kept; a week by default. */
  deleteAfterSeconds?: number;
};

/** Some of pg-boss's reports are copies of errors, as plain objects. */
function asError(reported: Error): Error {
  if (reported instanceof Error) return reported;
  const { message, stack } = reported as { message: string; stack?: string };
  return Object.assign(new Error(message), stack === undefined ? {} : { stack });
}

/**
 * Starts pg-boss on the connections of `db`, installing its schema if need be.
 * @param options.work false for a process that only sends jobs
 * @param options.backend the kind of server, if it is not PostgreSQL itself
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
      // Without values, a text may hold several statements, as in the schema's installation.
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

/** No job has it. */
const noJob = '00000000-0000-0000-0000-000000000000';

/** Creates or updates the queues; safe to run concurrently. */
export async function createQueues(boss: PgBoss, queues: QueueSpec[]): Promise<void> {
  const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  for (const { name, policy, ...options } of queues) {
    const wanted = { ...options, notify: true, retryBackoff: true };
    const there = known.get(name);
    if (there === undefined) await boss.createQueue(name, { ...wanted, policy });
    else if (isDeepStrictEqual({ ...there, ...wanted }, { ...there })) continue;
    // An existing queue keeps its policy; the rest is updated.
    await boss.updateQueue(name, wanted);
    // pg-boss looks up a queue on first use, on its own connection. Inside a transaction this could deadlock on the pool.
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

/** The same for many jobs at once. A job whose key already waits is not added. */
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

/** Statement names by pg-boss's texts; a few per queue. */
const bossNames = new Map<string, string>();

function bossNameOf(text: string): string {
  const known = bossNames.get(text);
  if (known !== undefined) return known;
  const name = `boss_${bossNames.size + 1}`;
  bossNames.set(text, name);
  return name;
}

/**
 * The transaction in pg-boss's form, so that a job is sent only if the change commits. Prepared, because planning these
 * statements takes longer than running them.
 */
function bossIn(tx: Transaction): Db {
  return {
    executeSql: async (text, values = []) => ({
      rows: await tx.run({ name: bossNameOf(text), text, params: values }, {}),
    }),
  };
}
