// People of an organisation in recent plans, for forms.
import { sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { readShown } from './identities.ts';

const recentPlans = 300;
const stepsEach = 100;

export async function readKnownPeople(
  db: Queryable,
  tenant: string | null,
  others: string[],
): Promise<{ value: string; label: string }[]> {
  const within = tenant === null ? sql`tenant is null` : sql`tenant = ${tenant}`;
  const { rows } = await db.execute<{ name: string }>(sql`
    with recent as (
      select id, requester from ${countersign}.plans
      where ${within} order by created_at desc limit ${recentPlans}
    )
    select requester as name from recent
    union
    select s.target from recent r cross join lateral (
      select tool, target from ${countersign}.plan_steps
      where plan_id = r.id order by position limit ${stepsEach}
    ) s where s.tool = 'human' and s.target is not null
    limit 500`);
  const own = tenant === null ? others.filter((name) => !name.includes(':')) : [];
  const names = [...new Set([...own, ...rows.map(({ name }) => name)])];
  const shown = await readShown(db, names);
  return names
    .map((value) => ({ value, label: shown.get(value) ?? value }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
}
