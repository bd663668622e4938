// Steps and edges: stored in bulk, read in pages by position, never as a whole.
import { type SQL, sql } from 'drizzle-orm';
import type { Dependency, Step, StepStatus } from '#contracts/plan.ts';
import { copyRows } from './copy-rows.ts';
import type { Queryable } from './database.ts';
import { isoOf } from './sql/iso.ts';
import {
  contentRows,
  type Edge,
  edgeRows,
  type Lane,
  laneRows,
  type NewStep,
  stateRows,
} from './step-rows.ts';

export type { Edge, Lane, NewStep };

/** Adds pending steps to the counts of their partitions. */
async function countPartitions(tx: Queryable, planId: string, steps: NewStep[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { partition } of steps) {
    if (partition !== null) counts.set(partition, (counts.get(partition) ?? 0) + 1);
  }
  if (counts.size === 0) return;
  await tx.execute(sql`
    insert into countersign.plan_partitions as p (plan_id, name, pending)
    select ${planId}, name, pending
    from unnest(${sql.param([...counts.keys()])}::text[], ${sql.param([...counts.values()])}::int[]) as s(name, pending)
    on conflict (plan_id, name) do update set pending = p.pending + excluded.pending`);
}

/** Stores steps at new positions of a plan. The caller keeps the plan's counters. */
export async function insertSteps(tx: Queryable, planId: string, steps: NewStep[]): Promise<void> {
  await copyRows(tx, planId, steps, contentRows);
  await countPartitions(tx, planId, steps);
  await copyRows(tx, planId, steps, stateRows);
}

export async function insertLanes(tx: Queryable, planId: string, lanes: Lane[]): Promise<void> {
  await copyRows(tx, planId, lanes, laneRows);
}

/** The kinds of steps of a plan, by number. */
export async function readLanes(db: Queryable, planId: string): Promise<Lane[]> {
  const { rows } = await db.execute<Lane>(sql`
    select lane, tool, operation, capabilities, pools from countersign.plan_lanes
    where plan_id = ${planId} order by lane`);
  return rows;
}

export async function insertEdges(tx: Queryable, planId: string, edges: Edge[]): Promise<void> {
  await copyRows(tx, planId, edges, edgeRows);
}

/** From so many rows on Postgres is told at once how they are distributed. */
const analyzeFrom = 5000;

/**
 * After `inserted` steps and edges were stored: where they are many, Postgres is told of them at once and not when it
 * comes round to it. Beside a large plan it knows, it takes one that it does not know for empty, and looks for its rows by
 * whatever index has the plan's id. The tables stay locked against each other's analysis until the transaction ends, so it
 * is one statement, in one order, and late.
 */
export async function analyzeMany(tx: Queryable, inserted: number): Promise<void> {
  if (inserted < analyzeFrom) return;
  await tx.execute(sql`
    analyze countersign.step_states (plan_id, position, lane, status, unmet),
      countersign.plan_steps (plan_id, position, step_id, partition),
      countersign.plan_edges (plan_id, predecessor, successor)`);
}

type StepRow = Omit<Step, 'id' | 'after'> & { step_id: string };

const columns = sql.join(
  [
    ...[
      's.position s.step_id c.description c.tool c.operation c.target c.args c.priority c.partition c.tags c.resources',
      'c.capabilities c.notes c.duration_minutes c.effect c.guarded s.status s.attempt s.tries s.result_summary s.error',
      's.output s.question',
    ]
      .join(' ')
      .split(' ')
      .map((column) => sql.raw(column)),
    ...['c.not_before', 's.available_at', 's.started_at', 's.ended_at'].map(
      (column) =>
        sql`${isoOf(column, 'milliseconds')} as ${sql.identifier(column.split('.')[1] ?? column)}`,
    ),
  ],
  sql`, `,
);

