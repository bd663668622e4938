// The outbox of webhooks: events are written in the change's transaction.
import { createHash } from 'node:crypto';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { JsonObject } from '#domain/text.ts';
import type { WebhookEvent, WebhookSettings } from '#domain/webhook.ts';
import type { Queryable, Transaction } from './database.ts';
import { countersign } from './schema/columns.ts';
import { webhookDeliveries, webhookEndpoints } from './schema.ts';
import { inSeconds, now } from './time.ts';

/** Used in tables and on the command line. */
export function endpointId({ url }: Pick<WebhookSettings, 'url'>): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 8);
}

type Endpoint = Pick<typeof webhookEndpoints.$inferInsert, 'id' | 'url' | 'events' | 'shared'> & {
  organisations?: string[] | null;
};

/** Pending deliveries to others end. */
export async function storeEndpoints(tx: Transaction, endpoints: Endpoint[]): Promise<void> {
  await tx.execute(sql`lock table ${countersign}.webhook_endpoints in share row exclusive mode`);
  const ids = endpoints.map(({ id }) => id);
  const removed = sql`not (endpoint = any(${sql.param(ids)}::text[]))`;
  const error = 'The endpoint is no longer in the settings.';
  await tx
    .update(webhookDeliveries)
    .set({ state: 'failed', error, ended_at: now })
    .where(and(eq(webhookDeliveries.state, 'open'), removed));
  await tx.delete(webhookEndpoints).where(sql`not (id = any(${sql.param(ids)}::text[]))`);
  for (const { id, url, events = null, organisations = null, shared = false } of endpoints) {
    const set = { events, organisations, shared };
    await tx
      .insert(webhookEndpoints)
      .values({ id, url, ...set })
      .onConflictDoUpdate({ target: webhookEndpoints.id, set });
  }
}

export async function hasEndpoints(db: Queryable): Promise<boolean> {
  const rows = await db.select({ id: webhookEndpoints.id }).from(webhookEndpoints).limit(1);
  return rows.length > 0;
}

/** `once` deduplicates it across processes. */
export type WebhookNotice = { type: WebhookEvent; planId: string; data: JsonObject; once?: string };

/** @returns the endpoints that want it */
export async function recordWebhook(
  tx: Queryable,
  { type, planId, data, once }: WebhookNotice,
): Promise<string[]> {
  return tx.values(sql`
    with event as materialized (select 'msg_' || replace(gen_random_uuid()::text, '-', '') as message)
    insert into ${countersign}.webhook_deliveries (endpoint, message, type, plan_id, data, once)
    select e.id, event.message, ${type}, ${planId}, ${JSON.stringify(data)}::jsonb, ${once ?? null}
    from ${countersign}.webhook_endpoints e
    cross join event
    left join ${countersign}.tenancy t on t.apart
    left join ${countersign}.plans p on p.id = ${planId}
    where e.gone_at is null and (e.events is null or ${type} = any(e.events))
      and (t.apart is null or e.shared or p.tenant = any(e.organisations)
        or e.organisations is null and (p.tenant is null or p.tenant = any(t.owners)))
    order by e.id
    on conflict do nothing
    returning endpoint`);
}

/** @returns consecutive failures and whether the last holder never released it, or null if leased or paused */
export async function enterEndpoint(
  db: Queryable,
  id: string,
  { holder, seconds }: { holder: string; seconds: number },
): Promise<{ failures: number; died: boolean } | null> {
  const free = sql`(lease_until is null or lease_until < clock_timestamp())`;
  const awake = sql`(not_before is null or not_before <= clock_timestamp()) and gone_at is null`;
  const [row] = await db
    .update(webhookEndpoints)
    .set({ holder, lease_until: inSeconds(seconds) })
    .where(and(eq(webhookEndpoints.id, id), free, awake))
    .returning({
      failures: webhookEndpoints.failures,
      died: sql<boolean>`(select old.holder is not null from ${webhookEndpoints} old where old.id = ${id})`,
    });
  return row ?? null;
}

const isHolder = (id: string, holder: string) =>
  and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.holder, holder));

/** @returns false if the lease was lost */
export async function renewEndpoint(
  db: Queryable,
  id: string,
  { holder, seconds }: { holder: string; seconds: number },
): Promise<boolean> {
  const { rowCount } = await db
    .update(webhookEndpoints)
    .set({ lease_until: inSeconds(seconds) })
    .where(isHolder(id, holder));
  return rowCount === 1;
}

export async function leaveEndpoint(db: Queryable, id: string, holder: string): Promise<void> {
  await db
    .update(webhookEndpoints)
    .set({ holder: null, lease_until: null })
    .where(isHolder(id, holder));
}

export type Delivery = typeof webhookDeliveries.$inferSelect & { expired: boolean };

/** Later events of its plan wait for it. */
const isNext = sql`d.state = 'open' and not exists (
  select 1 from ${countersign}.webhook_deliveries b
  where b.endpoint = d.endpoint and b.plan_id = d.plan_id and b.id < d.id and b.state = 'open'
)`;
const isDue = sql`d.due_at <= clock_timestamp() and ${isNext}`;

