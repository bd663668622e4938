// Recurring steps: each series' rule, and how far its occurrences are steps.
import { and, asc, eq, inArray, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import type { PlanStatus, Series } from '#domain/plan/plan.ts';
import type { Effect } from '#domain/tool.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { planSeries, plans } from '../schema.ts';
import { waitingPatch } from '../sql/patch-reads.ts';
import { stepsOf } from '../steps/blocks.ts';
import { isoOf } from '../time.ts';

export type SeriesRow = Series & {
  expanded_to: Date;
  expand_at: Date | null;
  stopped_at: Date | null;
};

type NewSeries = { series: Series; expandedTo: Date; expandAt: Date | null };

/** Series of an earlier version must be gone. */
export async function insertSeries(
  tx: Queryable,
  planId: string,
  series: NewSeries[],
): Promise<void> {
  if (series.length === 0) return;
  await tx.insert(planSeries).values(
    series.map(({ series: { id, starts_at, until, ...rest }, expandedTo, expandAt }) => ({
      ...rest,
      plan_id: planId,
      series_id: id,
      starts_at: new Date(starts_at),
      until: until === null ? null : new Date(until),
      expanded_to: expandedTo,
      expand_at: expandAt,
    })),
  );
}

export async function deleteSeries(tx: Queryable, planId: string, ids?: string[]): Promise<void> {
  const named = ids === undefined ? undefined : inArray(planSeries.series_id, ids);
  if (ids?.length === 0) return;
  await tx.delete(planSeries).where(and(eq(planSeries.plan_id, planId), named));
}

/** @param all stopped ones too */
export async function readSeries(db: Queryable, planId: string, all = false): Promise<SeriesRow[]> {
  const rows = await db
    .select()
    .from(planSeries)
    .where(and(eq(planSeries.plan_id, planId), all ? undefined : isNull(planSeries.stopped_at)))
    .orderBy(asc(planSeries.series_id));
  return rows.map(({ series_id, starts_at, until, expanded_to, plan_id: _, ...row }) => ({
    ...row,
    id: series_id,
    starts_at: starts_at.toISOString(),
    until: until?.toISOString() ?? null,
    expanded_to: expanded_to ?? starts_at,
  }));
}

export async function readRhythms(
  db: Queryable,
  ids: string[],
): Promise<Map<string, Pick<Series, 'rrule' | 'timezone' | 'starts_at'>[]>> {
  const { plan_id, rrule, timezone, starts_at } = planSeries;
  const rows = await db
    .select({ plan_id, rrule, timezone, starts_at })
    .from(planSeries)
    .where(inArray(plan_id, ids))
    .orderBy(asc(planSeries.series_id));
  return Map.groupBy(
    rows.map((row) => ({ ...row, starts_at: row.starts_at.toISOString() })),
    (row) => row.plan_id,
  );
}

/** Including ended plans; without those that need a person's decision first. */
export async function findDuePlans(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<{ id: string; status: PlanStatus }[]> {
  return db
    .selectDistinct({ id: planSeries.plan_id, status: plans.status })
    .from(planSeries)
    .innerJoin(plans, eq(plans.id, planSeries.plan_id))
    .where(
      and(
        lte(planSeries.expand_at, now),
        isNull(planSeries.stopped_at),
        inArray(plans.status, ['executing', 'completed', 'cancelled']),
        isNull(plans.paused_at),
        isNull(waitingPatch(sql`${plans.id}`)),
      ),
    )
    .limit(limit);
}

/** Adds nothing before `at`, or ever if null. */
export async function postponeSeries(
  db: Queryable,
  planId: string,
  at: Date | null,
): Promise<void> {
  await db
    .update(planSeries)
    .set({ expand_at: at })
    .where(and(eq(planSeries.plan_id, planId), isNotNull(planSeries.expand_at)));
}

export async function hasMoreOccurrences(db: Queryable, planId: string): Promise<boolean> {
  const rows = await db
    .select({ id: planSeries.series_id })
    .from(planSeries)
    .where(
      and(
        eq(planSeries.plan_id, planId),
        isNotNull(planSeries.expand_at),
        isNull(planSeries.stopped_at),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

export async function updateSeries(
  tx: Queryable,
  planId: string,
  id: string,
  set: Partial<Pick<SeriesRow, 'expanded_to' | 'expand_at' | 'stopped_at' | 'steps'>>,
): Promise<void> {
  await tx
    .update(planSeries)
    .set(set)
    .where(and(eq(planSeries.plan_id, planId), eq(planSeries.series_id, id)));
}

export async function stopAllSeries(tx: Queryable, planId: string): Promise<void> {
  await tx
    .update(planSeries)
    .set({ stopped_at: sql`clock_timestamp()` })
    .where(and(eq(planSeries.plan_id, planId), isNull(planSeries.stopped_at)));
}

export async function restartAllSeries(tx: Queryable, planId: string): Promise<void> {
  await tx.update(planSeries).set({ stopped_at: null }).where(eq(planSeries.plan_id, planId));
}

export async function readTemplates(
  tx: Queryable,
  planId: string,
  templates: string[],
): Promise<{ id: string; kept: boolean; effects: Effect[] }[]> {
  return tx.rows(sql`
    select t.id, bool_or(s.status <> 'cancelled' and s.lane <> 0) as kept, array_agg(distinct c.effect) as effects
    from unnest(${sql.param(templates)}::text[]) as t(id)
    join ${countersign}.plan_steps c
      on c.plan_id = ${planId} and split_part(c.step_id, '#', 1) = t.id and c.step_id <> t.id
    join ${countersign}.step_states s on s.plan_id = c.plan_id and s.position = c.position
    group by t.id`);
}

export async function findOverdue(
  tx: Queryable,
  planId: string,
  due: Date,
  limit: number,
): Promise<{ id: string; position: number; not_before: string }[]> {
  return tx.rows(sql`
    select c.step_id as id, c.position, ${isoOf('c.not_before', 'milliseconds')} as not_before from ${stepsOf(planId, ['pending', 'ready'], sql`s.attempt = 0 and s.lane <> 0`)}
    join ${countersign}.plan_steps c on c.plan_id = s.plan_id and c.position = s.position and c.step_id = s.step_id
    where c.not_before <= ${due.toISOString()}::timestamptz
    order by c.position limit ${limit}`);
}

/** Begun, or ended by a person's decision. */
export async function findBegun(tx: Queryable, planId: string, ids: string[]): Promise<string[]> {
  return tx.values(sql`
    select c.step_id as id from ${countersign}.plan_steps c
    join ${countersign}.step_states s on s.plan_id = c.plan_id and s.position = c.position
    where c.plan_id = ${planId} and c.step_id = any(${sql.param(ids)}::text[])
      and (s.attempt > 0 or s.status in ('succeeded', 'failed', 'unknown', 'waiting', 'running'))`);
}

/** By ID. A removed step's ID stays taken. */
export async function readRemoved(
  tx: Queryable,
  planId: string,
  ids: string[],
): Promise<Map<string, boolean>> {
  const { rows } = await tx.execute<{ id: string; removed: boolean }>(sql`
    select step_id as id, until is not null as removed from ${countersign}.plan_steps
    where plan_id = ${planId} and step_id = any(${sql.param(ids)}::text[])`);
  return new Map(rows.map(({ id, removed }) => [id, removed]));
}

export async function readEarliestReady(
  db: Queryable,
  planId: string,
): Promise<{ at: string; due: boolean } | null> {
  const [row] = await db.rows<{ at: string | null; due: boolean | null }>(sql`
    select ${isoOf('min(available_at)', 'milliseconds')} as at, min(available_at) <= clock_timestamp() as due
    from ${countersign}.step_states where plan_id = ${planId} and queued_at is not null`);
  return row?.at == null ? null : { at: row.at, due: row.due === true };
}
