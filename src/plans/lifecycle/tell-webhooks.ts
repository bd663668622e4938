// Tells webhooks of a change, in its transaction: facts of that moment, for each endpoint that wants them.
import type { Transaction } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { recordWebhook } from '#db/webhooks.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { JsonObject } from '#domain/text.ts';
import type { WebhookEvent } from '#domain/webhook.ts';
import type { PlanEvent } from './lifecycle-table.ts';

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

/** What a move along the lifecycle's table is called to other programs. */
export const webhookEventOf = (event: PlanEvent): WebhookEvent => events[event];

/** @param facts what there is to say beside the plan itself */
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
  const told = { type, planId: id, data: { plan, ...by, ...facts } };
  const endpoints = await recordWebhook(tx, once === undefined ? told : { ...told, once });
  for (const endpoint of endpoints) await enqueue(tx, 'webhook', { endpoint }, { key: endpoint });
}
