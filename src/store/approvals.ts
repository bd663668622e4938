// Approvals as they were given, by the persons behind the names: a link made after both accounts approved leaves one.
import { sql } from 'drizzle-orm';
import type { Queryable } from './database.ts';
import { isoOf } from './sql/iso.ts';

/** Who approved a version of a plan, or a change that would make it, and when first; in that order. */
export async function readApprovals(
  db: Queryable,
  planId: string,
  version: number,
): Promise<{ by: string; at: string }[]> {
  const { rows } = await db.execute<{ by: string; at: string }>(sql`
    select coalesce(i.person, a.approver) as by, ${isoOf('min(a.at)', 'milliseconds')} as at
    from countersign.approvals a left join countersign.identities i on i.account = a.approver
    where a.plan_id = ${planId} and a.version = ${version}
    group by 1 order by min(a.at), 1`);
  return rows;
}
