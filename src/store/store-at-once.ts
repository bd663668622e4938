// Storing events of the inbox with their names in one statement that commits by itself: one round trip, and nothing that a
// process could hold in between. Slips follow. Most events come alone, and for one the statement is a shorter one.
import { sql } from 'drizzle-orm';
import type { AuthoredThread, ReceivedEvent } from '#contracts/inbox.ts';
import { prepareStatement, type Queryable } from './database.ts';
import { columnsOf, keysOf, type StoredEvent } from './inbox.ts';

/** What the statement fails with where it has to be done in steps instead: a twin was stored while it ran. */
const twinMet = '22012';

export function isTwinMet(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === twinMet;
}

const given = sql.placeholder;

/**
 * Names are written in one order by everybody, so that processes that were sent the same events wait for each other but
 * never in a circle. A name that stands already is written as it is: that waits for whoever is just storing it, and says
 * whose it is. A further name of an event that stands is written as that one's at once, by what stood before the statement
 * began; where another stored it meanwhile, the division fails and nothing is written.
 * The number of an event is drawn by the statement that stores it, so that what was stored before another event came is
 * lower than that one.
 */
const storingMany = prepareStatement(
  'store_events_at_once',
  sql`
  with incoming as materialized (
    select nextval('countersign.inbox_id_seq') as id, e.*
    from (
      select * from unnest(
        ${given('tenants')}::text[], ${given('threads')}::text[], ${given('kinds')}::text[],
        ${given('bodies')}::bytea[], ${given('times')}::timestamptz[], ${given('awaited')}::boolean[]
      ) with ordinality as e(tenant, thread, kind, body, received_at, awaited, n)
      order by n
    ) e
  ), asked as materialized (
    select i.id, i.n, i.tenant, k.key, (
      select stands.event_id from countersign.inbox_keys stands
      where stands.platform = ${given('platform')} and stands.tenant = i.tenant and stands.key = k.key
    ) as stood
    from unnest(${given('owners')}::bigint[], ${given('keys')}::text[]) as k(n, key)
    join incoming i using (n)
  ), before as materialized (
    select n, min(stood) as original from asked group by n
  ), named as (
    insert into countersign.inbox_keys as k (platform, tenant, key, event_id)
    select ${given('platform')}, tenant, key, coalesce(before.original, id)
    from asked join before using (n) order by tenant, key
    on conflict (platform, tenant, key) do update set event_id = k.event_id
    returning k.tenant, k.key, k.event_id
  ), known as (
    select a.n, min(named.event_id) as original
    from named join asked a using (tenant, key)
    where named.event_id <> a.id group by a.n
  ), judged as materialized (
    select i.*, before.original,
      1 / (case when known.original is distinct from before.original then 0 else 1 end) as sound
    from incoming i join before using (n) left join known using (n)
  ), stored as (
    insert into countersign.inbox (id, platform, tenant, thread, kind, body, received_at, awaited_at)
    select id, ${given('platform')}, tenant, thread, kind, body, received_at,
      case when awaited then clock_timestamp() end
    from judged where original is null order by n
  )
  select id, original, sound from judged order by n`,
);

/** The same for one event: nothing of it has to be brought together, and Postgres sets up half as much to run it. */
const storingOne = prepareStatement(
  'store_event_at_once',
  sql`
  with asked as materialized (
    select k.key, (
      select stands.event_id from countersign.inbox_keys stands
      where stands.platform = ${given('platform')} and stands.tenant = ${given('tenant')} and stands.key = k.key
    ) as stood
    from unnest(${given('keys')}::text[]) as k(key)
  ), before as materialized (
    select nextval('countersign.inbox_id_seq') as id, min(stood) as original from asked
  ), named as (
    insert into countersign.inbox_keys as k (platform, tenant, key, event_id)
    select ${given('platform')}, ${given('tenant')}, key, coalesce(original, id) from asked, before order by key
    on conflict (platform, tenant, key) do update set event_id = k.event_id
    returning k.event_id
  ), known as (
    select min(event_id) as original from named where event_id <> (select id from before)
  ), judged as materialized (
    select before.*, 1 / (case when known.original is distinct from before.original then 0 else 1 end) as sound
    from before, known
  ), stored as (
    insert into countersign.inbox (id, platform, tenant, thread, kind, body, received_at, awaited_at)
    select id, ${given('platform')}, ${given('tenant')}, ${given('thread')}, ${given('kind')}, ${given('body')},
      ${given('time')}, case when ${given('awaited')}::boolean then clock_timestamp() end
    from judged where original is null
  )
  select id, original, sound from judged`,
);

const valuesOfOne = (event: ReceivedEvent) => ({
  platform: event.platform,
  tenant: event.tenant,
  thread: event.thread,
  kind: event.kind,
  body: event.body,
  time: event.received_at.toISOString(),
  awaited: event.awaited ?? false,
  keys: keysOf(event),
});

/**
 * Stores events of one platform, no two of them with a name in common, and commits. Answers for each, in their order.
 * @throws what `isTwinMet` knows; then nothing was stored
 */
export type StoreAtOnce = (events: ReceivedEvent[]) => Promise<StoredEvent[]>;

/** @param sendSlips has slips sent soon for threads of events that were stored */
export function createStoreAtOnce(
  db: Pick<Queryable, 'run'>,
  sendSlips: (threads: AuthoredThread[]) => void,
): StoreAtOnce {
  return async (events) => {
    const [first] = events;
    if (first === undefined) return [];
    const rows =
      events.length === 1
        ? await db.run<StoredEvent>(storingOne, valuesOfOne(first))
        : await db.run<StoredEvent>(storingMany, {
            platform: first.platform,
            ...columnsOf(events),
          });
    const answers = rows.map(({ id, original }) => ({ id, original }));
    sendSlips(events.filter((_, i) => answers[i]?.original === null));
    return answers;
  };
}
