// A plan's kept versions have the digests that people saw.
import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import type { Queryable } from '#db/database.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { readContentsById } from '#db/steps/versions.ts';
import { digestPlan } from '#plans/content/digests.ts';
import { readHeader } from '#plans/content/preflight.ts';

export async function readVersion(db: Queryable, planId: string, version: number) {
  const { rows: ids } = await db.execute<{ id: string }>(sql`
    select step_id as id from countersign.plan_steps where plan_id = ${planId}
    union select step_id from countersign.past_steps where plan_id = ${planId}`);
  const steps = await readContentsById(
    db,
    planId,
    version,
    ids.map(({ id }) => id),
  );
  return steps.toSorted((a, b) => a.position - b.position);
}

/** @returns their number */
export async function expectVersions(db: Queryable, planId: string): Promise<number> {
  const row = await readPlanRow(db, planId);
  const { rows } = await db.execute<{ version: number; digest: string }>(
    sql`select version, digest from countersign.plan_versions where plan_id = ${planId} order by version`,
  );
  for (const { version, digest } of rows) {
    const header = await readHeader(db, { ...row, version });
    const found = await digestPlan(header, await readVersion(db, planId, version));
    expect([planId, version, found]).toEqual([planId, version, digest]);
  }
  return rows.length;
}
