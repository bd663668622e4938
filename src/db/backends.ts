// Registered executors. Those without a recent heartbeat are ignored and swept.
import { setTimeout as pause } from 'node:timers/promises';
import { and, desc, eq, inArray, lt, ne, not, or, type SQL, sql } from 'drizzle-orm';
import type { SharedSettings } from '#domain/settings.ts';
import type { OperationSpec } from '#domain/tool.ts';
import type { Queryable } from './database.ts';
import { countersign } from './schema/columns.ts';
import { backends } from './schema.ts';
import { now } from './time.ts';

export const renewEverySeconds = 5;
const lookEveryMs = 250;
const aliveForSeconds = 3 * renewEverySeconds;

export type NewBackend = Omit<typeof backends.$inferInsert, 'seen_at' | 'since_at'>;
export type Offer = { id: string; operations: string[]; capabilities: string[] };
export type LiveBackend = Offer & {
  name: string;
  concurrency: number;
  version: string | null;
  workspace: string | null;
  seen_at: Date;
};

/** The row that claims the workspace folder: the first worker to start wins. */
const claimId = 'workspace';

const isAlive = sql`backends.seen_at > clock_timestamp() - make_interval(secs => ${aliveForSeconds})`;
const alive = sql`(${isAlive} and backends.id <> ${claimId})`;

const sharesClaim = sql`exists (select 1 from ${countersign}.backends b where b.id <> ${claimId}
  and b.workspace = backends.workspace and b.seen_at > clock_timestamp() - make_interval(secs => ${aliveForSeconds}))`;

export const aliveForMinutes = (minutes: number): SQL => sql`${alive}
  and backends.since_at < clock_timestamp() - make_interval(secs => ${minutes * 60})`;

export async function hasWorkedFor(db: Queryable, minutes: number): Promise<boolean> {
  return db.hasRows(
    sql`select 1 from ${countersign}.backends where ${aliveForMinutes(minutes)} limit 1`,
  );
}

export async function hasWorker(db: Queryable): Promise<boolean> {
  return db.hasRows(sql`select 1 from ${countersign}.backends where ${alive} limit 1`);
}

/** One that offers more than before counts as new. */
export async function storeBackend(db: Queryable, backend: NewBackend): Promise<void> {
  const since_at = sql`case when backends.seen_at > excluded.seen_at - make_interval(secs => ${aliveForSeconds})
    and backends.operations @> excluded.operations
    and backends.capabilities @> excluded.capabilities then backends.since_at else excluded.seen_at end`;
  await db
    .insert(backends)
    .values({ ...backend, seen_at: now, since_at: now })
    .onConflictDoUpdate({
      target: backends.id,
      set: { ...backend, seen_at: sql`excluded.seen_at`, since_at },
    });
}

/** @returns false if it was swept as dead and must be stored again */
export async function renewBackend(db: Queryable, id: string): Promise<boolean> {
  // A paused process, machine or database counts as an interruption.
  const since_at = sql`case when ${alive} then backends.since_at else ${now} end`;
  const { rowCount } = await db
    .update(backends)
    .set({ seen_at: now, since_at })
    .where(eq(backends.id, id));
  return rowCount !== 0;
}

/** A worker may claim the workspace before it has opened its tools. */
const claimedForSeconds = 60;
const isClaimOld = sql`backends.seen_at < clock_timestamp() - make_interval(secs => ${claimedForSeconds})`;

/** Removes the workspace claim with the last one, unless a later worker has just made it. */
export async function removeBackends(db: Queryable, ids: string[]): Promise<void> {
  const gone = await db
    .delete(backends)
    .where(inArray(backends.id, ids))
    .returning({ workspace: backends.workspace, since_at: backends.since_at });
  const claimedBefore = gone.map(({ workspace, since_at }) =>
    and(eq(backends.workspace, workspace ?? ''), lt(backends.seen_at, since_at)),
  );
  await db
    .delete(backends)
    .where(and(eq(backends.id, claimId), not(sharesClaim), or(isClaimOld, ...claimedBefore)));
}

