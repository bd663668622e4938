// Storing events of the inbox with their names and slips in one statement that commits by itself: one round trip, and
// nothing that a process could hold in between.
import { sql } from 'drizzle-orm';
import type { Platform, ReceivedEvent } from '#contracts/inbox.ts';
import { prepareStatement, type Queryable, type Statement } from './database.ts';
import type { StoredEvent } from './inbox.ts';
import { createWaker } from './waker.ts';

/** The statement of a queue that sends jobs: its first parameter is the jobs as JSON, as text. */
type SendingText = string;

/** What the statement fails with where it has to be done in steps instead: a twin was stored while it ran. */
const twinMet = '22012';

export function isTwinMet(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === twinMet;
}

const given = sql.placeholder;

/**
 * pg-boss's own statement taken apart: its insert, and the call that wakes who waits for jobs.
 * @throws for a text of another form
 */
function takeApart(text: SendingText): { insert: string; wake: string } {
  const own = text.trim();
  const [, insert, wake] =
    /^WITH ins AS \(([\s\S]*)\),\s*notified AS \(\s*SELECT (pg_notify\([\s\S]*\))\s+FROM ins WHERE [^()]*\(\) LIMIT 1\s*\)\s*SELECT id FROM ins /.exec(
      own,
    ) ?? [];
  if (
    insert === undefined ||
    wake === undefined ||
    own.split('$1').length !== 2 ||
    /\$[2-9]/.test(own)
  ) {
    throw new Error('takeApart: pg-boss sends jobs in another way than this was written for');
  }
  return { insert: insert.replace('$1', '(select jobs from slips)'), wake };
}

/**
 * Names are written in one order by everybody, so that processes that were sent the same events wait for each other but
 * never in a circle; so are slips, after all names. A name that stands already is written as it is: that waits for whoever
 * is just storing it, and says whose it is. A further name of an event that stands is written as that one's at once, by
 * what stood before the statement began; where another stored it meanwhile, the division fails and nothing is written.
 * The number of an event is drawn by the statement that stores it, so that what was stored before another event came is
 * lower than that one.
 */
function prepareStoring(platform: Platform, insert: string): Statement {
  return prepareStatement(
    `store_${platform}_events`,
    sql`
  with incoming as materialized (
    select nextval('countersign.inbox_id_seq') as id, e.*
    from (
      select * from unnest(
        ${given('tenants')}::text[], ${given('threads')}::text[], ${given('kinds')}::text[],
        ${given('bodies')}::bytea[], ${given('times')}::timestamptz[], ${given('awaited')}::boolean[],
        ${given('slips')}::text[]
      ) with ordinality as e(tenant, thread, kind, body, received_at, awaited, slip, n)
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
  ), slips as materialized (
    select json_agg(json_build_object(
      'data', json_build_object('platform', ${given('platform')}::text, 'tenant', tenant, 'thread', thread),
      'singletonKey', slip
    ) order by slip collate "C") as jobs
    from (select distinct on (slip) slip, tenant, thread from judged where original is null) fresh
  ), sent as (${sql.raw(insert)})
  select id, original, sound, (select count(*)::int from sent) as sent from judged order by n`,
  );
}

/** An event and the key of the slip of its thread. */
type SlippedEvent = ReceivedEvent & { slip: string };

/**
 * Stores events of one platform, no two of them with a name in common, and commits. Answers for each, in their order.
 * @throws what `isTwinMet` knows; then nothing was stored
 */
export type StoreAtOnce = (events: SlippedEvent[]) => Promise<StoredEvent[]>;

type Parts = { store: Statement; wake(): void };

/**
 * Whoever waits for slips is woken when they are committed, and not by the statement that sends them: those that notify
 * commit one after the other, each with the disk to wait for, and whoever acknowledges would wait for them all. The word
 * itself waits for no disk, which would be busy with it: nothing is lost with it (`waker.ts`).
 * @param db for storing
 * @param waking for the word to those who wait for slips
 * @param readSending the statement that sends slips of a platform
 */
export function createStoreAtOnce(
  db: Pick<Queryable, 'run'>,
  waking: Pick<Queryable, 'run'>,
  readSending: (platform: Platform) => Promise<SendingText>,
): StoreAtOnce {
  const made = new Map<Platform, Parts>();

  async function partsOf(platform: Platform): Promise<Parts> {
    const known = made.get(platform);
    if (known !== undefined) return known;
    const { insert, wake } = takeApart(await readSending(platform));
    const word = prepareStatement(
      `wake_${platform}`,
      sql`select ${sql.raw(wake)} from set_config('synchronous_commit', 'off', true)`,
    );
    const parts = {
      store: prepareStoring(platform, insert),
      wake: createWaker(() => waking.run(word, {})),
    };
    made.set(platform, parts);
    return parts;
  }

  return async (events) => {
    const [first] = events;
    if (first === undefined) return [];
    const { platform } = first;
    const named = events.flatMap(({ keys }, i) =>
      [...new Set(keys)].map((key) => ({ owner: i + 1, key })),
    );
    const { store, wake } = await partsOf(platform);
    const rows = await db.run<StoredEvent & { sent: number }>(store, {
      platform,
      tenants: events.map(({ tenant }) => tenant),
      threads: events.map(({ thread }) => thread),
      kinds: events.map(({ kind }) => kind),
      bodies: events.map(({ body }) => Buffer.from(body)),
      times: events.map(({ received_at }) => received_at.toISOString()),
      awaited: events.map(({ awaited = false }) => awaited),
      slips: events.map(({ slip }) => slip),
      owners: named.map(({ owner }) => owner),
      keys: named.map(({ key }) => key),
    });
    if (rows.some(({ sent }) => sent > 0)) wake();
    return rows.map(({ id, original }) => ({ id, original }));
  };
}
