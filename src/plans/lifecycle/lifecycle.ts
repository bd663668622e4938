// The only place where a plan's status changes.
import { and, eq, inArray, sql } from 'drizzle-orm';
import { recordAudit } from '#db/audit/audit.ts';
import { tellProgress } from '#db/chat/posts.ts';
import type { Transaction } from '#db/database.ts';
import { notify } from '#db/notify.ts';
import { withdrawScheduleFindings } from '#db/plans/findings.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { plans } from '#db/schema.ts';
import { appendPlanEvent } from '#db/steps/events.ts';
import { recordWebhook } from '#db/webhooks.ts';
import type { Clock } from '#domain/clock.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';
import { currentTrace, linkTo } from '#domain/telemetry.ts';
import type { JsonObject } from '#domain/text.ts';
import type { WebhookEvent } from '#domain/webhook.ts';
import { nextStatus, type PlanEvent, sourcesOf } from './lifecycle-table.ts';

/** One waiting job per plan, ahead of less urgent ones. */
export async function wakeWatchers(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  planId: string,
): Promise<void> {
  await enqueue(tx, 'card', { plan_id: planId }, { key: planId, urgent: true });
  await wakeScreens(tx, planId);
}

/**
 * Never ahead of a press's result. Has its own key: a waiting job suppresses others of its key, and urgent ones must not be lost.
 */
export async function wakeWatchersLater(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  planId: string,
): Promise<void> {
  await enqueue(tx, 'card', { plan_id: planId, later: true }, { key: `${planId}@later` });
  await wakeScreens(tx, planId);
}

const progressEveryMs = 1000;

/** Only counters moved: screens now, people in a second. Callers must throttle it. */
export async function announceProgress(
  tx: Transaction,
  { enqueue, clock }: { enqueue: Enqueue<Transaction>; clock: Clock },
  planId: string,
): Promise<void> {
  if (await tellProgress(tx, planId)) return;
  const startAfter = new Date(clock.now().getTime() + progressEveryMs);
  const payload = { plan_id: planId, later: true, progress: true } as const;
  await enqueue(tx, 'card', payload, { key: `${planId}@progress`, startAfter });
}

function wakeScreens(tx: Transaction, planId: string): Promise<void> {
  return notify(tx, `plan:${planId}`);
}

/** With free slots; recovery finds the plan if nobody listens. */
export function wakeWorkers(tx: Transaction, planId: string): Promise<void> {
  return notify(tx, `work:${planId}`);
}

type Changeable = Partial<
  Omit<typeof plans.$inferInsert, 'id' | 'status' | 'revision' | 'created_at' | 'updated_at'>
>;

function kindOf(event: PlanEvent, status: PlanStatus): string {
  if (event === 'revise') return 'revised';
  if (event === 'request_changes') return 'changes_requested';
  return event === 'keep' ? 'kept' : status;
}

/**
 * The UPDATE compares version and status again, so one of two callers succeeds.
 * @param set further columns
 * @throws `invalid_transition` naming the status
 */
export async function transition(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  row: PlanRow,
  event: PlanEvent,
  by: { actor: Actor; reason?: string; data?: JsonObject },
  set: Changeable = {},
): Promise<PlanRow> {
  const status = nextStatus(row.status, event);
  // A person's decision or proposal sets the plan's trace; the executor's moves keep it.
  const cause = by.actor.kind === 'system' ? null : currentTrace();
  if (cause !== null) linkTo(row.traceparent);
  const [changed] = await tx
    .update(plans)
    .set({
      ...set,
      ...(cause === null ? {} : { traceparent: cause }),
      status,
      revision: sql`${plans.revision} + 1`,
      updated_at: sql`clock_timestamp()`,
    })
    .where(
      and(
        eq(plans.id, row.id),
        eq(plans.version, row.version),
        inArray(plans.status, sourcesOf(event)),
      ),
    )
    .returning();
  if (changed === undefined) {
    const [now] = await tx.select().from(plans).where(eq(plans.id, row.id));
    nextStatus(now?.status ?? row.status, event);
    throw new Error(`transition: ${row.id} changed version under a lock`);
  }
  await appendPlanEvent(tx, {
    planId: row.id,
    revision: changed.revision,
    kind: kindOf(event, status),
    status,
    ...(by.reason === undefined ? {} : { detail: by.reason }),
  });
  await recordAudit(tx, [
    {
      planId: row.id,
      actor: by.actor,
      action: event,
      version: changed.version,
      digest: changed.digest,
      ...(by.reason === undefined ? {} : { reason: by.reason }),
      ...(by.data === undefined ? {} : { data: by.data }),
    },
  ]);
  const webhook = events[event];
  if (webhook === 'plan.ended') await withdrawScheduleFindings(tx, row.id);
  await tellWebhooks(tx, enqueue, webhook, changed, {
    event,
    actor: by.actor,
    reason: by.reason ?? null,
  });
  await wakeWatchers(tx, enqueue, row.id);
  return changed;
}

type Subject = Pick<
  PlanRow,
  'id' | 'title' | 'status' | 'version' | 'digest' | 'revision' | 'requester'
>;

const events: Record<PlanEvent, WebhookEvent> = {
  approve: 'plan.decided',
  reject: 'plan.decided',
  request_changes: 'plan.decided',
  escalate: 'plan.decided',
  revise: 'plan.proposed',
  keep: 'plan.proposed',
  start: 'plan.started',
  resume: 'plan.started',
  retry: 'plan.started',
  continue: 'plan.started',
  stall: 'plan.stalled',
  complete: 'plan.ended',
  fail: 'plan.ended',
  cancel: 'plan.ended',
  expire: 'plan.ended',
};

/** @param facts besides the plan */
export async function tellWebhooks(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  type: WebhookEvent,
  { id, title, status, version, digest, revision, requester }: Subject,
  { actor, once, ...facts }: JsonObject & { actor?: Actor; once?: string },
): Promise<void> {
  const plan = { id, title, status, version, digest, revision, requester };
  const by =
    actor === undefined ? {} : { actor: { id: actor.id, kind: actor.kind, via: actor.via } };
  const payload = { type, planId: id, data: { plan, ...by, ...facts } };
  const endpoints = await recordWebhook(tx, once === undefined ? payload : { ...payload, once });
  for (const endpoint of endpoints) await enqueue(tx, 'webhook', { endpoint }, { key: endpoint });
}