/** @returns the dead ones' offers; each goes to only one caller */
export async function sweepBackends(db: Queryable): Promise<Offer[]> {
  const { id, operations, capabilities } = backends;
  return db
    .delete(backends)
    .where(and(ne(backends.id, claimId), not(isAlive)))
    .returning({ id, operations, capabilities });
}

export async function readBackends(db: Queryable): Promise<LiveBackend[]> {
  const { id, name, operations, capabilities, concurrency, version, workspace, seen_at } = backends;
  return db
    .select({ id, name, operations, capabilities, concurrency, version, workspace, seen_at })
    .from(backends)
    .where(alive)
    .orderBy(id);
}

export async function readShared(db: Queryable): Promise<{ id: string; shared: SharedSettings }[]> {
  const { id, shared, since_at } = backends;
  const rows = await db
    .select({ id, shared })
    .from(backends)
    .where(alive)
    .orderBy(desc(since_at), id);
  return rows.flatMap((row) => (row.shared === null ? [] : [{ id: row.id, shared: row.shared }]));
}

/** A rejected back end has no file operations. */
const worksElsewhere = (
  workspace: string,
): SQL => sql`(o.id <> ${claimId} and o.workspace <> ${workspace}
  and o.seen_at > clock_timestamp() - make_interval(secs => ${aliveForSeconds})
  and exists (select from unnest(o.operations) operation where starts_with(operation, 'workspace_')))`;

async function claimWorkspace(db: Queryable, workspace: string): Promise<boolean> {
  return db.hasRows(sql`
    insert into ${countersign}.backends
      (id, name, capabilities, operations, concurrency, manifest, workspace, seen_at, since_at)
    select ${claimId}, ${claimId}, '{}', '{}', 0, '[]', ${workspace}, clock_timestamp(), clock_timestamp()
    where exists (select from ${countersign}.backends c where c.id = ${claimId} and c.workspace = ${workspace})
      or not exists (select from ${countersign}.backends o where ${worksElsewhere(workspace)})
    on conflict (id) do update set workspace = excluded.workspace, seen_at = excluded.seen_at
      where backends.workspace = excluded.workspace or not ${sharesClaim} and ${isClaimOld}
    returning id`);
}

/** Workers that hold the plans' files in another folder, or null. Waits for a heartbeat of one that may be dead. */
export async function findElsewhere(db: Queryable, workspace: string): Promise<string | null> {
  const seen = new Map<string, number>();
  while (!(await claimWorkspace(db, workspace))) {
    const { rows } = await db.execute<{ id: string; seen: number }>(sql`
      select o.id, extract(epoch from o.seen_at)::float8 as seen from ${countersign}.backends o
      left join ${countersign}.backends c on c.id = ${claimId}
      where o.id <> ${claimId} and o.workspace = c.workspace or ${worksElsewhere(workspace)}`);
    for (const { id, seen: at } of rows) {
      const before = seen.get(id);
      if (before !== undefined && at > before) return id;
      seen.set(id, at);
    }
    await pause(lookEveryMs);
  }
  return null;
}

let known = new Map<string, OperationSpec[]>();

/** Reads each distinct manifest once, since most are equal; equal ones are the same array. */
export async function readManifests(db: Queryable): Promise<OperationSpec[][]> {
  const { rows } = await db.execute<{ digest: string; manifest: OperationSpec[] | null }>(sql`
      select digest, case when digest = any(${sql.param([...known.keys()])}::text[]) then null else manifest end as manifest
      from (
        select distinct on (digest) digest, manifest, id
        from (select id, manifest, md5(manifest::text) as digest from ${countersign}.backends where ${alive}) b
        order by digest, id
      ) different order by id`);
  const read = new Map<string, OperationSpec[]>();
  for (const { digest, manifest } of rows) {
    const specs = manifest ?? known.get(digest);
    if (specs !== undefined) read.set(digest, specs);
  }
  known = read;
  return [...read.values()];
}
