// Steps of an undecided plan whose start has passed.
import { sql } from 'drizzle-orm';
import { labelsShown, type PassedStarts } from '#domain/plan/passed-starts.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { isoOf } from '../time.ts';

type Row = Omit<PassedStarts, 'more' | 'first' | 'last'> & {
  count: number;
  first: string | null;
  last: string | null;
};

/** Null if none has passed. @param positions null for all */
export async function readPassedStarts(
  db: Queryable,
  plan: { id: string; version: number },
  positions: number[] | null,
): Promise<PassedStarts | null> {
  const isAsked =
    positions === null ? sql`true` : sql`c.position = any(${sql.param(positions)}::int[])`;
  const [row] = await db.rows<Row>(sql`
    select count(*)::int as count, ${isoOf('min(c.not_before)', 'milliseconds')} as first,
      ${isoOf('max(c.not_before)', 'milliseconds')} as last,
      ${isoOf('max(c.not_before) filter (where c.not_before > v.created_at)', 'milliseconds')} as last_since_proposal,
      coalesce((array_agg(coalesce(c.label, c.position::text) order by c.position))[1:${sql.raw(String(labelsShown))}], '{}') as labels
    from ${countersign}.plan_steps c
    join ${countersign}.step_states s on s.plan_id = c.plan_id and s.position = c.position and s.step_id = c.step_id
    join ${countersign}.plan_versions v on v.plan_id = c.plan_id and v.version = ${plan.version}
    where c.plan_id = ${plan.id} and c.not_before <= clock_timestamp() and s.status in ('pending', 'ready') and ${isAsked}`);
  if (row === undefined || row.first === null || row.last === null) return null;
  const { count, labels, first, last, last_since_proposal } = row;
  return { labels, more: count - labels.length, first, last, last_since_proposal };
}
