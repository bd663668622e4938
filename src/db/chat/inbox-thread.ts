// An inbox thread: its lease holder alone takes its first open event.
import { type SQL, sql } from 'drizzle-orm';
import type { InboxEvent, InboxThread } from '#domain/chat/inbox.ts';
import type { ErrorCode } from '#domain/errors.ts';
import { prepareStatement, type Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { inSeconds, isoOf } from '../time.ts';

export type TakenEvent = InboxEvent & {
  attempt: number;
  /** Including this one. */
  failures: number;
  /** Earlier attempts ended with their process, not with an error. */
  silent: boolean;
  age_ms: number;
};

export type Taken = { held: boolean; event: TakenEvent | null };

type TakenRow = { held: boolean } & (
  | ({ id: number } & Omit<TakenEvent, 'id' | 'received_at'> & { received_at: string })
  | { id: null }
);

export type Lease = InboxThread & { holder: string };

const inThread = ({ platform, tenant, thread }: InboxThread) =>
  sql`platform = ${platform} and tenant = ${tenant} and thread = ${thread}`;
const isOpen = sql`handled_at is null and failed_at is null`;
/** `reply` as JSON for its waiter, or null; `forget` deletes the body. */
export type Ending = { reply: unknown; forget: boolean };

const given = sql.placeholder;
const forgotten = sql`body = case when ${given('forget')}::boolean then ''::bytea else body end`;

const inGivenThread = sql`platform = ${given('platform')} and tenant = ${given('tenant')} and thread = ${given('thread')}`;
const givenUntil = sql`clock_timestamp() + make_interval(secs => ${given('seconds')}::float8)`;

const head = sql`
  select id, due_at <= clock_timestamp() as due from ${countersign}.inbox
  where ${isOpen} and ${inGivenThread} order by id limit 1`;

const columns = ['id', 'platform', 'tenant', 'thread', 'kind', 'body', 'attempt', 'failures'];

const tellingOf = (
  table: string,
): SQL => sql`${sql.raw(columns.map((name) => `${table}.${name}`).join(', '))},
    ${isoOf(`${table}.received_at`, 'milliseconds')} as received_at,
    ${sql.raw(table)}.error is null as silent,
    (extract(epoch from clock_timestamp() - ${sql.raw(table)}.stored_at) * 1000)::float8 as age_ms`;

/** Skips events settled since the statement began. Names the thread so that the open events' index matches whole. */
const takeHead = sql`
  taken as (
    update ${countersign}.inbox set attempt = attempt + 1, failures = failures + 1
    where exists (select from lease) and ${inGivenThread} and id = (select id from head) and ${isOpen}
      and due_at <= clock_timestamp()
    returning ${tellingOf('inbox')}
  )`;

const tellTaken = sql`
  select exists (select from lease) as held, taken.* from (select) once left join taken on true`;

function valuesOf({ platform, tenant, thread, holder }: Lease, seconds: number) {
  return { platform, tenant, thread, holder, seconds };
}

const asJson = (reply: unknown) => (reply === null ? null : JSON.stringify(reply));

function readTaken(rows: TakenRow[]): Taken {
  const [row] = rows;
  if (row === undefined) throw new Error('readTaken: no row came back');
  const { held, ...event } = row;
  if (event.id === null) return { held, event: null };
  return { held, event: { ...event, received_at: new Date(event.received_at) } };
}

const entering = prepareStatement(
  'enter_thread',
  sql`
    with head as materialized (${head}), lease as (
      insert into ${countersign}.inbox_leases as l (platform, tenant, thread, holder, lease_until)
      select ${given('platform')}, ${given('tenant')}, ${given('thread')}, ${given('holder')}, ${givenUntil}
      from head where due
      on conflict (platform, tenant, thread)
        do update set holder = excluded.holder, lease_until = excluded.lease_until
        where l.lease_until < excluded.lease_until - make_interval(secs => ${given('seconds')}::float8)
      returning holder
    ), ${takeHead} ${tellTaken}`,
);

const holdOn = sql`
  lease as (
    update ${countersign}.inbox_leases set lease_until = ${givenUntil}
    where ${inGivenThread} and holder = ${given('holder')} and lease_until > clock_timestamp()
      and exists (select from head where due)
    returning holder
  ), gone as (
    delete from ${countersign}.inbox_leases
    where ${inGivenThread} and holder = ${given('holder')} and not exists (select from head where due)
    returning holder
  )`;

const taking = prepareStatement(
  'take_next',
  sql`
    with head as materialized (${head}), ${holdOn}, ${takeHead} ${tellTaken}`,
);

/** In its snapshot the settled event is still open. Writes the lease first, as everywhere. */
const settlingAndTaking = prepareStatement(
  'settle_and_take',
  sql`
    with head as materialized (
      select id, due_at <= clock_timestamp() as due from ${countersign}.inbox
      where ${isOpen} and ${inGivenThread} and id <> ${given('id')} order by id limit 1
    ), ${holdOn}, settled as (
      update ${countersign}.inbox set handled_at = clock_timestamp(), error = null, reply = ${given('reply')}::jsonb,
        ${forgotten}
      where ${inGivenThread} and id = ${given('id')} and attempt = ${given('attempt')} and ${isOpen}
        and (select count(*) from lease) + (select count(*) from gone) >= 0
      returning id
    ), ${takeHead}
    select exists (select from settled) as settled, told.* from (${tellTaken}) told`,
);

const settling = prepareStatement(
  'settle_handled',
  sql`
    update ${countersign}.inbox set handled_at = clock_timestamp(), error = null, reply = ${given('reply')}::jsonb,
        ${forgotten}
    where id = ${given('id')} and attempt = ${given('attempt')} and ${isOpen} returning id`,
);

/** `{ held: true, event: null }`: another process just settled or postponed it; ask again. */
export async function enterThread(
  db: Pick<Queryable, 'run'>,
  lease: Lease,
  leaseSeconds: number,
): Promise<Taken> {
  return readTaken(await db.run<TakenRow>(entering, valuesOf(lease, leaseSeconds)));
}

/** Renews the lease, or releases it if nothing is due. */
export async function takeNext(db: Queryable, lease: Lease, leaseSeconds: number): Promise<Taken> {
  return readTaken(await db.run<TakenRow>(taking, valuesOf(lease, leaseSeconds)));
}

/** @returns `settled` false if another process took the event or it was already settled */
export async function settleAndTake(
  db: Pick<Queryable, 'run'>,
  lease: Lease,
  { id, attempt }: Attempt,
  { leaseSeconds, reply, forget }: Ending & { leaseSeconds: number },
): Promise<{ settled: boolean; next: Taken }> {
  const values = { ...valuesOf(lease, leaseSeconds), id, attempt, reply: asJson(reply), forget };
  const [row] = await db.run<TakenRow & { settled: boolean }>(settlingAndTaking, values);
  if (row === undefined) throw new Error('settleAndTake: no row came back');
  const { settled, ...taken } = row;
  return { settled, next: readTaken([taken]) };
}

/** @returns false if the lease was lost */
export async function renewThread(
  db: Queryable,
  { holder, ...thread }: Lease,
  leaseSeconds: number,
): Promise<boolean> {
  return db.hasRows(sql`
    update ${countersign}.inbox_leases set lease_until = ${inSeconds(leaseSeconds)}
    where ${inThread(thread)} and holder = ${holder} and lease_until > clock_timestamp() returning holder`);
}

export async function leaveThread(db: Queryable, { holder, ...thread }: Lease): Promise<void> {
  await db.execute(
    sql`delete from ${countersign}.inbox_leases where ${inThread(thread)} and holder = ${holder}`,
  );
}

export type Attempt = Pick<TakenEvent, 'id' | 'attempt'>;

const ofAttempt = ({ id, attempt }: Attempt) =>
  sql`id = ${id} and attempt = ${attempt} and ${isOpen}`;

/** @returns false if another process took it or it is already settled */
export async function settleHandled(
  db: Queryable,
  { id, attempt }: Attempt,
  { reply, forget }: Ending = { reply: null, forget: false },
): Promise<boolean> {
  const rows = await db.run<{ id: number }>(settling, {
    id,
    attempt,
    reply: asJson(reply),
    forget,
  });
  return rows.length > 0;
}

/** @param options.counts whether it counts as an attempt @returns the due time, or null if taken or already settled */
export async function postpone(
  db: Queryable,
  attempt: Attempt,
  { inMs, counts, error }: { inMs: number; counts: boolean; error: string | null },
): Promise<Date | null> {
  const [row] = await db.rows<{ due: string }>(sql`
    update ${countersign}.inbox set
      due_at = clock_timestamp() + make_interval(secs => ${inMs / 1000}),
      failures = failures - ${counts ? 0 : 1}::int,
      error = coalesce(${error}, error)
    where ${ofAttempt(attempt)} returning ${isoOf('due_at', 'milliseconds')} as due`);
  return row === undefined ? null : new Date(row.due);
}

/** Its thread continues. @param earlier keeps the previous attempt's error */
export async function setAside(
  db: Queryable,
  attempt: Attempt,
  { text, code }: { text: string; code: ErrorCode },
  earlier: 'kept' | 'replaced',
): Promise<boolean> {
  const before = earlier === 'kept' ? sql`error` : sql`null`;
  return db.hasRows(sql`
    update ${countersign}.inbox set failed_at = clock_timestamp(), error_code = ${code},
      error = concat_ws(' Before that: ', ${text}::text, ${before})
    where ${ofAttempt(attempt)} returning id`);
}
