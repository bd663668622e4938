// The inbox: chat platforms' events, each stored once by its deduplication keys.
import { sql } from 'drizzle-orm';
import type { InboxThread, ReceivedEvent } from '#domain/chat/inbox.ts';
import { type Database, prepareStatement, type Queryable, type Transaction } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { isoOf } from '../time.ts';

/** `original`: the earlier event with one of these keys, or null if this one is new; otherwise `id` is unused. */
export type StoredEvent = { id: number; original: number | null };

const given = sql.placeholder;

/**
 * Keys in a fixed order, against deadlocks. Rewriting an existing key waits for the transaction storing it. IDs are drawn here,
 * so they grow in order of storage.
 */
const storing = prepareStatement(
  'store_event',
  sql`
  with drawn as materialized (
    select nextval('${countersign}.inbox_id_seq') as id
  ), named as (
    insert into ${countersign}.inbox_keys as k (platform, tenant, key, event_id)
    select ${given('platform')}, ${given('tenant')}, key, id
    from drawn, jsonb_array_elements_text(${given('keys')}::jsonb) as key order by key
    on conflict (platform, tenant, key) do update set event_id = k.event_id
    returning k.event_id
  ), known as materialized (
    select min(event_id) as original from named where event_id <> (select id from drawn)
  ), stored as (
    insert into ${countersign}.inbox (id, platform, tenant, thread, kind, body, received_at, awaited_at)
    select id, ${given('platform')}, ${given('tenant')}, ${given('thread')}, ${given('kind')},
      decode(${given('body')}, 'base64'), ${given('time')}::timestamptz,
      case when ${given('awaited')}::boolean then clock_timestamp() end
    from drawn, known where original is null
  )
  select id, original from drawn, known
  where set_config('countersign.original', coalesce(original::text, ''), true) is not null`,
);

/** Uses the conflict index, even if planned while the table was small. */
const redirecting = prepareStatement(
  'redirect_names',
  sql`
  insert into ${countersign}.inbox_keys as k (platform, tenant, key, event_id)
  select ${given('platform')}, ${given('tenant')}, key, current_setting('countersign.original')::bigint
  from jsonb_array_elements_text(${given('keys')}::jsonb) as key
  where current_setting('countersign.original') <> '' order by key
  on conflict (platform, tenant, key) do update set event_id = excluded.event_id where k.event_id > excluded.event_id`,
);

export type StoringLimits = { lockMs: number; statementMs: number };

const limiting = prepareStatement(
  'limit_storing',
  sql`select set_config('lock_timeout', ${given('lockMs')}, true), set_config('statement_timeout', ${given('statementMs')}, true)`,
);

/** One round trip that answers after commit. */
export async function storeEvent(
  db: Pick<Database, 'atOnce'>,
  event: ReceivedEvent,
  limits: StoringLimits,
): Promise<StoredEvent> {
  const { platform, tenant, thread, kind, body, received_at, awaited = false } = event;
  const keys = [...new Set(event.keys)];
  const names = { platform, tenant, keys: JSON.stringify(keys) };
  const values = {
    ...{ ...names, thread, kind },
    body: Buffer.from(body).toString('base64'),
    time: received_at.toISOString(),
    awaited: String(awaited),
  };
  const limit = {
    statement: limiting,
    values: { lockMs: String(limits.lockMs), statementMs: String(limits.statementMs) },
  };
  const store = { statement: storing, values };
  const [, [stored]] =
    keys.length === 1
      ? await db.atOnce<[object, StoredEvent]>([limit, store])
      : await db.atOnce<[object, StoredEvent, object]>([
          limit,
          store,
          { statement: redirecting, values: names },
        ]);
  if (stored === undefined) throw new Error('storeEvent: no row came back');
  return stored;
}

export async function readEventBody(
  db: Queryable,
  { platform, tenant, thread }: InboxThread,
  id: number,
): Promise<Buffer | null> {
  const found = await db.row<{ body: Buffer }>(sql`
    select body from ${countersign}.inbox
    where id = ${id} and platform = ${platform} and tenant = ${tenant} and thread = ${thread}`);
  return found?.body ?? null;
}

/** Walks the index by thread. @returns late ones among the next `limit`, and the last checked, or null at the end */
export async function findWaitingThreads(
  db: Queryable,
  platform: InboxThread['platform'],
  after: Pick<InboxThread, 'tenant' | 'thread'>,
  { lateSeconds, limit }: { lateSeconds: number; limit: number },
): Promise<{ waiting: InboxThread[]; last: InboxThread | null }> {
  const open = sql`handled_at is null and failed_at is null and platform = ${platform}`;
  const { rows } = await db.execute<InboxThread & { waits: boolean }>(sql`
    with recursive heads as (
      (select tenant, thread, due_at, 1 as n from ${countersign}.inbox
        where ${open} and (tenant, thread) > (${after.tenant}, ${after.thread})
        order by platform, tenant, thread, id limit 1)
      union all
      select next.*, heads.n + 1 from heads, lateral (
        select tenant, thread, due_at from ${countersign}.inbox
        where ${open} and (tenant, thread) > (heads.tenant, heads.thread)
        order by platform, tenant, thread, id limit 1
      ) next
      where heads.n < ${limit}
    )
    select ${platform}::text as platform, h.tenant, h.thread,
      h.due_at < clock_timestamp() - make_interval(secs => ${lateSeconds}) and not exists (
        select from ${countersign}.inbox_leases l
        where l.platform = ${platform} and l.tenant = h.tenant and l.thread = h.thread
          and l.lease_until > clock_timestamp()
      ) as waits
    from heads h order by h.n`);
  const threads = rows.map(({ waits, ...thread }) => ({ waits, thread }));
  return {
    waiting: threads.filter(({ waits }) => waits).map(({ thread }) => thread),
    last: threads.length < limit ? null : (threads.at(-1)?.thread ?? null),
  };
}

