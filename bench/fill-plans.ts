// Fills the database with people's plans, without steps.
import { sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

export type Fill = { people: number; ended: number; live: number };

/** Counts from 1. */
export const personOf = (n: number): string => `person-${n}@corp.example`;

/**
 * Ended: 8 of 10 completed, 1 failed, 1 rejected. Live: 6 of 10 proposed, 2 executing, 1 stalled, 1 approved.
 * Every fourth has a custom rule. @param first number of existing plans
 */
export async function fillPlans(db: Database, fill: Fill, first = 0): Promise<void> {
  const all = fill.ended + fill.live;
  for (let from = 0; from < all; from += atOnce)
    await fillSome(db, fill, { first, from, to: Math.min(all, from + atOnce) });
  await db.pool.query('vacuum (analyze) countersign.plans, countersign.plan_versions');
}

const atOnce = 20_000;

async function fillSome(
  db: Database,
  { people, ended }: Fill,
  { first, from, to }: { first: number; from: number; to: number },
) {
  await db.query.execute(sql`
    with made as (
      insert into countersign.plans (id, status, version, digest, revision, total, title, requester, approver_policy,
        planner_model, tools_required, guarded_operations, created_at, updated_at)
      select 'PLAN-' || lpad(to_hex(n + ${first}::int), 8, '0'),
        case when n <= ${ended}::int then (array['failed','rejected','completed','completed','completed','completed','completed','completed','completed','completed'])[1 + n % 10]
          else (array['executing','executing','stalled','approved','proposed','proposed','proposed','proposed','proposed','proposed'])[1 + n % 10] end,
        1, 'd', 1, 1, 'Plan ' || n, 'person-' || 1 + n % ${people}::int || '@corp.example',
        case when n % 8 = 0 then '{"kind":"not_requester"}'
          when n % 8 = 4 then jsonb_build_object('kind', 'named', 'people', jsonb_build_array('person-' || 1 + n / 8 % ${people}::int || '@corp.example'))
          else '{"kind":"requester"}' end,
        'm', '{control_noop}', '{}', moment, moment
      from generate_series(${from + 1}::int, ${to}::int) n,
        lateral (select now() - case when n <= ${ended}::int then (${ended}::int - n) * interval '365 days' / ${Math.max(1, ended)}::int
          else (n - ${ended}::int) * interval '10 seconds' end as moment) at
      returning id, approver_policy, title, created_at
    )
    insert into countersign.plan_versions (plan_id, version, digest, title, context, risks, approver_policy, tools_required, total, planner_model, created_at)
    select id, 1, 'd', title, '{}', '[]', approver_policy, '{}', 1, 'm', created_at from made`);
}
