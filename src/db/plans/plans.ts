// The plan record, without its steps.
import { and, asc, desc, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import type { Plan, PlanStatus, PlanSummary } from '#domain/plan/plan.ts';
import type { PlanListFilter } from '#domain/service.ts';
import { pagesByCreation } from '../cursor.ts';
import { allowForSteps, prepareStatement, type Queryable, type Transaction } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { planPartitions, planPatches, plans, planVersions, runs } from '../schema.ts';
import { waitingPatch } from '../sql/patch-reads.ts';
import { countsOf } from '../steps/accounting.ts';
import { isoOf } from '../time.ts';
import { openFindingsOf } from './findings.ts';
import { readPatchOutcome } from './patches.ts';
import { explainMissingPlan } from './rows.ts';
import { firstWithin, type Within } from './within.ts';

export type PlanRow = Omit<typeof plans.$inferSelect, 'pending_patch'>;

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

const {
  operation_digests: _digests,
  rejection_history: _history,
  pools: _pools,
  traceparent: _traceparent,
  pending_patch: _pending,
  ...summaryColumns
} = getTableColumns(plans);
type SummaryRow = Pick<PlanRow, keyof typeof summaryColumns>;

function toSummary(row: SummaryRow, summary: string | null): PlanSummary {
  return {
    id: row.id,
    title: row.title,
    summary,
    status: row.status,
    version: row.version,
    digest: row.digest,
    revision: row.revision,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    requester: row.requester,
    approver_policy: row.approver_policy,
    conversation: row.conversation,
    planner_model: row.planner_model,
    ...(row.agent === null ? {} : { agent: row.agent }),
    executor_model: row.executor_model,
    tools_required: row.tools_required,
    guarded_operations: row.guarded_operations,
    execution_started_at: iso(row.execution_started_at),
    execution_ended_at: iso(row.execution_ended_at),
    result_summary: row.result_summary,
    pattern_type: row.pattern_type,
    pattern_subtype: row.pattern_subtype,
    pattern_variant: row.pattern_variant,
    decided_by: row.decided_by,
    decided_at: iso(row.decided_at),
    paused: row.paused_at !== null,
    revising: row.revising,
    step_approval: row.confirm_each ? 'each' : 'none',
    open_until: iso(row.open_until),
    confidence: row.confidence,
    cost_usd: row.cost_usd,
    total_steps: row.total,
    counts: countsOf(row),
  };
}

/** @throws `plan_not_found` */
export async function readPlan(db: Queryable, id: string): Promise<Plan> {
  const [row] = await db
    .select({
      plan: plans,
      version: planVersions,
      findings: openFindingsOf(sql`${plans.id}`),
      patch: waitingPatch(sql`${plans.id}`),
    })
    .from(plans)
    .innerJoin(
      planVersions,
      and(eq(planVersions.plan_id, plans.id), eq(planVersions.version, plans.version)),
    )
    .where(eq(plans.id, id));
  if (row === undefined) throw await explainMissingPlan(db, id);
  return {
    ...toSummary(row.plan, row.version.summary),
    card_refs: [],
    context: row.version.context,
    risks: row.version.risks,
    series: row.version.series,
    rejection_history: row.plan.rejection_history,
    pending_patch: row.patch === null ? null : await readPatchOutcome(db, row.patch),
    findings_open: row.findings,
    approvals: await readApprovals(db, id, row.plan.version),
  };
}

const columnsOfPlan = sql.join(Object.values(getTableColumns(plans)), sql`, `);
const rowOf = sql`select ${columnsOfPlan} from ${plans}
  where ${plans.id} = ${sql.placeholder('id')}`;

const read = prepareStatement('read_plan', rowOf);
const lock = prepareStatement('lock_plan', sql`${rowOf} for no key update`);

export async function readPlanCause(db: Queryable, id: string): Promise<string | null> {
  const [row] = await db.select({ cause: plans.traceparent }).from(plans).where(eq(plans.id, id));
  return row?.cause ?? null;
}

/** @throws `plan_not_found` */
export async function readPlanRow(db: Queryable, id: string): Promise<PlanRow> {
  const [row] = await db.run<PlanRow>(read, { id });
  if (row === undefined) throw await explainMissingPlan(db, id);
  return row;
}

/** When stored, or when its run began, whichever is earlier. */
export async function readAskedAt(db: Queryable, ids: string[]): Promise<Map<string, Date>> {
  const rows = await db
    .select({ id: plans.id, made: plans.created_at, begun: runs.created_at })
    .from(plans)
    .leftJoin(runs, eq(runs.id, plans.run_id))
    .where(inArray(plans.id, ids));
  return new Map(
    rows.map(({ id, made, begun }) => {
      const madeAt = new Date(made);
      const begunAt = begun === null ? madeAt : new Date(begun);
      return [id, begunAt < madeAt ? begunAt : madeAt];
    }),
  );
}

/** Every change takes this lock first, against deadlocks. The statement timeout grows with the plan. @throws `plan_not_found` */
export async function lockPlan(tx: Transaction, id: string): Promise<PlanRow> {
  const [row] = await tx.run<PlanRow>(lock, { id });
  if (row === undefined) throw await explainMissingPlan(tx, id);
  await allowForSteps(tx, row.total);
  return row;
}

const pages = pagesByCreation(plans, /^\d{1,17} PLAN-[0-9a-f]{8}$/, desc);

/** Newest first. @param filter.requesters all names of the requester */
export async function listPlans(
  db: Queryable,
  filter: Omit<PlanListFilter, 'user' | 'within'> & {
    requesters?: string[];
    within?: Within;
  },
): Promise<{ plans: PlanSummary[]; next_cursor: string | null }> {
  const wanted = and(
    filter.status === undefined ? undefined : inArray(plans.status, filter.status),
    filter.requesters === undefined ? undefined : inArray(plans.requester, filter.requesters),
    filter.conversation === undefined ? undefined : eq(plans.conversation, filter.conversation),
    pages.isBehind(filter.cursor),
  );
  const rows = await db
    .select({ plan: plans, summary: planVersions.summary, id: plans.id, micros: pages.micros })
    .from(plans)
    .innerJoin(
      planVersions,
      and(eq(planVersions.plan_id, plans.id), eq(planVersions.version, plans.version)),
    )
    .where(
      filter.within === undefined
        ? wanted
        : sql`${plans.id} in ${firstWithin(filter.within, wanted, filter.limit + 1)}`,
    )
    .orderBy(...pages.order)
    .limit(filter.limit + 1);
  const { page, next_cursor } = pages.cut(rows, filter.limit);
  return { plans: page.map(({ plan, summary }) => toSummary(plan, summary)), next_cursor };
}

/** Prepared: lists of a hundred plans are read often. */
const summaries = prepareStatement(
  'read_summaries',
  sql`select ${sql.join(Object.values(summaryColumns), sql`, `)}, v.summary from ${plans}
    join ${planVersions} v on v.plan_id = ${plans.id} and v.version = ${plans.version}
    where ${plans.id} = any(${sql.placeholder('ids')}::text[])`,
);

export async function readSummaries(db: Queryable, ids: string[]): Promise<PlanSummary[]> {
  if (ids.length === 0) return [];
  const rows = await db.run<SummaryRow & { summary: string | null }>(summaries, { ids });
  const byId = new Map(rows.map((row) => [row.id, toSummary(row, row.summary)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export function readPlansOf(
  db: Queryable,
  conversation: string,
  statuses: PlanStatus[],
): Promise<PlanRow[]> {
  return db
    .select()
    .from(plans)
    .where(and(eq(plans.conversation, conversation), inArray(plans.status, statuses)))
    .orderBy(desc(plans.created_at), desc(plans.id))
    .limit(5);
}

/** At most 5, with the version and digest of the waiting change. */
export async function readChangesOf(db: Queryable, conversation: string): Promise<PlanRow[]> {
  const rows = await db
    .select({ plan: plans, version: planPatches.version, digest: planPatches.digest })
    .from(plans)
    .innerJoin(planPatches, eq(planPatches.id, waitingPatch(sql`${plans.id}`)))
    .where(eq(plans.conversation, conversation))
    .orderBy(desc(planPatches.created_at))
    .limit(5);
  return rows.map(({ plan, version, digest }) => ({ ...plan, version, digest }));
}

export async function readPartitions(db: Queryable, planId: string, limit: number) {
  const rows = await db
    .select()
    .from(planPartitions)
    .where(eq(planPartitions.plan_id, planId))
    .orderBy(asc(planPartitions.name))
    .limit(limit);
  return rows.map((row) => ({ name: row.name, counts: countsOf(row) }));
}

export async function readApprovals(
  db: Queryable,
  planId: string,
  version: number,
): Promise<{ by: string; at: string }[]> {
  return db.rows(sql`
    select coalesce(i.person, a.approver) as by, ${isoOf('min(a.at)', 'milliseconds')} as at
    from ${countersign}.approvals a left join ${countersign}.identities i on i.account = a.approver
    where a.plan_id = ${planId} and a.version = ${version}
    group by 1 order by min(a.at), 1`);
}

/** Up to this one: changes that narrow need no approval. */
export async function readApprovedVersion(
  db: Queryable,
  { id, version }: { id: string; version: number },
): Promise<number> {
  const { rows } = await db.execute<{ version: number | null }>(sql`
    select max(version) as version from ${countersign}.approvals
    where plan_id = ${id} and version <= ${version}`);
  return rows[0]?.version ?? version;
}

export async function readGivenWithRole(
  db: Queryable,
  versions: { id: string; version: number }[],
): Promise<Map<string, Set<string>>> {
  if (versions.length === 0) return new Map();
  return readBy(db, versions, sql`a.role is not null`);
}

/** By plan. Typed names are not verified. */
export async function readVerified(
  db: Queryable,
  versions: { id: string; version: number }[],
): Promise<Map<string, Set<string>>> {
  if (versions.length === 0) return new Map();
  return readBy(db, versions, sql`a.verified`);
}

async function readBy(
  db: Queryable,
  versions: { id: string; version: number }[],
  given: SQL,
): Promise<Map<string, Set<string>>> {
  const asked = JSON.stringify(versions.map(({ id, version }) => ({ id, version })));
  const { rows } = await db.execute<{ plan_id: string; by: string }>(sql`
    select distinct a.plan_id, coalesce(i.person, a.approver) as by
    from jsonb_to_recordset(${asked}::jsonb) as v(id text, version int)
    join ${countersign}.approvals a on a.plan_id = v.id and a.version = v.version and ${given}
    left join ${countersign}.identities i on i.account = a.approver`);
  const byPlan = Map.groupBy(rows, ({ plan_id }) => plan_id);
  return new Map([...byPlan].map(([plan, all]) => [plan, new Set(all.map(({ by }) => by))]));
}
