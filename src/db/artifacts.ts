// Data too large for a row: stored once, referred to by id.
import { createHash } from 'node:crypto';
import { and, eq, like, sql } from 'drizzle-orm';
import type { Random } from '#domain/clock.ts';
import { isObject, type Json, JsonValue } from '#domain/text.ts';
import type { Queryable } from './database.ts';
import { artifacts } from './schema.ts';

/** A fresh id for an artifact. */
export function drawArtifactId(random: Random): string {
  return `art-${random.hex(8)}`;
}

/** Stores `content` under `id`; where there is an artifact of this id, nothing changes. */
export async function storeArtifact(
  tx: Queryable,
  artifact: {
    id: string;
    planId: string;
    stepId: string | null;
    name: string;
    mediaType: string;
    content: Buffer;
  },
): Promise<void> {
  const row = {
    id: artifact.id,
    plan_id: artifact.planId,
    step_id: artifact.stepId,
    name: artifact.name,
    media_type: artifact.mediaType,
    size: artifact.content.length,
    sha256: createHash('sha256').update(artifact.content).digest('hex'),
    content: artifact.content,
  };
  await tx.insert(artifacts).values(row).onConflictDoNothing({ target: artifacts.id });
}

/** The content of an artifact of this plan, or null: there is none, or it belongs to another plan. */
export async function readArtifact(
  db: Queryable,
  planId: string,
  id: string,
): Promise<Buffer | null> {
  const [row] = await db
    .select({ content: artifacts.content })
    .from(artifacts)
    .where(and(eq(artifacts.id, id), eq(artifacts.plan_id, planId)));
  return row?.content ?? null;
}

// Outputs of steps: inline up to a limit, beyond it an artifact the row points to.

/** Bytes of JSON an output may have in its row. */
export const inlineOutputBytes = 64 * 1024;

/** Outputs of succeeded steps by step id, artifacts fetched; missing ids did not succeed. */
export async function readOutputs(
  db: Queryable,
  planId: string,
  stepIds: string[],
): Promise<Map<string, Json>> {
  const outputs = new Map<string, Json>();
  if (stepIds.length === 0) return outputs;
  const { rows } = await db.execute<{ step_id: string; output: Json }>(sql`
    select s.step_id, s.output from countersign.plan_steps c
    join countersign.step_states s on s.plan_id = c.plan_id and s.position = c.position
    where c.plan_id = ${planId} and c.step_id = any(${sql.param(stepIds)}::text[]) and s.status = 'succeeded'`);
  for (const { step_id, output } of rows)
    outputs.set(step_id, await fetchOutput(db, planId, step_id, output));
  return outputs;
}

/** The name of the artifact that a large output is kept in. */
export const outputName = (position: number): string => `output-${position}.json`;

/**
 * An output as its step gave it: for `{ "$artifact": id, … }` what is in the artifact store. A tool may answer what only looks so:
 * unless it is the artifact in which this step's own output was kept, it is data.
 */
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
  return row === undefined ? output : JsonValue.parse(JSON.parse(row.content.toString('utf8')));
}
