// Data too large for a row: kept once, referred to by id.
import { createHash } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Random } from '#contracts/clock.ts';
import type { Queryable } from './database.ts';
import { artifacts } from './schema.ts';

/** A fresh id for an artifact. */
export function drawArtifactId(random: Random): string {
  return `art-${random.hex(8)}`;
}

/** Stores `content` under `id`. */
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
  await tx.insert(artifacts).values({
    id: artifact.id,
    plan_id: artifact.planId,
    step_id: artifact.stepId,
    name: artifact.name,
    media_type: artifact.mediaType,
    size: artifact.content.length,
    sha256: createHash('sha256').update(artifact.content).digest('hex'),
    content: artifact.content,
  });
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
