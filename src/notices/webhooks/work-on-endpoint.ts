// Sends due events to one endpoint in sequence, under a lease.
// At-least-once for a day, always with the same ID, in order per plan.
import type { Database, Transaction } from '#db/database.ts';
import {
  type Delivery,
  endDelivery,
  endpointId,
  enterEndpoint,
  findDueEndpoints,
  leaveEndpoint,
  noteFailure,
  noteGone,
  noteSuccess,
  postponeDelivery,
  readNextDelivery,
  renewEndpoint,
} from '#db/webhooks.ts';
import { drawFraction, type Random } from '#domain/clock.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { WebhookAnswer, WebhookMessage, WebhookSettings } from '#domain/webhook.ts';
import type { Sender } from './sender.ts';

export type WebhooksContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  random: Random;
  endpoints: WebhookSettings[];
  sender: Sender;
  linkTo(planId: string): string | null;
  warn(message: string): void;
};

/** Longer than a call and its record. */
const leaseSeconds = 30;
const sentInARow = 200;
const failuresBeforeRest = 3;
const firstRestSeconds = 10;
const longestRestSeconds = 900;
const firstRetrySeconds = 5;
const longestRetrySeconds = 3600;

/** Doubles each time, with 20% jitter. */
function backOff(first: number, longest: number, tries: number, random: Random): number {
  const seconds = Math.min(first * 2 ** Math.min(tries, 20), longest);
  return seconds * (0.8 + drawFraction(random) * 0.4);
}

function messageOf({ linkTo }: WebhooksContext, delivery: Delivery): WebhookMessage {
  const { message: id, type, created_at: at, data, plan_id } = delivery;
  const console = linkTo(plan_id);
  const api = console === null ? null : new URL(`api/plans/${plan_id}`, console).href;
  return { id, type, at, data: { ...data, links: { console, api } } };
}

async function settle(
  { db, random }: WebhooksContext,
  delivery: Delivery,
  { error, gone, retryAfterSeconds }: WebhookAnswer,
  failures: number,
): Promise<boolean> {
  const { id, endpoint, tries } = delivery;
  return await db.transaction(async (tx) => {
    if (error === null) {
      await endDelivery(tx, id, null);
      await noteSuccess(tx, endpoint);
      return false;
    }
    if (gone) {
      await noteGone(tx, endpoint, error);
      return true;
    }
    const rests = failures + 1 >= failuresBeforeRest;
    const restSeconds = rests
      ? backOff(firstRestSeconds, longestRestSeconds, failures + 1 - failuresBeforeRest, random)
      : 0;
    const seconds = backOff(firstRetrySeconds, longestRetrySeconds, tries, random);
    await postponeDelivery(tx, id, { error, seconds: Math.max(seconds, retryAfterSeconds) });
    await noteFailure(tx, endpoint, {
      error,
      restSeconds: rests ? Math.max(restSeconds, retryAfterSeconds) : 0,
    });
    return rests;
  });
}

const diedOf: WebhookAnswer = {
  error: 'The process ended while it was sent.',
  gone: false,
  retryAfterSeconds: 0,
};

/** While the lease holds. @returns whether more may be due now */
async function stay(
  context: WebhooksContext,
  endpoint: WebhookSettings,
  lease: { holder: string; seconds: number },
  known: { failures: number; died: boolean },
  stopping: AbortSignal,
): Promise<boolean> {
  const { db, sender, warn } = context;
  const id = endpointId(endpoint);
  const named = `The webhook ${id} (${new URL(endpoint.url).host})`;
  let { failures, died } = known;
  let warnedOfLoss = false;
  for (let sent = 0; sent < sentInARow && !stopping.aborted; sent++) {
    const delivery = await readNextDelivery(db.query, id);
    if (delivery === null) return true;
    if (delivery.expired) {
      const last = delivery.error ?? 'It was not reached.';
      await endDelivery(db.query, delivery.id, `Given up after a day. ${last}`);
      if (!warnedOfLoss)
        warn(`${named}: events that failed for a day are given up. Last error: ${last}`);
      warnedOfLoss = true;
      continue;
    }
    if (!(await renewEndpoint(db.query, id, lease))) return false;
    // The previous attempt may have ended the process, so it counts as a failure.
    const answer = died
      ? diedOf
      : await sender.send(endpoint, messageOf(context, delivery), stopping);
    died = false;
    if (answer.error !== null && stopping.aborted) return false;
    passCrashPoint('webhook_sent');
    if (answer.gone)
      warn(`${named} answered 410 and gets no events until “countersign webhooks retry”.`);
    else if (answer.error !== null && failures === 0)
      warn(`${named} failed; the event will be sent again: ${answer.error}`);
    if (await settle(context, delivery, answer, failures)) return false;
    failures = answer.error === null ? 0 : failures + 1;
  }
  return false;
}

/** Unless another process does or the endpoint rests. */
export async function workOnEndpoint(
  context: WebhooksContext,
  id: string,
  stopping: AbortSignal,
): Promise<void> {
  const { db, random, endpoints } = context;
  const endpoint = endpoints.find((one) => endpointId(one) === id);
  // Another process knows it; its recovery round finds the event.
  if (endpoint === undefined) return;
  const lease = { holder: random.hex(16), seconds: leaseSeconds };
  for (let more = true; more; ) {
    const known = await enterEndpoint(db.query, id, lease);
    if (known === null) return;
    try {
      more = await stay(context, endpoint, lease, known, stopping);
    } finally {
      await leaveEndpoint(db.query, id, lease.holder);
    }
    more = more && !stopping.aborted && (await readNextDelivery(db.query, id)) !== null;
  }
}

/** Recovery round: wakes endpoints with due events, including those with lost jobs. */
export async function lookAfterWebhooks({
  db,
  enqueue,
  endpoints,
}: WebhooksContext): Promise<void> {
  const ours = new Set(endpoints.map(endpointId));
  const due = (await findDueEndpoints(db.query)).filter((id) => ours.has(id));
  if (due.length > 0)
    await db.transaction(async (tx) => {
      for (const endpoint of due) await enqueue(tx, 'webhook', { endpoint }, { key: endpoint });
    });
}
