// Counts plans by status, and requests that no tool could serve.
import { sql } from 'drizzle-orm';
import type { PlanStats } from '#domain/stats.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { plans } from '../schema.ts';
import { isWithin, runIsWithin, type Within } from './within.ts';

const gaps = { days: 90, listed: 10 };

async function countPlans(db: Queryable, within: Within | null): Promise<PlanStats['plans']> {
  const counts = await db
    .select({ status: plans.status, count: sql<number>`count(*)::int` })
    .from(plans)
    .where(within === null ? undefined : isWithin(within))
    .groupBy(plans.status);
  return Object.fromEntries(counts.map(({ status, count }) => [status, count]));
}

/** Spacing and case don't distinguish wishes. */
const requestText = sql`lower(regexp_replace(left(trim(a.reason), 200), '\\s+', ' ', 'g'))`;

const askers = sql`count(distinct coalesce(i.person, r."user"))::int`;

async function listGaps(
  db: Queryable,
  within: Within | null,
  leastPeople: number,
): Promise<PlanStats['gaps']> {
  return db.rows(sql`
    select (array_agg(a.reason order by a.at desc))[1] as wanted, count(*)::int as times,
      ${askers} as people,
      to_char(max(a.at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_at
    from ${countersign}.audit a join ${countersign}.runs r on r.id = a.data ->> 'run'
      left join ${countersign}.identities i on i.account = r."user"
    where a.plan_id is null and a.action = 'tool_gap' and a.at > now() - make_interval(days => ${gaps.days}) and trim(a.reason) <> ''
      and ${within === null ? sql`true` : runIsWithin(within)}
    group by ${requestText} having ${askers} >= ${leastPeople} order by times desc, max(a.at) desc limit ${gaps.listed}`);
}

export async function readPlanStats(
  db: Queryable,
  within: Within | null = null,
  leastPeople = 1,
): Promise<PlanStats> {
  const counts = await countPlans(db, within);
  return { plans: counts, gaps: await listGaps(db, within, leastPeople), gap_days: gaps.days };
}
