// Steps, edges and lanes: inserted with COPY, cleared by a new version.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sql } from 'drizzle-orm';
import { escapeIdentifier } from 'pg';
import { from } from 'pg-copy-streams';
import type { Step } from '#domain/plan/plan.ts';
import type { ReviewRank } from '#domain/plan/review-rank.ts';
import type { StepContent } from '#domain/plan/step-content.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import type { JsonObject } from '#domain/text.ts';
import { connectionOf, type Queryable } from '../database.ts';
import { schemaName } from '../instance.ts';
import { countersign } from '../schema/columns.ts';
import type { planEdges, planLanes } from '../schema.ts';
import { type Field, writeList, writers } from './step-columns.ts';
import { endRows } from './versions.ts';

/** Without the plan's ID. JSON is text. */
export type RowForm<T> = { table: string; fields: Record<string, (one: T) => Field> };

/** Characters per piece. */
const pieceLength = 65_536;

/** In the text format of COPY. */
const special = /[\\\t\n\r]/g;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function writeField(field: Field): string {
  if (field === null) return '\\N';
  if (typeof field !== 'string') return String(field);
  return field.replace(special, (character) => escapes[character] ?? character);
}

async function* writePieces<T>(
  planId: string,
  rows: Iterable<T>,
  { fields }: RowForm<T>,
): AsyncGenerator<string> {
  const begin = writeField(planId);
  const readers = Object.values(fields);
  let piece = '';
  for (const row of rows) {
    piece += begin;
    for (const read of readers) piece += `\t${writeField(read(row))}`;
    piece += '\n';
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
    if (isSliceOver()) await nextTurn();
  }
  if (piece !== '') yield piece;
}

/** Later statements see them. @throws what Postgres reports for a row; the transaction must then roll back */
export async function copyRows<T>(
  tx: Queryable,
  planId: string,
  rows: T[],
  form: RowForm<T>,
): Promise<void> {
  if (rows.length === 0) return;
  const columns = ['plan_id', ...Object.keys(form.fields)].join(', ');
  const copy = from(`copy ${escapeIdentifier(schemaName)}.${form.table} (${columns}) from stdin`);
  connectionOf(tx).query(copy);
  await pipeline(Readable.from(writePieces(planId, rows, form)), copy);
}

export type NewStep = Omit<StepContent, 'after'> &
  Pick<Step, 'position' | 'effect' | 'guarded'> & {
    /** Null if the step is called by its position. */
    label: string | null;
    review_rank: ReviewRank;
    unmet: number;
    dependents: number;
    lane: number;
    seal: string;
  };

type Edge = Omit<typeof planEdges.$inferSelect, 'plan_id'>;

/** The worker's required offer, and pools to reserve from. */
type Lane = Omit<typeof planLanes.$inferSelect, 'plan_id'>;

export const contentRows: RowForm<NewStep> = {
  table: 'plan_steps',
  fields: {
    position: (step) => step.position,
    label: (step) => step.label,
    ...writers,
    effect: (step) => step.effect,
    guarded: (step) => step.guarded,
    review_rank: (step) => step.review_rank,
    seal: (step) => step.seal,
  },
};

export const stateRows: RowForm<NewStep> = {
  table: 'step_states',
  fields: {
    position: (step) => step.position,
    step_id: (step) => step.id,
    partition: (step) => step.partition,
    lane: (step) => step.lane,
    priority: (step) => step.priority,
    dependents: (step) => step.dependents,
    unmet: (step) => step.unmet,
    available_at: (step) => step.not_before,
  },
};

const laneRows: RowForm<Lane> = {
  table: 'plan_lanes',
  fields: {
    lane: (lane) => lane.lane,
    tool: (lane) => lane.tool,
    operation: (lane) => lane.operation,
    capabilities: (lane) => writeList(lane.capabilities),
    pools: (lane) => writeList(lane.pools),
  },
};

const edgeRows: RowForm<Edge> = {
  table: 'plan_edges',
  fields: {
    predecessor: (edge) => edge.predecessor,
    successor: (edge) => edge.successor,
    type: (edge) => edge.type,
    lag_minutes: (edge) => edge.lag_minutes,
  },
};

export type { Edge, Lane };

