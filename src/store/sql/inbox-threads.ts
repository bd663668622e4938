// Several threads of the inbox in one statement, each as `inbox-thread.ts` does it: entered, and settled with the next taken.
// Leases are written before events, and in the order in which they are given, which is one everywhere (`gather.ts`): so two
// that are at the same threads wait for each other, and never in a circle. Events are written where they were found, by their
// `ctid`: joined by their names, all that is open may be read for each. One that another wrote meanwhile is left to that one.
import { sql } from 'drizzle-orm';
import { prepareStatement, type Queryable } from '../database.ts';
import {
  type Attempt,
  asJson,
  type Lease,
  readTaken,
  type Taken,
  type TakenRow,
  tellingOf,
  toldBy,
} from './inbox-thread.ts';

const given = sql.placeholder;
const givenUntil = sql`clock_timestamp() + make_interval(secs => ${given('seconds')}::float8)`;
const isOpen = sql`i.handled_at is null and i.failed_at is null`;
/** Whether `i` and the other are of one thread. */
const sameThread = (one: 'i' | 'l', other: 'a' | 'h') => {
  const [mine, its] = [sql.identifier(one), sql.identifier(other)];
  return sql`${mine}.platform = ${its}.platform and ${mine}.tenant = ${its}.tenant and ${mine}.thread = ${its}.thread`;
};

/** `lease` has a row for each thread that is held, with its head. It is read whole before any event is written. */
const takeHeads = sql`
  due as materialized (select * from lease order by n), taken as (
    update countersign.inbox i set attempt = i.attempt + 1, failures = i.failures + 1
    from due h
    where i.ctid = h.place and ${isOpen} and i.due_at <= clock_timestamp()
    returning h.n, ${tellingOf('i')}
  )`;

const entering = prepareStatement(
  'enter_threads',
  sql`
    with asked as materialized (
      select * from unnest(
        ${given('platforms')}::text[], ${given('tenants')}::text[], ${given('threads')}::text[], ${given('holders')}::text[]
      ) with ordinality as a(platform, tenant, thread, holder, n)
    ), heads as materialized (
      select a.*, h.place from asked a cross join lateral (
        select i.ctid as place, i.due_at <= clock_timestamp() as due from countersign.inbox i
        where ${isOpen} and ${sameThread('i', 'a')} order by i.id limit 1
      ) h where h.due
    ), entered as (
      insert into countersign.inbox_leases as l (platform, tenant, thread, holder, lease_until)
      select platform, tenant, thread, holder, ${givenUntil} from heads order by n
      on conflict (platform, tenant, thread)
        do update set holder = excluded.holder, lease_until = excluded.lease_until
        where l.lease_until < clock_timestamp()
      returning platform, tenant, thread
    ), lease as (
      select heads.* from heads join entered using (platform, tenant, thread)
    ), ${takeHeads}
    select due.n is not null as held, ${toldBy('taken')}
    from asked a left join due on due.n = a.n left join taken on taken.n = a.n order by a.n`,
);

const settling = prepareStatement(
  'settle_and_take_each',
  sql`
    with asked as materialized (
      select * from unnest(
        ${given('platforms')}::text[], ${given('tenants')}::text[], ${given('threads')}::text[], ${given('holders')}::text[],
        ${given('ids')}::bigint[], ${given('attempts')}::int[], ${given('replies')}::text[]
      ) with ordinality as a(platform, tenant, thread, holder, id, attempt, reply, n)
    ), heads as materialized (
      select a.n, a.platform, a.tenant, a.thread, a.holder, h.place, coalesce(h.due, false) as due
      from asked a left join lateral (
        select i.ctid as place, i.due_at <= clock_timestamp() as due from countersign.inbox i
        where ${isOpen} and ${sameThread('i', 'a')} and i.id <> a.id order by i.id limit 1
      ) h on true
    ), locked as materialized (
      select from heads h join countersign.inbox_leases l on ${sameThread('l', 'h')} and l.holder = h.holder
      order by h.n for update of l
    ), lease as (
      update countersign.inbox_leases l set lease_until = ${givenUntil} from heads h
      where (select count(*) from locked) >= 0
        and ${sameThread('l', 'h')} and l.holder = h.holder and l.lease_until > clock_timestamp() and h.due
      returning h.*
    ), gone as (
      delete from countersign.inbox_leases l using heads h
      where (select count(*) from locked) >= 0 and ${sameThread('l', 'h')} and l.holder = h.holder and not h.due
      returning h.n
    ), events as materialized (
      select a.n, a.attempt, a.reply, e.place from asked a cross join lateral (
        select i.ctid as place from countersign.inbox i
        where ${isOpen} and ${sameThread('i', 'a')} and i.id = a.id limit 1
      ) e
    ), settled as (
      update countersign.inbox i set handled_at = clock_timestamp(), error = null, reply = e.reply::jsonb from events e
      where (select count(*) from lease) + (select count(*) from gone) >= 0
        and i.ctid = e.place and i.attempt = e.attempt and ${isOpen}
      returning e.n
    ), ${takeHeads}
    select settled.n is not null as settled, due.n is not null as held, ${toldBy('taken')}
    from asked a left join settled on settled.n = a.n left join due on due.n = a.n left join taken on taken.n = a.n
    order by a.n`,
);

function valuesOf(leases: Lease[], seconds: number) {
  return {
    platforms: leases.map(({ platform }) => platform),
    tenants: leases.map(({ tenant }) => tenant),
    threads: leases.map(({ thread }) => thread),
    holders: leases.map(({ holder }) => holder),
    seconds,
  };
}

/**
 * As `enterThread` for each; no thread twice.
 * @returns in their order
 */
export async function enterThreads(
  db: Pick<Queryable, 'run'>,
  leases: Lease[],
  leaseSeconds: number,
): Promise<Taken[]> {
  const rows = await db.run<TakenRow>(entering, valuesOf(leases, leaseSeconds));
  return rows.map((row) => readTaken([row]));
}

export type Settling = { lease: Lease; event: Attempt; reply: unknown };
export type Settled = { settled: boolean; next: Taken };

/**
 * As `settleAndTake` for each; no thread twice.
 * @returns in their order
 */
export async function settleAndTakeEach(
  db: Pick<Queryable, 'run'>,
  settlings: Settling[],
  leaseSeconds: number,
): Promise<Settled[]> {
  const leases = settlings.map(({ lease }) => lease);
  const rows = await db.run<TakenRow & { settled: boolean }>(settling, {
    ...valuesOf(leases, leaseSeconds),
    ids: settlings.map(({ event }) => event.id),
    attempts: settlings.map(({ event }) => event.attempt),
    replies: settlings.map(({ reply }) => asJson(reply)),
  });
  return rows.map(({ settled, ...taken }) => ({ settled, next: readTaken([taken]) }));
}
