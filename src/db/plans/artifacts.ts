// Artifacts, and outputs of steps: inline up to a limit, otherwise artifacts.
import { createHash } from 'node:crypto';
import { and, asc, eq, getTableColumns, inArray, isNull, like, or, sql } from 'drizzle-orm';
import type { Random } from '#domain/clock.ts';
import { parseExactly } from '#domain/exact-json.ts';
import type { ArtifactContent, ArtifactPage } from '#domain/plan/artifact.ts';
import { isObject, type Json, JsonValue, makeStorableText } from '#domain/text.ts';
import { pagesByCreation } from '../cursor.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { artifacts } from '../schema.ts';

export function drawArtifactId(random: Random): string {
  return `art-${random.hex(8)}`;
}

export async function storeArtifact(
  tx: Queryable,
  artifact: {
    id: string;
    /** Null while the run that fetched it has no plan. */
    planId: string | null;
    runId?: string;
    stepId: string | null;
    name: string;
    mediaType: string;
    content: Buffer;
  },
): Promise<void> {
  const row = {
    id: artifact.id,
    plan_id: artifact.planId,
    run_id: artifact.runId ?? null,
    step_id: artifact.stepId,
    name: artifact.name,
    media_type: artifact.mediaType,
    size: artifact.content.length,
    sha256: createHash('sha256').update(artifact.content).digest('hex'),
    content: artifact.content,
  };
  await tx.insert(artifacts).values(row).onConflictDoNothing({ target: artifacts.id });
}

export function readContent({ media_type, content }: ArtifactContent): Json {
  const text = makeStorableText(Buffer.from(content).toString('utf8'));
  return media_type === 'application/json' ? JsonValue.parse(parseExactly(text)) : text;
}

export async function loadArtifacts(
  db: Queryable,
  planId: string,
  ids: string[],
): Promise<Map<string, ArtifactContent>> {
  if (ids.length === 0) return new Map();
  const { id, name, media_type, content } = artifacts;
  const rows = await db
    .select({ id, name, media_type, content })
    .from(artifacts)
    .where(and(inArray(artifacts.id, ids), eq(artifacts.plan_id, planId)));
  return new Map(rows.map((row) => [row.id, row]));
}

export async function findArtifacts(
  db: Queryable,
  { planId, runId }: { planId: string | null; runId: string | null },
  ids: string[],
): Promise<Set<string>> {
  const own = [
    ...(planId === null ? [] : [eq(artifacts.plan_id, planId)]),
    ...(runId === null ? [] : [and(isNull(artifacts.plan_id), eq(artifacts.run_id, runId))]),
  ];
  if (ids.length === 0 || own.length === 0) return new Set();
  const rows = await db
    .select({ id: artifacts.id })
    .from(artifacts)
    .where(and(inArray(artifacts.id, ids), or(...own)));
  return new Set(rows.map(({ id }) => id));
}

export async function loadRunArtifact(
  db: Queryable,
  runId: string,
  artifactId: string,
): Promise<Json | null> {
  const { id, name, media_type, content, run_id } = artifacts;
  const [row] = await db
    .select({ name, media_type, content })
    .from(artifacts)
    .where(and(eq(id, artifactId), eq(run_id, runId)));
  return row === undefined ? null : readContent(row);
}

const pages = pagesByCreation(artifacts, /^\d{1,17} [\w-]{1,80}$/, asc);

export async function listArtifacts(
  db: Queryable,
  planId: string,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<ArtifactPage> {
  const {
    content: _content,
    plan_id: _plan,
    run_id: _run,
    ...columns
  } = getTableColumns(artifacts);
  const rows = await db
    .select({ ...columns, micros: pages.micros })
    .from(artifacts)
    .where(and(eq(artifacts.plan_id, planId), pages.isBehind(cursor)))
    .orderBy(...pages.order)
    .limit(limit + 1);
  const { page, next_cursor } = pages.cut(rows, limit);
  return {
    artifacts: page.map(({ micros: _, created_at, ...row }) => ({
      ...row,
      created_at: new Date(created_at).toISOString(),
    })),
    next_cursor,
  };
}

export const inlineOutputBytes = 64 * 1024;

/** By step ID, with artifacts fetched. */
export async function readOutputs(
  db: Queryable,
  planId: string,
  stepIds: string[],
): Promise<Map<string, Json>> {
  const outputs = new Map<string, Json>();
  if (stepIds.length === 0) return outputs;
  const { rows } = await db.execute<{ step_id: string; output: Json }>(sql`
    select s.step_id, s.output from ${countersign}.plan_steps c
    join ${countersign}.step_states s on s.plan_id = c.plan_id and s.position = c.position
    where c.plan_id = ${planId} and c.step_id = any(${sql.param(stepIds)}::text[]) and s.status = 'succeeded'`);
  for (const { step_id, output } of rows)
    outputs.set(step_id, await fetchOutput(db, planId, step_id, output));
  return outputs;
}

export const outputName = (position: number): string => `output-${position}.json`;

/** A tool's answer may look like `{ "$artifact": id, … }`: unless the artifact is this step's own output, it is data. */
export async function fetchOutput(
  db: Queryable,
  planId: string,
  stepId: string,
  output: Json,
): Promise<Json> {
  if (!isObject(output) || typeof output.$artifact !== 'string') return output;
  const [row] = await db
    .select({ content: artifacts.content })
    .from(artifacts)
    .where(
      and(
        eq(artifacts.id, output.$artifact),
        eq(artifacts.plan_id, planId),
        eq(artifacts.step_id, stepId),
        like(artifacts.name, 'output-%.json'),
      ),
    );
  return row === undefined ? output : JsonValue.parse(parseExactly(row.content.toString('utf8')));
}
