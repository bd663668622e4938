// The audit log: append-only, written in the action's transaction.
import { and, asc, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Actor } from '#domain/people/actor.ts';
import type { AuditEntry } from '#domain/plan/views.ts';
import type { JsonObject } from '#domain/text.ts';
import type { Queryable } from '../database.ts';
import { audit } from '../schema.ts';

export type NewAuditEntry = {
  planId: string | null;
  actor: Actor;
  action: string;
  version?: number;
  digest?: string;
  reason?: string;
  data?: JsonObject;
};

export async function recordAudit(tx: Queryable, entries: NewAuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await tx.insert(audit).values(
    entries.map(({ planId, actor, action, version, digest, reason, data }) => ({
      plan_id: planId,
      actor: actor.id,
      actor_kind: actor.kind,
      via: actor.via,
      action,
      version: version ?? null,
      digest: digest ?? null,
      reason: reason ?? null,
      data: data ?? null,
    })),
  );
}

export async function readAudit(
  db: Queryable,
  planId: string,
  options: { after?: number; limit: number },
): Promise<AuditEntry[]> {
  const rows = await db
    .select()
    .from(audit)
    .where(and(eq(audit.plan_id, planId), gt(audit.id, options.after ?? 0)))
    .orderBy(asc(audit.id))
    .limit(options.limit);
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

/** The last person to settle one of `steps`, with their input. */
export async function readLastSettlement(
  db: Queryable,
  planId: string,
  steps: string[],
): Promise<{ step: string; actor: string; action: string; data: JsonObject } | null> {
  if (steps.length === 0) return null;
  const step = sql<string>`${audit.data} ->> 'step'`;
  const [row] = await db
    .select({ step, actor: audit.actor, action: audit.action, data: audit.data })
    .from(audit)
    .where(
      and(
        eq(audit.plan_id, planId),
        inArray(audit.action, ['settle_done', 'settle_failed', 'settle_retry', 'settle_skip']),
        inArray(step, steps),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(1);
  return row === undefined ? null : { ...row, data: row.data ?? {} };
}
