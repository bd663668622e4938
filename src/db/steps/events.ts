// A plan's change stream: appended with each change, read by revision.
import { eq, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { PlanStatus, StepStatus } from '#domain/plan/plan.ts';
import type { Change, Diff } from '#domain/plan/views.ts';
import { prepareStatement, type Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { planEvents, plans } from '../schema.ts';

const changesPerRow = 500;

/** Ends sort before the steps they make ready, and ready before running. */
const course = sql.raw(`case to_status when 'ready' then 1 when 'running' then 2 else 0 end`);

/** Numbers a CTE `changed(step_id, to_status, kind, detail)` with the last `n` revisions of a CTE `plan(revision, n)`. */
export function insertEvents(planId: string | Placeholder): SQL {
  return sql`
    insert into ${countersign}.plan_events (plan_id, revision, n, kind, status, step_ids, details)
    select ${planId}, plan.revision - plan.n + sum(b.n) over (order by b.course, b.kind, b.to_status, b.part),
      b.n, b.kind, b.to_status, b.step_ids, b.details
    from (
      select ${course} as course, kind, to_status, part, count(*)::int as n, array_agg(step_id) as step_ids,
        case when count(detail) > 0 then array_agg(detail) end as details
      from (select *, (row_number() over () - 1) / ${sql.raw(String(changesPerRow))} as part from changed) c
      group by kind, to_status, part
    ) b cross join plan`;
}

/** Up to `revision`, or the requested part. */
type EventRow = Omit<typeof planEvents.$inferSelect, 'plan_id' | 'n'>;

function toChanges({ revision, kind, status, step_ids, details, at }: EventRow): Change[] {
  const steps = step_ids ?? [null];
  const time = at.toISOString();
  return steps.map((step_id, nth) => {
    const detail = details?.[nth] ?? null;
    return {
      revision: revision - steps.length + 1 + nth,
      step_id,
      kind,
      ...(status === null ? {} : { status: status as StepStatus | PlanStatus }),
      at: time,
      ...(detail === null ? {} : { detail }),
    };
  });
}

/** The caller has just allotted `revision`. */
export async function appendPlanEvent(
  tx: Queryable,
  event: { planId: string; revision: number; kind: string; status?: PlanStatus; detail?: string },
): Promise<void> {
  await tx.insert(planEvents).values({
    plan_id: event.planId,
    revision: event.revision,
    kind: event.kind,
    status: event.status ?? null,
    details: event.detail === undefined ? null : [event.detail],
  });
}

/** Takes the plan's row lock. */
export async function touchPlan(
  tx: Queryable,
  planId: string,
  kind: string,
  detail?: string,
): Promise<number> {
  const [row] = await tx
    .update(plans)
    .set({ revision: sql`${plans.revision} + 1`, updated_at: sql`clock_timestamp()` })
    .where(eq(plans.id, planId))
    .returning({ revision: plans.revision, status: plans.status });
  if (row === undefined) throw new Error(`touchPlan: no plan ${planId}`);
  await appendPlanEvent(tx, {
    planId,
    revision: row.revision,
    kind,
    status: row.status,
    ...(detail === undefined ? {} : { detail }),
  });
  return row.revision;
}

/** Only the part of a row after revision `since`. */
function after(since: SQL): SQL {
  const begin = sql`n - (revision - ${since}) + 1`;
  return sql`step_ids[${begin}:] as step_ids, details[${begin}:] as details`;
}

const plan = sql.placeholder('plan');
const since = sql`${sql.placeholder('since')}::bigint`;
const last = sql`${sql.placeholder('last')}::bigint`;
const changes = prepareStatement(
  'read_changes',
  sql`select revision, kind, status, at, ${after(since)}
    from ${countersign}.plan_events
    where plan_id = ${plan} and revision > ${since} and revision < ${last} + ${sql.raw(String(changesPerRow))}
      and revision - n < ${last}
    order by revision`,
);

/** All of the last row, even beyond `atLeast`. Revisions have no gaps, so the rows are known. */
async function readChanges(
  db: Queryable,
  planId: string,
  since: number,
  atLeast: number,
): Promise<Change[]> {
  const rows = await db.run<EventRow>(changes, { plan: planId, since, last: since + atLeast });
  return rows.flatMap(toChanges);
}

function pageOf(changes: Change[], since: number, limit: number): Diff {
  const page = changes.slice(0, limit);
  return {
    from: since,
    to: page.at(-1)?.revision ?? since,
    changes: page,
    more: changes.length > limit,
  };
}

/** Changes up to this revision are deleted. */
async function readFloor(db: Queryable, planId: string): Promise<number> {
  const { rows } = await db.execute<{ floor: number }>(sql`
    select revision - n as floor from ${countersign}.plan_events where plan_id = ${planId} order by revision limit 1`);
  return rows[0]?.floor ?? 0;
}

/** `to` is where to continue. If the next changes were deleted, it starts after them. */
export async function readDiff(
  db: Queryable,
  planId: string,
  since: number,
  limit: number,
): Promise<Diff> {
  const changes = await readChanges(db, planId, since, limit + 1);
  if (changes.length > 0) return pageOf(changes, since, limit);
  const floor = await readFloor(db, planId);
  if (floor <= since) return pageOf([], since, limit);
  return pageOf(await readChanges(db, planId, floor, limit + 1), since, limit);
}

const compactWindow = 20;

/** Like `readDiff`, with only each step's last change per page, for late readers. Applying all pages gives the same state. */
export async function readCompactDiff(
  db: Queryable,
  planId: string,
  since: number,
  limit: number,
): Promise<Diff> {
  const window = await readDiff(db, planId, since, limit * compactWindow);
  const latest = new Map(
    window.changes.map((change) => [change.step_id ?? change.revision, change]),
  );
  const kept = [...latest.values()].sort((a, b) => a.revision - b.revision);
  const page = pageOf(kept, since, limit);
  return page.more ? page : { ...page, to: window.to, more: window.more };
}

const recent = prepareStatement(
  'read_recent_events',
  sql`with known as (
      select max(revision) - ${sql.placeholder('limit')}::int as since from ${countersign}.plan_events
      where plan_id = ${plan}
    )
    select revision, kind, status, at, ${after(sql`known.since`)}
    from known join ${countersign}.plan_events on plan_id = ${plan} and revision > known.since
    order by revision`,
);

/** Newest first. Revisions have no gaps, so their start is known. */
export async function readRecentEvents(
  db: Queryable,
  planId: string,
  limit: number,
): Promise<Change[]> {
  const rows = await db.run<EventRow>(recent, { plan: planId, limit });
  return rows.flatMap(toChanges).reverse();
}
