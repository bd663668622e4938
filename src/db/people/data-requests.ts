// Data requests: filed by planners, fulfilled by workers.
import { and, asc, count, eq, isNull, sql } from 'drizzle-orm';
import { DataRequest } from '#domain/planning/data-request.ts';
import type { JsonObject } from '#domain/text.ts';
import type { Queryable, Transaction } from '../database.ts';
import { notify } from '../notify.ts';
import { storeArtifact } from '../plans/artifacts.ts';
import { artifacts, planRequests } from '../schema.ts';

type RequestRow = typeof planRequests.$inferSelect;

function toRequest({ key: _, created_at, fulfilled_at, ...row }: RequestRow): DataRequest {
  return DataRequest.parse({
    ...row,
    created_at: new Date(created_at).toISOString(),
    fulfilled_at: fulfilled_at === null ? null : new Date(fulfilled_at).toISOString(),
  });
}

/** Unless the run has one with this key. @returns the stored one, and whether it is new */
export async function fileRequest(
  tx: Transaction,
  request: {
    id: string;
    runId: string;
    key: string;
    operation: string;
    args: JsonObject;
    purpose: string;
  },
): Promise<{ request: DataRequest; isNew: boolean }> {
  const { runId, ...row } = request;
  const added = await tx
    .insert(planRequests)
    .values({ ...row, run_id: runId })
    .onConflictDoNothing({ target: [planRequests.run_id, planRequests.key] })
    .returning({ id: planRequests.id });
  const [found] = await tx
    .select()
    .from(planRequests)
    .where(and(eq(planRequests.run_id, runId), eq(planRequests.key, request.key)));
  if (found === undefined) throw new Error(`fileRequest: ${request.id} is not there`);
  return { request: toRequest(found), isNew: added.length > 0 };
}

export async function readRequest(db: Queryable, id: string): Promise<DataRequest | null> {
  const [row] = await db.select().from(planRequests).where(eq(planRequests.id, id));
  return row === undefined ? null : toRequest(row);
}

export async function countRequests(db: Queryable, runId: string): Promise<number> {
  const [row] = await db
    .select({ requests: count() })
    .from(planRequests)
    .where(eq(planRequests.run_id, runId));
  return row?.requests ?? 0;
}

export async function listRequests(db: Queryable, planId: string): Promise<DataRequest[]> {
  const rows = await db
    .select()
    .from(planRequests)
    .where(eq(planRequests.plan_id, planId))
    .orderBy(asc(planRequests.created_at), asc(planRequests.id));
  return rows.map(toRequest);
}

export type Fulfilment = { summary: string } & (
  | { status: 'failed' }
  | { status: 'fulfilled'; artifact: { id: string; name: string; content: Buffer } }
);

/** Locks its row first, so that the artifact belongs to the run's current plan or is moved to it later. */
export async function settleRequest(tx: Transaction, id: string, end: Fulfilment): Promise<void> {
  const [open] = await tx
    .select()
    .from(planRequests)
    .where(and(eq(planRequests.id, id), eq(planRequests.status, 'open')))
    .for('update');
  if (open === undefined) return;
  const artifact = end.status === 'fulfilled' ? end.artifact : null;
  if (artifact !== null) {
    const { plan_id: planId, run_id: runId } = open;
    await storeArtifact(tx, {
      ...artifact,
      planId,
      runId,
      stepId: null,
      mediaType: 'application/json',
    });
  }
  await tx
    .update(planRequests)
    .set({
      status: end.status,
      summary: end.summary,
      artifact_id: artifact?.id ?? null,
      fulfilled_at: sql`clock_timestamp()`,
    })
    .where(eq(planRequests.id, id));
  await notify(tx, `request:${id}`);
}

/** Locks requests first, to wait for one being fulfilled. */
export async function giveRequests(tx: Transaction, runId: string, planId: string): Promise<void> {
  await tx
    .update(planRequests)
    .set({ plan_id: planId })
    .where(and(eq(planRequests.run_id, runId), isNull(planRequests.plan_id)));
  await tx
    .update(artifacts)
    .set({ plan_id: planId })
    .where(and(eq(artifacts.run_id, runId), isNull(artifacts.plan_id)));
}
