// Data too large for a row: kept once, referred to by id.
import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { CountersignError } from '#contracts/errors.ts';
import type { Queryable } from './database.ts';
import { artifacts } from './schema.ts';

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

export async function readArtifact(db: Queryable, id: string): Promise<Buffer> {
  const [row] = await db
    .select({ content: artifacts.content })
    .from(artifacts)
    .where(eq(artifacts.id, id));
  if (row !== undefined) return row.content;
  throw new CountersignError('not_found', `Artifact ${id} is gone; it may have been archived.`);
}