/** The oldest open one of each plan; null if none is due. */
export async function readNextDelivery(db: Queryable, endpoint: string): Promise<Delivery | null> {
  const [next] = await db.rows<{ id: number; expired: boolean }>(sql`
    select d.id, d.until < clock_timestamp() as expired from ${countersign}.webhook_deliveries d
    where d.endpoint = ${endpoint} and ${isDue} order by d.id limit 1`);
  if (next === undefined) return null;
  const [row] = await db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, next.id));
  return row === undefined ? null : { ...row, expired: next.expired };
}

export async function endDelivery(db: Queryable, id: number, error: string | null): Promise<void> {
  await db
    .update(webhookDeliveries)
    .set({
      state: error === null ? 'delivered' : 'failed',
      error,
      ended_at: now,
      tries: sql`tries + ${error === null ? 1 : 0}`,
    })
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.state, 'open')));
}

export async function postponeDelivery(
  db: Queryable,
  id: number,
  { error, seconds }: { error: string; seconds: number },
): Promise<void> {
  await db
    .update(webhookDeliveries)
    .set({ error, tries: sql`tries + 1`, due_at: inSeconds(seconds) })
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.state, 'open')));
}

export async function noteSuccess(db: Queryable, id: string): Promise<void> {
  await db
    .update(webhookEndpoints)
    .set({ failures: 0, not_before: null, last_ok_at: now })
    .where(eq(webhookEndpoints.id, id));
}

export async function noteFailure(
  db: Queryable,
  id: string,
  { error, restSeconds }: { error: string; restSeconds: number },
): Promise<void> {
  await db
    .update(webhookEndpoints)
    .set({
      failures: sql`failures + 1`,
      last_error: error,
      last_error_at: now,
      not_before: restSeconds === 0 ? null : inSeconds(restSeconds),
    })
    .where(eq(webhookEndpoints.id, id));
}

/** It wants nothing any more: pending deliveries end. */
export async function noteGone(tx: Transaction, id: string, error: string): Promise<void> {
  await tx
    .update(webhookEndpoints)
    .set({ gone_at: now, last_error: error, last_error_at: now })
    .where(eq(webhookEndpoints.id, id));
  await tx
    .update(webhookDeliveries)
    .set({ state: 'failed', error, ended_at: now })
    .where(and(eq(webhookDeliveries.endpoint, id), eq(webhookDeliveries.state, 'open')));
}

/** With a due event and no sender. */
export async function findDueEndpoints(db: Queryable): Promise<string[]> {
  return db.values(sql`
    select e.id from ${countersign}.webhook_endpoints e
    where e.gone_at is null and (e.not_before is null or e.not_before <= clock_timestamp())
      and (e.lease_until is null or e.lease_until < clock_timestamp())
      and exists (select 1 from ${countersign}.webhook_deliveries d where d.endpoint = e.id and ${isDue})
    order by e.id`);
}

export type EndpointState = typeof webhookEndpoints.$inferSelect & {
  open: number;
  failed: number;
};

/** With counts of pending and of last week's failed deliveries. */
export async function readEndpoints(db: Queryable): Promise<EndpointState[]> {
  const counted = (state: 'open' | 'failed') =>
    sql<number>`(select count(*)::int from (select 1 from ${countersign}.webhook_deliveries d
      where d.endpoint = webhook_endpoints.id and d.state = ${state} limit 10000) counted)`;
  const rows = await db
    .select({ endpoint: webhookEndpoints, open: counted('open'), failed: counted('failed') })
    .from(webhookEndpoints)
    .orderBy(asc(webhookEndpoints.id));
  return rows.map(({ endpoint, ...counts }) => ({ ...endpoint, ...counts }));
}

export async function readNextCalls(db: Queryable): Promise<Map<string, Date>> {
  const { rows } = await db.execute<{ endpoint: string; at: Date }>(sql`
    select d.endpoint, greatest(min(d.due_at), e.not_before) as at
    from ${countersign}.webhook_deliveries d join ${countersign}.webhook_endpoints e on e.id = d.endpoint
    where ${isNext} group by d.endpoint, e.not_before`);
  return new Map(rows.map(({ endpoint, at }) => [endpoint, new Date(at)]));
}

/** Failed and pending deliveries alike. @returns how many */
export async function retryDeliveries(tx: Transaction, endpoints: string[]): Promise<number> {
  await tx
    .update(webhookEndpoints)
    .set({ failures: 0, not_before: null, gone_at: null })
    .where(inArray(webhookEndpoints.id, endpoints));
  const waiting = await tx
    .update(webhookDeliveries)
    .set({ due_at: sql`least(due_at, ${now})` })
    .where(
      and(inArray(webhookDeliveries.endpoint, endpoints), eq(webhookDeliveries.state, 'open')),
    );
  const again = await tx
    .update(webhookDeliveries)
    .set({ state: 'open', ended_at: null, tries: 0, due_at: now, until: inSeconds(86_400) })
    .where(
      and(inArray(webhookDeliveries.endpoint, endpoints), eq(webhookDeliveries.state, 'failed')),
    );
  return (waiting.rowCount ?? 0) + (again.rowCount ?? 0);
}