const after = sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', p.step_id, 'type', e.type, 'lag_minutes', e.lag_minutes)
    order by e.predecessor, e.type), '[]')
  from countersign.plan_edges e
  join countersign.plan_steps p on p.plan_id = e.plan_id and p.position = e.predecessor
  where e.plan_id = s.plan_id and e.successor = s.position) as after`;

/** What each of the steps at `positions` waits for, by predecessor's position, then type; no entry: nothing. */
async function readAfter(
  db: Queryable,
  planId: string,
  positions: number[],
): Promise<Map<number, Dependency[]>> {
  const found = new Map<number, Dependency[]>();
  const { rows } = await db.execute<Dependency & { successor: number }>(sql`
    select e.successor, p.id, e.type, e.lag_minutes
    from countersign.plan_edges e cross join lateral (
      select step_id as id from countersign.step_states p where p.plan_id = ${planId} and p.position = e.predecessor offset 0
    ) p
    where e.plan_id = ${planId} and e.successor = any(${sql.param(positions)}::int[])
    order by e.successor, e.predecessor, e.type`);
  for (const { successor, ...dependency } of rows) {
    const known = found.get(successor);
    if (known === undefined) found.set(successor, [dependency]);
    else known.push(dependency);
  }
  return found;
}

/**
 * Reads the steps that `chosen` selects out of `step_states`, a bounded number of them. Their contents are looked up one by
 * one, by position and by name, so that either index leads to one row, and the edges of all of them at once: what
 * Postgres does then is right for a plan it has no statistics of.
 */
async function selectSteps(
  db: Queryable,
  planId: string,
  chosen: SQL,
  order: SQL = byPosition,
): Promise<Step[]> {
  const { rows } = await db.execute<StepRow>(sql`
    select ${columns}
    from (${chosen}) s cross join lateral (
      select * from countersign.plan_steps c
      where c.plan_id = ${planId} and c.position = s.position and c.step_id = s.step_id offset 0
    ) c
    order by ${order}`);
  if (rows.length === 0) return [];
  const after = await readAfter(
    db,
    planId,
    rows.map(({ position }) => position),
  );
  return rows.map(({ step_id, ...row }) => ({
    ...row,
    id: step_id,
    after: after.get(row.position) ?? [],
  }));
}

const byPosition = sql`s.position`;

export type StepConditions = {
  status?: StepStatus[];
  partition?: string;
  tag?: string;
  /** Only steps of the present version, without those that a patch removed. */
  present?: true;
};

/** Steps that a patch removed from an approved plan are kept outside every lane; `s` is `step_states`. */
const isPresent = sql`s.lane <> 0`;

/** Up to `limit` steps after position `after`, in the order of positions. */
export function readSteps(
  db: Queryable,
  planId: string,
  conditions: StepConditions,
  after: number,
  limit: number,
): Promise<Step[]> {
  const { status, partition, tag, present } = conditions;
  const ofStates = [sql`s.plan_id = ${planId}`];
  if (status !== undefined) ofStates.push(sql`s.status = any(${sql.param(status)}::text[])`);
  if (present === true) ofStates.push(isPresent);
  const ofContents: SQL[] = [];
  if (partition !== undefined) ofContents.push(sql`c.partition = ${partition}`);
  if (tag !== undefined) ofContents.push(sql`c.tags @> array[${tag}]::text[] and c.tags <> '{}'`);
  const isAll = (parts: SQL[]) => sql.join(parts, sql` and `);
  const chosen =
    ofContents.length === 0
      ? sql`select * from countersign.step_states s where ${isAll(ofStates)} and s.position > ${after}
          order by s.position limit ${limit}`
      : sql`select s.* from countersign.plan_steps c join countersign.step_states s on s.position = c.position
          where c.plan_id = ${planId} and ${isAll([...ofContents, ...ofStates])} and c.position > ${after}
          order by c.position limit ${limit}`;
  return selectSteps(db, planId, chosen);
}

/** The steps with these ids, in the order of positions. */
export function readStepsById(db: Queryable, planId: string, ids: string[]): Promise<Step[]> {
  return selectSteps(
    db,
    planId,
    sql`select s.* from countersign.plan_steps c join countersign.step_states s on s.position = c.position
      where s.plan_id = ${planId} and c.plan_id = ${planId} and c.step_id = any(${sql.param(ids)}::text[])`,
  );
}

/** The ready steps that come next, in the order in which they will be claimed. */
export function readNextSteps(db: Queryable, planId: string, limit: number): Promise<Step[]> {
  const order = sql`s.priority desc, s.dependents desc, s.available_at, s.position`;
  return selectSteps(
    db,
    planId,
    sql`select * from countersign.step_states s where s.plan_id = ${planId} and s.status = 'ready'
      order by ${order} limit ${limit}`,
    order,
  );
}

/** Every step of the present version in the order of positions, a page at a time. */
export async function* iterateSteps(
  db: Queryable,
  planId: string,
  pageSize = 1000,
): AsyncGenerator<Step> {
  for (let last = 0; ; ) {
    const page = await readSteps(db, planId, { present: true }, last, pageSize);
    yield* page;
    const end = page.at(-1);
    if (end === undefined || page.length < pageSize) return;
    last = end.position;
  }
}

/** How often the plan uses each operation, with up to 3 targets of each, in the order of the steps. */
export async function readOperations(
  db: Queryable,
  planId: string,
): Promise<
  {
    operation: string;
    count: number;
    effect: Step['effect'];
    guarded: boolean;
    targets: string[];
  }[]
> {
  const { rows } = await db.execute<{
    operation: string;
    count: number;
    effect: Step['effect'];
    guarded: boolean;
    targets: string[] | null;
  }>(sql`
    select tool || '_' || operation as operation, count(*)::int as count, min(effect) as effect,
      bool_or(guarded) as guarded, (array_agg(distinct target) filter (where target is not null))[1:3] as targets
    from countersign.plan_steps c where plan_id = ${planId} and not exists (
      select 1 from countersign.step_states s where s.plan_id = c.plan_id and s.position = c.position
        and s.status = 'cancelled' and not (${isPresent}))
    group by tool, operation order by min(position)`);
  return rows.map((row) => ({ ...row, targets: row.targets ?? [] }));
}

/** Moves the steps of the current version aside, so that the next one can take their place. */
export async function archiveSteps(tx: Queryable, planId: string, version: number): Promise<void> {
  await tx.execute(sql`
    insert into countersign.plan_version_steps (plan_id, version, position, step_id, content)
    select s.plan_id, ${version}, s.position, s.step_id, jsonb_build_object(
      'id', s.step_id, 'description', s.description, 'tool', s.tool, 'operation', s.operation, 'target', s.target,
      'args', s.args, 'priority', s.priority, 'partition', s.partition, 'tags', to_jsonb(s.tags), 'resources', s.resources,
      'capabilities', to_jsonb(s.capabilities), 'notes', s.notes, 'duration_minutes', s.duration_minutes,
      'not_before', s.not_before, 'after', x.after)
    from countersign.plan_steps s cross join lateral (select ${after}) x where s.plan_id = ${planId}`);
  for (const table of ['plan_steps', 'step_states', 'plan_edges', 'plan_lanes']) {
    await tx.execute(
      sql`delete from ${sql.identifier('countersign')}.${sql.identifier(table)} where plan_id = ${planId}`,
    );
  }
  await tx.execute(sql`delete from countersign.plan_partitions where plan_id = ${planId}`);
}
