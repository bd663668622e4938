// Approvals as given, resolved to persons: when two accounts that both approved are linked later, one approval remains.
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { isoOf } from '../time.ts';

/** For a version, or a change that would make it; by first approval. */
export async function readApprovals(
  db: Queryable,
  planId: string,
  version: number,
): Promise<{ by: string; at: string }[]> {
  return db.rows(sql`
    select coalesce(i.person, a.approver) as by, ${isoOf('min(a.at)', 'milliseconds')} as at
    from ${countersign}.approvals a left join ${countersign}.identities i on i.account = a.approver
    where a.plan_id = ${planId} and a.version = ${version}
    group by 1 order by min(a.at), 1`);
}

/** The newest approved version up to this one: changes that narrow need no approval of their own. */
export async function readApprovedVersion(
  db: Queryable,
  { id, version }: { id: string; version: number },
): Promise<number> {
  const { rows } = await db.execute<{ version: number | null }>(sql`
    select max(version) as version from ${countersign}.approvals
    where plan_id = ${id} and version <= ${version}`);
  return rows[0]?.version ?? version;
}

/** Approvers with a role from their sign-in, by plan. */
export async function readGivenWithRole(
  db: Queryable,
  versions: { id: string; version: number }[],
): Promise<Map<string, Set<string>>> {
  if (versions.length === 0) return new Map();
  return readBy(db, versions, sql`a.role is not null`);
}

/** Approvers whose identity was verified, by plan. Typed names are not verified. */
export async function readVerified(
  db: Queryable,
  versions: { id: string; version: number }[],
): Promise<Map<string, Set<string>>> {
  if (versions.length === 0) return new Map();
  return readBy(db, versions, sql`a.verified`);
}

async function readBy(
  db: Queryable,
  versions: { id: string; version: number }[],
  given: SQL,
): Promise<Map<string, Set<string>>> {
  const asked = JSON.stringify(versions.map(({ id, version }) => ({ id, version })));
  const { rows } = await db.execute<{ plan_id: string; by: string }>(sql`
    select distinct a.plan_id, coalesce(i.person, a.approver) as by
    from jsonb_to_recordset(${asked}::jsonb) as v(id text, version int)
    join ${countersign}.approvals a on a.plan_id = v.id and a.version = v.version and ${given}
    left join ${countersign}.identities i on i.account = a.approver`);
  const byPlan = Map.groupBy(rows, ({ plan_id }) => plan_id);
  return new Map([...byPlan].map(([plan, all]) => [plan, new Set(all.map(({ by }) => by))]));
}
