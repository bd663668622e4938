// Patches as rows: stored as sent, found by the shown digest.
import { and, desc, eq, getTableColumns, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import { conditionsOf, type StepCondition } from '#domain/plan/condition.ts';
import { type AskingStep, labelConditions } from '#domain/plan/condition-labels.ts';
import { addedBy, type PatchOperation, type PinnedOperation } from '#domain/plan/patch.ts';
import type { PatchOutcome, PatchStatus } from '#domain/plan/patch-outcome.ts';
import { describeOperations, maxShownOperations, shownIds } from '#domain/plan/patch-words.ts';
import { labelAdded } from '#domain/plan/step-numbers.ts';
import { pagesByCreation } from '../cursor.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';

import { approvals, planPatches } from '../schema.ts';
import { nextNumber, nextPosition, waitingPatch } from '../sql/patch-reads.ts';
import { readLabels, readStepsById } from '../steps/pages.ts';

export type PatchRow = typeof planPatches.$inferSelect;

const { operations: _operations, ...columns } = getTableColumns(planPatches);

const shown = sql<
  PinnedOperation[]
>`jsonb_path_query_array(${planPatches.operations}, ${sql.raw(`'$[0 to ${maxShownOperations - 1}]'`)})`;

type ShownPatchRow = Omit<PatchRow, 'operations'> & { told: PinnedOperation[] };

/** A step to be added gets its future label: no other change adds steps while the patch waits. */
export async function namePatched(
  db: Queryable,
  planId: string,
  operations: PatchOperation[],
): Promise<(id: string) => string> {
  const labels = await readLabels(db, planId, shownIds(operations));
  const added = operations.flatMap((one) => addedBy(one)?.id ?? []);
  if (added.some((id) => !labels.has(id))) {
    const [first, place] = [await nextNumber(db, planId), await nextPosition(db, planId)];
    for (const [nth, id] of added.entries())
      if (!labels.has(id)) labels.set(id, labelAdded(nth, first) ?? `${place + nth}`);
  }
  return (id) => labels.get(id) ?? id;
}

const conditionsIn = (operation: PatchOperation): StepCondition[] =>
  conditionsOf(operation.op === 'update_steps' ? operation.set.when : addedBy(operation)?.when);

export async function labelPatched(
  db: Queryable,
  planId: string,
  operations: PinnedOperation[],
): Promise<PinnedOperation[]> {
  const asked = [...new Set(operations.flatMap(conditionsIn).map(({ step }) => step))];
  if (asked.length === 0) return operations;
  const own = operations.flatMap((operation): AskingStep[] => {
    const added = addedBy(operation);
    if (added !== null) return [{ id: added.id, args: added.args ?? {} }];
    if (operation.op !== 'update_steps') return [];
    const { args } = operation.set;
    return args === undefined ? [] : (operation.steps.ids ?? []).map((id) => ({ id, args }));
  });
  const asking = [...own, ...(await readStepsById(db, planId, asked))];
  const label = <T extends { when?: StepCondition | StepCondition[] | null | undefined }>(
    step: T,
  ): T =>
    step.when == null ? step : { ...step, when: labelConditions(conditionsOf(step.when), asking) };
  return operations.map((operation) => {
    if (operation.op === 'update_steps') return { ...operation, set: label(operation.set) };
    if (operation.op === 'add_step') return { ...operation, step: label(operation.step) };
    return operation.op === 'replace_step' ? { ...operation, by: label(operation.by) } : operation;
  });
}

async function toOutcome(db: Queryable, row: ShownPatchRow): Promise<PatchOutcome> {
  return {
    patch_id: row.id,
    plan_id: row.plan_id,
    status: row.status,
    version: row.version,
    digest: row.digest,
    base_revision: row.base_revision,
    widening: row.widening,
    changes: describeOperations(
      await labelPatched(db, row.plan_id, row.told),
      await namePatched(db, row.plan_id, row.told),
    ),
    added: row.added,
    changed: row.changed,
    removed: row.removed,
    rerun: row.rerun,
    invalidated: row.invalidated,
    reason: row.reason,
    proposed_by: row.proposed_by,
    created_at: row.created_at.toISOString(),
  };
}

const readStored = (operations: PinnedOperation[], whole: boolean): PinnedOperation[] =>
  whole ? operations.map((operation) => ({ ...operation, whole: true })) : operations;

export async function insertPatch(
  tx: Queryable,
  patch: Omit<PatchRow, 'created_at' | 'decided_by' | 'decided_at' | 'whole_arguments'>,
): Promise<void> {
  await tx.insert(planPatches).values({ ...patch, whole_arguments: false });
}

/** @throws Error if it doesn't exist, since its ID comes from our own rows */
export async function readPatchOutcome(db: Queryable, id: string): Promise<PatchOutcome> {
  const [row] = await db
    .select({ ...columns, told: shown })
    .from(planPatches)
    .where(eq(planPatches.id, id));
  if (row === undefined) throw new Error(`readPatchOutcome: no patch ${id}`);
  return toOutcome(db, row);
}

export async function readPatchOperations(
  db: Queryable,
  id: string,
  limit: number,
): Promise<{ operations: PinnedOperation[]; total: number }> {
  const first = sql.raw(`'$[0 to ${limit - 1}]'`);
  const [row] = await db
    .select({
      operations: sql<
        PinnedOperation[]
      >`jsonb_path_query_array(${planPatches.operations}, ${first})`,
      total: sql<number>`jsonb_array_length(${planPatches.operations})`,
    })
    .from(planPatches)
    .where(eq(planPatches.id, id));
  return row ?? { operations: [], total: 0 };
}

export async function findPatch(
  db: Queryable,
  planId: string,
  id: string,
): Promise<Omit<PatchRow, 'operations'> | null> {
  const [row] = await db
    .select(columns)
    .from(planPatches)
    .where(and(eq(planPatches.plan_id, planId), eq(planPatches.id, id)));
  return row ?? null;
}

export async function findWaitingPatch(
  db: Queryable,
  planId: string,
): Promise<Omit<PatchRow, 'operations'> | null> {
  const [row] = await db
    .select(columns)
    .from(planPatches)
    .where(eq(planPatches.id, waitingPatch(sql`${planId}`)));
  return row ?? null;
}

export async function readPatch(db: Queryable, id: string): Promise<PatchRow> {
  const [row] = await db.select().from(planPatches).where(eq(planPatches.id, id));
  if (row === undefined) throw new Error(`readPatch: no patch ${id}`);
  return { ...row, operations: readStored(row.operations, row.whole_arguments) };
}

/** Shown for its own approval. Patches applied at once were never shown and have the plan's digest. */
export async function findShownPatch(
  db: Queryable,
  planId: string,
  digest: string,
): Promise<Omit<PatchRow, 'operations'> | null> {
  const [row] = await db
    .select(columns)
    .from(planPatches)
    .where(
      and(
        eq(planPatches.plan_id, planId),
        eq(planPatches.digest, digest),
        or(eq(planPatches.status, 'needs_approval'), isNotNull(planPatches.decided_at)),
      ),
    )
    .orderBy(desc(planPatches.created_at))
    .limit(1);
  return row ?? null;
}

export async function settlePatch(
  tx: Queryable,
  id: string,
  status: Exclude<PatchStatus, 'needs_approval'>,
  by: string | null,
): Promise<void> {
  await tx
    .update(planPatches)
    .set({ status, decided_by: by, decided_at: sql`clock_timestamp()` })
    .where(and(eq(planPatches.id, id), eq(planPatches.status, 'needs_approval')));
}

/** The next patch may get the same version number. */
export async function forgetApprovals(
  tx: Queryable,
  { plan_id, version }: Pick<PatchRow, 'plan_id' | 'version'>,
): Promise<void> {
  await tx
    .delete(approvals)
    .where(and(eq(approvals.plan_id, plan_id), eq(approvals.version, version)));
}

/** Not by a proposal. Reruns and stale steps alone make a version only if approved. */
export const isPatched = (planId: SQL, version: SQL): SQL => sql`exists (
  select 1 from ${countersign}.plan_patches p where p.plan_id = ${planId} and p.version = ${version}
    and p.status = 'applied' and (p.added + p.changed + p.removed > 0 or p.decided_by is not null))`;

/** The newest version with planning artifacts, of which later ones are patches. */
export const plannedVersion = (planId: SQL, version: SQL): SQL => sql`(
  select max(a.version) from ${countersign}.planning_artifacts a
  where a.plan_id = ${planId} and a.version <= ${version} and not exists (
    select 1 from ${countersign}.plan_versions v
    where v.plan_id = a.plan_id and v.version > a.version and v.version <= ${version}
      and not ${isPatched(sql`v.plan_id`, sql`v.version`)}))`;

export async function wasPatched(db: Queryable, planId: string, version: number): Promise<boolean> {
  const { rows } = await db.execute<{ patched: boolean }>(
    sql`select ${isPatched(sql`${planId}`, sql`${version}`)} as patched`,
  );
  return rows[0]?.patched === true;
}

export async function readAddedOperations(db: Queryable, id: string): Promise<string[]> {
  return db.values(sql`
    select distinct (o ->> 'tool') || '_' || (o ->> 'operation') as name
    from ${countersign}.plan_patches p
    cross join lateral (
      select jsonb_path_query(p.operations, '$[*] ? (@.op == "add_step").step') as o
      union all select jsonb_path_query(p.operations, '$[*] ? (@.op == "replace_step").by')
    ) added
    where p.id = ${id} order by 1`);
}

const pages = pagesByCreation(planPatches, /^\d{1,17} PATCH-[0-9a-f]{8}$/, desc);

export async function listPatches(
  db: Queryable,
  planId: string,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<{ patches: PatchOutcome[]; next_cursor: string | null }> {
  const rows = await db
    .select({ ...columns, told: shown, micros: pages.micros })
    .from(planPatches)
    .where(and(eq(planPatches.plan_id, planId), pages.isBehind(cursor)))
    .orderBy(...pages.order)
    .limit(limit + 1);
  const { page, next_cursor } = pages.cut(rows, limit);
  const patches: PatchOutcome[] = [];
  for (const row of page) patches.push(await toOutcome(db, row));
  return { patches, next_cursor };
}
