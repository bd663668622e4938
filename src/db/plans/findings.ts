// Findings: stored once by key, settled by compare-and-set.
import { and, desc, eq, getTableColumns, inArray, notInArray, type SQL, sql } from 'drizzle-orm';
import { system } from '#domain/people/actor.ts';
import type { Finding, FindingStatus, OpenFindings, Severity } from '#domain/plan/finding.ts';
import { pagesByCreation } from '../cursor.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { planFindings } from '../schema.ts';

export type FindingRow = typeof planFindings.$inferSelect;

export const openFinding: readonly FindingStatus[] = ['open', 'replanning', 'awaiting_approval'];

export function toFinding(row: FindingRow): Finding {
  const { key: _, ...finding } = row;
  return {
    ...finding,
    actions: openFinding.includes(row.status) ? row.actions : [],
    created_at: row.created_at.toISOString(),
    settled_at: row.settled_at?.toISOString() ?? null,
  };
}

export type NewFindingRow = Pick<
  FindingRow,
  | 'id'
  | 'plan_id'
  | 'key'
  | 'severity'
  | 'category'
  | 'message'
  | 'step_id'
  | 'partition'
  | 'evidence'
  | 'raised_by'
>;

export async function insertFinding(tx: Queryable, finding: NewFindingRow): Promise<boolean> {
  const stored = await tx
    .insert(planFindings)
    .values(finding)
    .onConflictDoNothing({ target: [planFindings.plan_id, planFindings.key] })
    .returning({ id: planFindings.id });
  return stored.length > 0;
}

export async function findByKey(
  db: Queryable,
  planId: string,
  key: string,
): Promise<FindingRow | null> {
  const [row] = await db
    .select()
    .from(planFindings)
    .where(and(eq(planFindings.plan_id, planId), eq(planFindings.key, key)));
  return row ?? null;
}

export async function readFinding(
  db: Queryable,
  planId: string,
  id: string,
): Promise<FindingRow | null> {
  const [row] = await db
    .select()
    .from(planFindings)
    .where(and(eq(planFindings.plan_id, planId), eq(planFindings.id, id)));
  return row ?? null;
}

export const openFindingsOf = (planId: SQL): SQL<OpenFindings> => sql`(
  select '{"INFO": 0, "WARN": 0, "ERROR": 0, "CRITICAL": 0}'::jsonb || coalesce(jsonb_object_agg(severity, n), '{}') from (
    select severity, count(*)::int as n from ${countersign}.plan_findings f
    where f.plan_id = ${planId} and f.status in ('open', 'replanning', 'awaiting_approval') group by severity
  ) open)`;

/** Oldest first. Repeats the condition of the index of open findings literally. */
export function readOpenFindings(
  db: Queryable,
  planId: string,
  severity: Severity,
  limit: number,
): Promise<FindingRow[]> {
  const isOpen = sql`${planFindings.status} in ('open', 'replanning', 'awaiting_approval')`;
  return db
    .select()
    .from(planFindings)
    .where(and(eq(planFindings.plan_id, planId), eq(planFindings.severity, severity), isOpen))
    .orderBy(planFindings.created_at, planFindings.id)
    .limit(limit);
}

export async function countOpenFindings(db: Queryable, planId: string): Promise<OpenFindings> {
  const { rows } = await db.execute<{ counts: OpenFindings }>(
    sql`select ${openFindingsOf(sql`${planId}`)} as counts`,
  );
  return rows[0]?.counts ?? { INFO: 0, WARN: 0, ERROR: 0, CRITICAL: 0 };
}

/** Only in one of `from`. The caller holds the plan's lock. @param where default: all of the plan @returns changed ones */
export function updateFindings(
  tx: Queryable,
  planId: string,
  from: readonly FindingStatus[],
  set: Partial<
    Pick<FindingRow, 'status' | 'actions' | 'stale_steps' | 'replans' | 'patch_id' | 'settled_by'>
  > & { key?: SQL },
  where?: SQL,
): Promise<FindingRow[]> {
  const ends = set.status === 'resolved' || set.status === 'dismissed';
  return tx
    .update(planFindings)
    .set({ ...set, ...(ends ? { settled_at: sql`clock_timestamp()` } : {}) })
    .where(and(eq(planFindings.plan_id, planId), inArray(planFindings.status, [...from]), where))
    .returning();
}

/** Except `kept` keys. Frees their keys, so that a promise that breaks again is raised again. The caller holds the plan's lock. */
export async function withdrawScheduleFindings(
  tx: Queryable,
  planId: string,
  kept: readonly string[] = [],
): Promise<string[]> {
  const { id, key, category, raised_by } = planFindings;
  const resolved = await updateFindings(
    tx,
    planId,
    ['open'],
    { status: 'resolved', settled_by: system.id, key: sql`${key} || ' ' || ${id}` },
    and(eq(category, 'schedule'), eq(raised_by, system.id), notInArray(key, [...kept])),
  );
  return resolved.map((row) => row.id);
}

const pages = pagesByCreation(planFindings, /^\d{1,17} F-[0-9a-f]{12}$/, desc);

export async function listFindings(
  db: Queryable,
  planId: string,
  { status, cursor, limit }: { status?: FindingStatus[]; cursor?: string; limit: number },
): Promise<{ findings: Finding[]; next_cursor: string | null }> {
  const rows = await db
    .select({ ...getTableColumns(planFindings), micros: pages.micros })
    .from(planFindings)
    .where(
      and(
        eq(planFindings.plan_id, planId),
        status === undefined ? undefined : inArray(planFindings.status, status),
        pages.isBehind(cursor),
      ),
    )
    .orderBy(...pages.order)
    .limit(limit + 1);
  const { page, next_cursor } = pages.cut(rows, limit);
  return { findings: page.map(({ micros: _, ...row }) => toFinding(row)), next_cursor };
}
