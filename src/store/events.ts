// The change stream of a plan: appended with the change it tells of, read by revision.
import { and, asc, desc, eq, gt, sql } from 'drizzle-orm';
import type { PlanStatus, StepStatus } from '#contracts/plan.ts';
import type { Change, Diff } from '#contracts/views.ts';
import type { Queryable } from './database.ts';
import { planEvents, plans } from './schema.ts';

type EventRow = typeof planEvents.$inferSelect;

function toChange(row: EventRow): Change {
  return {
    revision: row.revision,
    step_id: row.step_id,
    kind: row.kind,
    ...(row.status === null ? {} : { status: row.status as StepStatus | PlanStatus }),
    at: row.at.toISOString(),
    ...(row.detail === null ? {} : { detail: row.detail }),
  };
}

/** Records a change of the plan itself at `revision`, which the caller has just allotted. */
export async function appendPlanEvent(
  tx: Queryable,
  event: { planId: string; revision: number; kind: string; status?: PlanStatus; detail?: string },
): Promise<void> {
  await tx.insert(planEvents).values({
    plan_id: event.planId,
    revision: event.revision,
    kind: event.kind,
    status: event.status ?? null,
    detail: event.detail ?? null,
  });
}

/** Raises the plan's revision by one and records what changed. The caller holds the plan's row lock or takes it here. */
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

/** Changes after revision `since`, at most `limit`; `to` is where to go on. */
export async function readDiff(
  db: Queryable,
  planId: string,
  since: number,
  limit: number,
): Promise<Diff> {
  const rows = await db
    .select()
    .from(planEvents)
    .where(and(eq(planEvents.plan_id, planId), gt(planEvents.revision, since)))
    .orderBy(asc(planEvents.revision))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  return {
    from: since,
    to: page.at(-1)?.revision ?? since,
    changes: page.map(toChange),
    more: rows.length > limit,
  };
}

/** Changes looked at for each one of a compact page. */
const compactWindow = 20;

/**
 * Like `readDiff`, with only the last change of each step: what a reader who comes late needs to know. Whoever applies the
 * pages up to the last one has the same picture. Looks at no more than 20 changes for each of `limit`.
 */
export async function readCompactDiff(
  db: Queryable,
  planId: string,
  since: number,
  limit: number,
): Promise<Diff> {
  const { rows } = await db.execute<EventRow & { last: number; full: boolean }>(sql`
    with changes as materialized (
      select * from countersign.plan_events where plan_id = ${planId} and revision > ${since}
      order by revision limit ${limit * compactWindow}
    ),
    latest as (
      select distinct on (coalesce(step_id, revision::text)) * from changes
      order by coalesce(step_id, revision::text), revision desc
    )
    select *, (select max(revision) from changes) as last,
      (select count(*) from changes) = ${limit * compactWindow} as full
    from latest order by revision limit ${limit + 1}`);
  const page = rows.slice(0, limit);
  const cut = rows.length > limit;
  const end = cut ? page.at(-1)?.revision : page.at(-1)?.last;
  return {
    from: since,
    to: end ?? since,
    changes: page.map((row) => toChange({ ...row, at: new Date(row.at) })),
    more: cut || page.at(-1)?.full === true,
  };
}

/** The latest `limit` changes, newest first. */
export async function readRecentEvents(
  db: Queryable,
  planId: string,
  limit: number,
): Promise<Change[]> {
  const rows = await db
    .select()
    .from(planEvents)
    .where(eq(planEvents.plan_id, planId))
    .orderBy(desc(planEvents.revision))
    .limit(limit);
  return rows.map(toChange);
}
