// Outline, roadmap and schedule of a plan version.
import { and, asc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { PlanningArtifacts, PlanningNote } from '#domain/planning/artifacts.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { Schedule } from '#domain/planning/schedule.ts';
import type { Queryable } from '../database.ts';
import { plannedVersion } from '../plans/patches.ts';
import { countersign } from '../schema/columns.ts';
import type { RoadmapHead, ScheduleHead } from '../schema/planning.ts';
import {
  nodeSteps,
  outlineNodes,
  planningArtifacts,
  roadmapEdges,
  roadmapOptions,
  scheduleBlocks,
} from '../schema.ts';

export type Artifacts = {
  outline: PlanOutline | null;
  roadmap: Roadmap | null;
  schedule: Schedule | null;
  notes: PlanningNote[];
};

const analyzeFrom = 500;

type Key = { planId: string; version: number };

async function insertRows(
  tx: Queryable,
  table: PgTable,
  { planId, version }: Key,
  rows: object[],
): Promise<void> {
  if (rows.length === 0) return;
  const { plan_id: _plan, version: _version, ...own } = getTableColumns(table);
  const columns = Object.values(own);
  const names = sql.raw(columns.map(({ name }) => name).join(', '));
  const types = sql.raw(columns.map((one) => `${one.name} ${one.getSQLType()}`).join(', '));
  await tx.execute(sql`
    insert into ${table} (plan_id, version, ${names})
    select ${planId}, ${version}, ${names} from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(${types})`);
}

/** Includes occurrences of repeating steps. */
async function linkSteps(tx: Queryable, { planId, version }: Key, nodes: OutlineNode[]) {
  const pairsOf = (chosen: OutlineNode[]) =>
    chosen.flatMap(({ id, steps }) =>
      steps.flatMap((step) => (step.id === undefined ? [] : [{ node_id: id, step_id: step.id }])),
    );
  const pairs = pairsOf(nodes);
  if (pairs.length === 0) return;
  if (pairs.length >= analyzeFrom) {
    // Foreign key checks use the wrong index while statistics say the tables are empty.
    await tx.execute(sql`analyze ${countersign}.outline_nodes`);
    await tx.execute(sql`analyze ${countersign}.plan_steps`);
  }
  await tx.execute(sql`
    insert into ${countersign}.node_steps (plan_id, version, node_id, step_id)
    select ${planId}::text, ${version}::int, p.node_id, c.step_id
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as p(node_id text, step_id text)
    cross join lateral (
      select step_id from ${countersign}.plan_steps
      where plan_id = ${planId} and step_id = p.step_id offset 0) c`);
  const again = pairsOf(nodes.filter(({ recurs }) => recurs !== null));
  if (again.length === 0) return;
  await tx.execute(sql`
    insert into ${countersign}.node_steps (plan_id, version, node_id, step_id)
    select ${planId}::text, ${version}::int, pairs.nodes ->> split_part(c.step_id, '#', 1), c.step_id
    from (select ${JSON.stringify(Object.fromEntries(again.map(({ node_id, step_id }) => [step_id, node_id])))}::jsonb as nodes) pairs
    join ${countersign}.plan_steps c on c.plan_id = ${planId} and c.step_id like '%#%'
    where pairs.nodes ? split_part(c.step_id, '#', 1)
    on conflict do nothing`);
}

/** Steps were stored in the same transaction. Skips edges and blocks of unknown nodes. */
export async function storeArtifacts(
  tx: Queryable,
  planId: string,
  version: number,
  { outline, roadmap, schedule, notes }: Artifacts,
): Promise<void> {
  if (outline === null && roadmap === null && schedule === null) return;
  const key = { planId, version };
  const { nodes = [], ...outlineHead } = outline ?? {};
  const { edges = [], options_tried = [], reason = null, ...roadmapHead } = roadmap ?? {};
  const { blocks = [], ...scheduleHead } = schedule ?? {};
  await insertRows(tx, planningArtifacts, key, [
    {
      notes,
      ...(outline === null ? {} : { outline: outlineHead }),
      ...(roadmap === null ? {} : { roadmap: roadmapHead }),
      ...(schedule === null ? {} : { schedule: scheduleHead }),
    },
  ]);
  const known = new Set(nodes.map(({ id }) => id));
  const nodeRows = nodes.map((node, index) => ({
    ...node,
    node_id: node.id,
    position: index + 1,
    parent_id: node.parent !== null && known.has(node.parent) ? node.parent : null,
    content: node,
  }));
  await insertRows(tx, outlineNodes, key, nodeRows);
  await linkSteps(tx, key, nodes);
  const edgeRows = edges
    .filter(({ from, to }) => known.has(from) && known.has(to))
    .map(({ from, to, ...edge }) => ({ ...edge, from_node: from, to_node: to }));
  await insertRows(tx, roadmapEdges, key, edgeRows);
  const optionRows = options_tried.map((option, index) => {
    const chosen = option.name === roadmap?.chosen;
    return { ...option, position: index + 1, chosen, reason: chosen ? reason : null };
  });
  await insertRows(tx, roadmapOptions, key, optionRows);
  const blockRows = blocks
    .filter(({ node }) => known.has(node))
    .map(({ node, ...block }) => ({ ...block, node_id: node }));
  await insertRows(tx, scheduleBlocks, key, blockRows);
}

/** From a change of this version to nodes of earlier ones. */
export async function linkOccurrences(
  tx: Queryable,
  { id, version }: { id: string; version: number },
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(sql`
    insert into ${countersign}.node_steps (plan_id, version, node_id, step_id)
    select distinct n.plan_id, n.version, n.node_id, c.step_id
    from ${countersign}.plan_steps c
    join ${countersign}.node_steps n
      on n.plan_id = c.plan_id and split_part(n.step_id, '#', 1) = split_part(c.step_id, '#', 1)
    where c.plan_id = ${id} and c.step_id = any(${sql.param(ids)}::text[])
      and n.version = ${plannedVersion(sql`${id}::text`, sql`${version}::int`)}
    on conflict do nothing`);
}

type VersionTable = PgTable & { plan_id: PgColumn; version: PgColumn };

const isOf = ({ plan_id, version }: VersionTable, planId: string, of: number | SQL) =>
  and(eq(plan_id, planId), eq(version, of));

const plannedAt = (planId: string, version: number) =>
  plannedVersion(sql`${planId}::text`, sql`${version}::int`);

async function readHead(db: Queryable, planId: string, version: number) {
  const [head = null] = await db
    .select()
    .from(planningArtifacts)
    .where(isOf(planningArtifacts, planId, plannedAt(planId, version)));
  return head;
}

async function readNodeSteps(db: Queryable, { planId, version }: Key) {
  const rows = await db
    .select({ node: nodeSteps.node_id, step: nodeSteps.step_id })
    .from(nodeSteps)
    .where(isOf(nodeSteps, planId, version))
    .orderBy(asc(nodeSteps.node_id), asc(nodeSteps.step_id));
  const byNode = Map.groupBy(rows, ({ node }) => node);
  return Object.fromEntries([...byNode].map(([node, own]) => [node, own.map(({ step }) => step)]));
}

async function readOptions(db: Queryable, planId: string, version: number | SQL) {
  const options = await db
    .select()
    .from(roadmapOptions)
    .where(isOf(roadmapOptions, planId, version))
    .orderBy(asc(roadmapOptions.position));
  const taken = options.find(({ chosen }) => chosen);
  return {
    options_tried: options.map(({ name, differs, metrics, score }) => {
      return { name, differs, metrics, score };
    }),
    chosen: taken?.name ?? null,
    reason: taken?.reason ?? '',
  };
}

async function readRoadmap(
  db: Queryable,
  { planId, version }: Key,
  head: RoadmapHead,
): Promise<Roadmap> {
  const edges = await db
    .select()
    .from(roadmapEdges)
    .where(isOf(roadmapEdges, planId, version))
    .orderBy(asc(roadmapEdges.from_node), asc(roadmapEdges.to_node), asc(roadmapEdges.type));
  const { options_tried, reason } = await readOptions(db, planId, version);
  return {
    ...head,
    edges: edges.map(({ from_node: from, to_node: to, type, lag_minutes, why }) => {
      return { from, to, type, lag_minutes, why };
    }),
    ...{ options_tried, reason },
  };
}

async function readSchedule(
  db: Queryable,
  { planId, version }: Key,
  head: ScheduleHead,
): Promise<Schedule> {
  const blocks = await db
    .select()
    .from(scheduleBlocks)
    .where(isOf(scheduleBlocks, planId, version))
    .orderBy(asc(scheduleBlocks.starts_at), asc(scheduleBlocks.node_id));
  return {
    ...head,
    blocks: blocks.map(({ node_id, starts_at, ends_at, fixed, holds, person }) => ({
      node: node_id,
      starts_at: starts_at.toISOString(),
      ends_at: ends_at.toISOString(),
      fixed,
      person,
      holds,
    })),
  };
}

export async function readArtifacts(
  db: Queryable,
  planId: string,
  version: number,
): Promise<PlanningArtifacts> {
  const head = await readHead(db, planId, version);
  if (head === null)
    return {
      ...{ version: null, outline: null, roadmap: null, schedule: null },
      ...{ node_steps: {}, notes: [] },
    };
  const key = { planId, version: head.version };
  const nodes = await db
    .select({ content: outlineNodes.content })
    .from(outlineNodes)
    .where(isOf(outlineNodes, planId, head.version))
    .orderBy(asc(outlineNodes.position));
  const { outline, roadmap, schedule, notes } = head;
  return {
    version: head.version,
    outline: outline === null ? null : { ...outline, nodes: nodes.map(({ content }) => content) },
    roadmap: roadmap === null ? null : await readRoadmap(db, key, roadmap),
    schedule: schedule === null ? null : await readSchedule(db, key, schedule),
    node_steps: await readNodeSteps(db, key),
    notes,
  };
}

/** By ID. @param after the last of the previous page */
export async function findScheduledPlans(
  db: Queryable,
  limit: number,
  after: string,
): Promise<string[]> {
  return db.values(sql`
    select p.id from ${countersign}.plans p
    where p.ended_as is null and p.status = 'executing' and p.id > ${after}
      and exists (select 1 from ${countersign}.schedule_blocks b where b.plan_id = p.id)
    order by p.id limit ${limit}`);
}

export async function readScheduleHead(
  db: Queryable,
  planId: string,
  version: number,
): Promise<ScheduleHead | null> {
  return (await readHead(db, planId, version))?.schedule ?? null;
}

const blocksOfSteps = sql`${countersign}.schedule_blocks b
    join ${countersign}.outline_nodes n using (plan_id, version, node_id)
    join ${countersign}.node_steps s using (plan_id, version, node_id)`;

/** ISO 8601 in UTC. */
export type ScheduledStep = {
  step_id: string;
  starts_at: string;
  ends_at: string;
  deadline: string | null;
};

/** Without recurring nodes, since only their first block is stored. @param ids only these steps */
export async function readScheduledSteps(
  db: Queryable,
  planId: string,
  version: number,
  ids: string[] | null = null,
): Promise<ScheduledStep[]> {
  const rows = await db.rows<{
    step_id: string;
    starts_ms: number;
    ends_ms: number;
    deadline: string | null;
  }>(sql`
    select s.step_id, min(n.content ->> 'deadline') as deadline, extract(epoch from min(b.starts_at))::float8 * 1000 as starts_ms,
      extract(epoch from max(b.ends_at))::float8 * 1000 as ends_ms
    from ${blocksOfSteps}
    where b.plan_id = ${planId} and b.version = ${plannedAt(planId, version)} and n.content ->> 'recurs' is null
      and (${sql.param(ids)}::text[] is null or s.step_id = any(${sql.param(ids)}::text[]))
    group by s.step_id`);
  return rows.map(({ step_id, starts_ms, ends_ms, deadline }) => ({
    step_id,
    starts_at: new Date(starts_ms).toISOString(),
    ends_at: new Date(ends_ms).toISOString(),
    deadline: deadline === null ? null : new Date(deadline).toISOString(),
  }));
}

/** In minutes since 1970. */
export async function readScheduledPositions(
  db: Queryable,
  planId: string,
  version: number,
): Promise<{ position: number; starts: number; ends: number; fixed: boolean }[]> {
  return db.rows(sql`
    select c.position, extract(epoch from min(b.starts_at))::float8 / 60 as starts,
      extract(epoch from max(b.ends_at))::float8 / 60 as ends, bool_or(b.fixed) as fixed
    from ${blocksOfSteps}
    join ${countersign}.plan_steps c on c.plan_id = s.plan_id and c.step_id = s.step_id
    where b.plan_id = ${planId} and b.version = ${plannedAt(planId, version)} and n.content ->> 'recurs' is null
    group by c.position`);
}

export async function readRoadmapChoice(
  db: Queryable,
  planId: string,
  version: number,
): Promise<Pick<Roadmap, 'options_tried' | 'chosen' | 'reason'> | null> {
  const { chosen, ...rest } = await readOptions(db, planId, plannedAt(planId, version));
  return chosen === null ? null : { ...rest, chosen };
}

export async function readNotes(
  db: Queryable,
  planId: string,
  version: number,
): Promise<PlanningNote[]> {
  return (await readHead(db, planId, version))?.notes ?? [];
}
