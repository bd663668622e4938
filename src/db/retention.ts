// Retention's lease and totals: one process deletes.
import { count, sql } from 'drizzle-orm';
import type { Queryable } from './database.ts';
import { countersign } from './schema/columns.ts';
import { deletedPlans, retention } from './schema.ts';

export type RetentionState = {
  running: boolean;
  began_at: Date | null;
  ended_at: Date | null;
  deleted: Record<string, number>;
  problem: string | null;
};

/** Null before the first round. */
export async function readRetention(db: Queryable): Promise<RetentionState | null> {
  const [row] = await db
    .select({
      running: sql<boolean>`coalesce(${retention.lease_until} > clock_timestamp(), false)`,
      began_at: retention.began_at,
      ended_at: retention.ended_at,
      deleted: retention.deleted,
      problem: retention.problem,
    })
    .from(retention);
  return row ?? null;
}

export async function countDeletedPlans(db: Queryable): Promise<number> {
  const [row] = await db.select({ n: count() }).from(deletedPlans);
  return row?.n ?? 0;
}

/** @returns false if another process has it */
export async function beginRetention(
  db: Queryable,
  holder: string,
  leaseSeconds: number,
): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    insert into ${countersign}.retention as r (name, holder, lease_until, began_at)
    values ('retention', ${holder}, clock_timestamp() + make_interval(secs => ${leaseSeconds}), clock_timestamp())
    on conflict (name) do update set holder = excluded.holder, lease_until = excluded.lease_until, began_at = excluded.began_at
    where r.holder is null or r.lease_until < excluded.began_at`);
  return rowCount === 1;
}

/** Renews the lease. @returns false if another process has it by now */
export async function bookDeleted(
  db: Queryable,
  holder: string,
  leaseSeconds: number,
  deleted: Record<string, number>,
): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    update ${countersign}.retention r set lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds}),
      deleted = r.deleted || coalesce((select jsonb_object_agg(key, value::bigint + coalesce((r.deleted ->> key)::bigint, 0))
        from jsonb_each_text(${JSON.stringify(deleted)}::jsonb)), '{}')
    where holder = ${holder}`);
  return rowCount === 1;
}

export async function endRetention(
  db: Queryable,
  holder: string,
  end: { finished: boolean; problem: string | null },
): Promise<void> {
  await db.execute(sql`
    update ${countersign}.retention set holder = null, lease_until = null, problem = ${end.problem},
      ended_at = case when ${end.finished} then clock_timestamp() else ended_at end
    where holder = ${holder}`);
}