async function countPartitions(tx: Queryable, planId: string, steps: NewStep[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { partition } of steps) {
    if (partition !== null) counts.set(partition, (counts.get(partition) ?? 0) + 1);
  }
  if (counts.size === 0) return;
  await tx.execute(sql`
    insert into ${countersign}.plan_partitions as p (plan_id, name, pending)
    select ${planId}, name, pending
    from unnest(${sql.param([...counts.keys()])}::text[], ${sql.param([...counts.values()])}::int[]) as s(name, pending)
    on conflict (plan_id, name) do update set pending = p.pending + excluded.pending`);
}

/** Valid from version `since`. The caller updates the plan's counters. */
export async function insertSteps(
  tx: Queryable,
  planId: string,
  since: number,
  steps: NewStep[],
): Promise<void> {
  const fields = { ...contentRows.fields, since: () => since };
  await copyRows(tx, planId, steps, { ...contentRows, fields });
  await countPartitions(tx, planId, steps);
  await copyRows(tx, planId, steps, stateRows);
}

export async function insertLanes(tx: Queryable, planId: string, lanes: Lane[]): Promise<void> {
  await copyRows(tx, planId, lanes, laneRows);
}

export async function readLanes(db: Queryable, planId: string): Promise<Lane[]> {
  return db.rows(sql`
    select lane, tool, operation, capabilities, pools from ${countersign}.plan_lanes
    where plan_id = ${planId} order by lane`);
}

export async function insertEdges(tx: Queryable, planId: string, edges: Edge[]): Promise<void> {
  await copyRows(tx, planId, edges, edgeRows);
}

const analyzeFrom = 5000;

/** Otherwise Postgres takes a new plan for empty. One late statement in one order: analysis locks the tables until commit. */
export async function analyzeMany(
  tx: Queryable,
  inserted: number,
  replaced: boolean,
): Promise<void> {
  if (inserted < analyzeFrom) return;
  await tx.execute(sql`
    analyze ${countersign}.step_states (plan_id, position, lane, status, unmet),
      ${countersign}.plan_steps (plan_id, position, step_id, partition, since),
      ${countersign}.plan_edges (plan_id, predecessor, successor)
      ${replaced ? sql`, ${countersign}.past_steps (plan_id, position, since, until)` : sql``}`);
}

/** Not ended; `s` is `step_states`. */
export const isPresent = sql`s.lane <> 0`;

export async function readOperations(
  db: Queryable,
  planId: string,
): Promise<
  {
    operation: string;
    count: number;
    effect: Step['effect'];
    guarded: boolean;
  }[]
> {
  return db.rows(sql`
    select tool || '_' || operation as operation, count(*)::int as count, min(effect) as effect,
      bool_or(guarded) as guarded
    from ${countersign}.plan_steps where plan_id = ${planId} and until is null
    group by tool, operation order by min(position)`);
}

/** Before those of version `version` replace them. */
export async function clearSteps(tx: Queryable, planId: string, version: number): Promise<void> {
  await endRows(tx, planId, version, 'all');
  for (const table of ['plan_steps', 'step_states', 'plan_edges', 'plan_lanes', 'plan_partitions'])
    await tx.execute(
      sql`delete from ${countersign}.${sql.identifier(table)} where plan_id = ${planId}`,
    );
}

const maxWork = 1000;

/** Succeeded attempts that changed something; `at` to the millisecond. @param without long arguments to omit */
export async function readWorkDone(
  db: Queryable,
  planId: string,
  moment: string | null,
  without: string[],
): Promise<{ id: string; tool: string; args: JsonObject; then: boolean }[]> {
  const then = sql`${moment}::timestamptz between date_trunc('milliseconds', a.started_at) and a.ended_at`;
  return db.rows(sql`
    select c.step_id as id, c.tool, coalesce(s.final_args, c.args) - ${sql.param(without)}::text[] as args,
      coalesce(${then}, false) as then
    from ${countersign}.step_attempts a
    join ${countersign}.plan_steps c on c.plan_id = a.plan_id and c.position = a.position and c.effect <> 'read'
    join ${countersign}.step_states s on s.plan_id = a.plan_id and s.position = a.position
    where a.plan_id = ${planId} and a.status = 'succeeded'
    order by coalesce(${then}, false) desc, a.ended_at desc limit ${maxWork}`);
}

/** Several if an approved change reran the step. */
export async function countSucceeded(
  db: Queryable,
  planId: string,
  position: number,
): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(sql`
    select count(*)::int as n from ${countersign}.step_attempts
    where plan_id = ${planId} and position = ${position} and status = 'succeeded'`);
  return rows[0]?.n ?? 0;
}