/** Counts up to `most`. */
export type InboxState = {
  open: number;
  oldest: Date | null;
  failed: number;
  last: { id: number; platform: string; kind: string; error: string } | null;
};

export async function readInboxState(db: Queryable, most: number): Promise<InboxState> {
  const [row] = await db.rows<Omit<InboxState, 'oldest'> & { oldest: string | null }>(sql`
    with open as (
      select stored_at from ${countersign}.inbox where handled_at is null and failed_at is null limit ${most}
    ), failed as (
      select from ${countersign}.inbox where failed_at is not null limit ${most}
    )
    select (select count(*)::int from open) as open, (
        select ${isoOf('min(stored_at)', 'milliseconds')} from open
      ) as oldest,
      (select count(*)::int from failed) as failed,
      (select jsonb_build_object('id', id, 'platform', platform, 'kind', kind, 'error', coalesce(error, ''))
        from ${countersign}.inbox where failed_at is not null order by failed_at desc limit 1) as last`);
  if (row === undefined) throw new Error('readInboxState: no row came back');
  return { ...row, oldest: row.oldest === null ? null : new Date(row.oldest) };
}

export type FailedEvent = {
  id: number;
  platform: string;
  tenant: string;
  thread: string;
  kind: string;
  received_at: string;
  failed_at: string;
  error: string | null;
};

export async function listFailedEvents(db: Queryable, limit: number): Promise<FailedEvent[]> {
  const { rows } = await db.execute<FailedEvent>(sql`
    select id::int8 as id, platform, tenant, thread, kind, error,
      ${isoOf('received_at', 'milliseconds')} as received_at, ${isoOf('failed_at', 'milliseconds')} as failed_at
    from ${countersign}.inbox where failed_at is not null order by failed_at desc, id desc limit ${limit}`);
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}

/** A recovery round finds them within seconds. @param ids null for all @returns how many, and `ids` not set aside */
export async function retryFailedEvents(
  db: Queryable,
  ids: number[] | null,
): Promise<{ again: number; missing: number[] }> {
  const [row] = await db.rows<{ again: number; missing: number[] }>(sql`
    with again as (
      update ${countersign}.inbox
      set failed_at = null, failures = 0, error_code = null, due_at = clock_timestamp()
      where failed_at is not null and (${ids === null} or id = any(${sql.param(ids ?? [])}::bigint[]))
      returning id
    )
    select (select count(*)::int from again) as again, coalesce((
        select jsonb_agg(given order by given) from unnest(${sql.param(ids ?? [])}::bigint[]) given
        where given not in (select id from again)
      ), '[]') as missing`);
  if (row === undefined) throw new Error('retryFailedEvents: no row came back');
  return row;
}

/** `open` while it waits or is retried. */
export type EventOutcome =
  | { state: 'open' }
  | { state: 'failed' }
  | { state: 'handled'; reply: unknown };

export async function noteReplyRead(db: Queryable, id: number): Promise<void> {
  await db.execute(sql`
    update ${countersign}.inbox set reply_read_at = clock_timestamp()
    where id = ${id} and handled_at is not null and reply is not null and reply_read_at is null`);
}

/** Reopens, once, events whose reply was not read within `unreadSeconds`. @returns their threads */
export async function reopenUnread(
  tx: Transaction,
  platform: InboxThread['platform'],
  { unreadSeconds, limit }: { unreadSeconds: number; limit: number },
): Promise<InboxThread[]> {
  return tx.rows(sql`
    with unread as (
      select id from ${countersign}.inbox
      where handled_at is not null and reply is not null and reply_read_at is null and platform = ${platform}
        and awaited_at is not null and handled_at < clock_timestamp() - make_interval(secs => ${unreadSeconds})
      order by handled_at limit ${limit} for update skip locked
    )
    update ${countersign}.inbox i
    set handled_at = null, failures = 0, due_at = clock_timestamp(), reply_read_at = clock_timestamp()
    from unread where i.id = unread.id
    returning i.platform, i.tenant, i.thread`);
}

type OutcomeRow = { id: number; handled: boolean; failed: boolean; reply: unknown };

export async function readEventOutcomes(
  db: Queryable,
  ids: number[],
): Promise<Map<number, EventOutcome>> {
  const { rows } = await db.execute<OutcomeRow>(sql`
    select id, handled_at is not null as handled, failed_at is not null as failed, reply
    from ${countersign}.inbox where id = any(${sql.param(ids)}::bigint[])`);
  const outcomes = new Map<number, EventOutcome>(
    ids.map((id) => [id, { state: 'handled', reply: null }]),
  );
  for (const { id, handled, failed, reply } of rows) {
    if (handled) outcomes.set(id, { state: 'handled', reply });
    else outcomes.set(id, { state: failed ? 'failed' : 'open' });
  }
  return outcomes;
}
