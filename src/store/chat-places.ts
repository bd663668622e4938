// Where a conversation lives on a chat platform, and who is at it. Whoever wants something done there counts `asked` up in
// the transaction of the reason; who holds the place says up to which count it is done. So nothing asked meanwhile is lost.
import { hash } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import type { ChatPlace } from '#contracts/chat.ts';
import type { Platform } from '#contracts/inbox.ts';
import type { Queryable, Transaction } from './database.ts';
import { isoOf } from './sql/iso.ts';

/** The conversation that lives at a place: always the same one. */
export function conversationAt({ platform, tenant, channel, thread }: ChatPlace): string {
  const name = JSON.stringify([platform, tenant, channel, thread]);
  return `${platform}-${hash('sha256', name, 'hex').slice(0, 32)}`;
}

/**
 * Makes the place known; one that was broken is tried again.
 * @param timezone of the one who reads there; null: nobody knows, or several do
 * @returns whether something waits to be posted there that could not be before
 */
export async function storePlace(
  tx: Transaction,
  place: ChatPlace,
  timezone: string | null,
): Promise<boolean> {
  const conversation = conversationAt(place);
  const { platform, tenant, channel, thread } = place;
  await tx.execute(sql`
    insert into countersign.chat_places (conversation, platform, tenant, channel, thread, timezone)
    values (${conversation}, ${platform}, ${tenant}, ${channel}, ${thread}, ${timezone})
    on conflict (conversation) do update set timezone = excluded.timezone
      where excluded.timezone is not null and chat_places.timezone is distinct from excluded.timezone`);
  const { rows } = await tx.execute(sql`
    update countersign.chat_places set broken = null, broken_at = null, tries = 0, not_before = null
    where conversation = ${conversation} and broken is not null returning conversation`);
  return rows.length > 0;
}

/** Whose a conversation is on its platform; null: it lives on none. */
export async function findPlaceOf(
  db: Queryable,
  conversation: string,
): Promise<Pick<ChatPlace, 'platform' | 'tenant'> | null> {
  const { rows } = await db.execute<Pick<ChatPlace, 'platform' | 'tenant'>>(sql`
    select platform, tenant from countersign.chat_places where conversation = ${conversation}`);
  return rows[0] ?? null;
}

/**
 * Conversations among `targets` that live on a platform, as one who posts from `from` finds them. `near`: in the same
 * workspace, organisation or tenant. `private`: a chat with the bot alone in which nobody of `names` has asked for anything.
 */
export async function findPostTargets(
  db: Queryable,
  from: string | null,
  names: string[],
  targets: string[],
): Promise<Map<string, { near: boolean; private: boolean; broken: string | null }>> {
  const { rows } = await db.execute<{
    conversation: string;
    near: boolean;
    private: boolean;
    broken: string | null;
  }>(sql`
    select t.conversation, t.broken,
      o.platform is not null and (o.tenant = t.tenant or exists (
        select from countersign.slack_workspaces a
        join countersign.slack_workspaces b on b.enterprise = a.enterprise
        where t.platform = 'slack' and a.team = o.tenant and b.team = t.tenant)) as near,
      t.thread is null and not exists (
        select from countersign.teams_conversations c
        where t.platform = 'teams' and c.tenant = t.tenant and c.channel = t.channel and c.kind = 'group')
      and not exists (
        select from countersign.runs r
        where r.conversation = t.conversation and r.via = t.platform and r."user" = any(${sql.param(names)}::text[])) as private
    from countersign.chat_places t
    left join countersign.chat_places o on o.conversation = ${from} and o.platform = t.platform
    where t.conversation = any(${sql.param(targets)}::text[])`);
  return new Map(rows.map(({ conversation, ...target }) => [conversation, target]));
}

/** Something is to be posted in the conversation. @returns whether it lives on a platform */
export async function askForDelivery(tx: Transaction, conversation: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    update countersign.chat_places set asked = asked + 1
    where conversation = ${conversation} returning conversation`);
  return rows.length > 0;
}

/** Who is at a conversation. */
export type PlaceLease = { conversation: string; holder: string };

/** A place that is held, as it stood when it was taken. */
export type HeldPlace = {
  conversation: string;
  place: ChatPlace;
  timezone: string | null;
  /** What was asked for until it was taken. */
  asked: number;
  /** Tries in a row that failed. */
  tries: number;
};

const until = (seconds: number) => sql`clock_timestamp() + make_interval(secs => ${seconds})`;
const heldBy = ({ conversation, holder }: PlaceLease) =>
  sql`conversation = ${conversation} and holder = ${holder}`;
/** Something is to be done there, and may be. */
const waits = sql`broken is null and (asked > answered or due_at <= clock_timestamp())
  and (not_before is null or not_before <= clock_timestamp())
  and (lease_until is null or lease_until < clock_timestamp())`;

/** Takes a place where something is to be done and that nobody is at; null: there is none. */
export async function enterPlace(
  db: Queryable,
  { conversation, holder }: PlaceLease,
  leaseSeconds: number,
): Promise<HeldPlace | null> {
  const { rows } = await db.execute<ChatPlace & Omit<HeldPlace, 'place'>>(sql`
    update countersign.chat_places set holder = ${holder}, lease_until = ${until(leaseSeconds)}
    where conversation = ${conversation} and ${waits}
    returning platform, tenant, channel, thread, timezone, asked, tries`);
  const [row] = rows;
  if (row === undefined) return null;
  const { platform, tenant, channel, thread, timezone, asked, tries } = row;
  const place = { platform, tenant, channel, thread };
  return { conversation, place, timezone, asked, tries };
}

/** @returns false: the place was given to another */
export async function renewPlace(
  db: Queryable,
  lease: PlaceLease,
  leaseSeconds: number,
): Promise<boolean> {
  const { rows } = await db.execute(sql`
    update countersign.chat_places set lease_until = ${until(leaseSeconds)}
    where ${heldBy(lease)} returning conversation`);
  return rows.length > 0;
}

/**
 * Lets the place go: what was asked for up to `asked` is done, but for what is due in `dueInMs`.
 * @returns whether more was asked for meanwhile
 */
export async function leavePlace(
  db: Queryable,
  lease: PlaceLease,
  { asked, dueInMs }: { asked: number; dueInMs: number | null },
): Promise<{ more: boolean; due: Date | null }> {
  const { rows } = await db.execute<{ more: boolean; due: string | null }>(sql`
    update countersign.chat_places set holder = null, lease_until = null, answered = greatest(answered, ${asked}::bigint),
      due_at = ${dueInMs === null ? sql`null` : until(dueInMs / 1000)}
    where ${heldBy(lease)}
    returning asked > answered as more, ${isoOf('due_at', 'milliseconds')} as due`);
  const [row] = rows;
  if (row === undefined) return { more: false, due: null };
  return { more: row.more, due: row.due === null ? null : new Date(row.due) };
}

/** Lets the place go with all that is to be done there; nobody takes it for `inMs`. @returns until when */
export async function postponePlace(
  db: Queryable,
  lease: PlaceLease,
  inMs: number,
): Promise<Date | null> {
  const { rows } = await db.execute<{ until: string }>(sql`
    update countersign.chat_places set holder = null, lease_until = null, asked = asked + 1,
      tries = tries + ${inMs > 0 ? 1 : 0}::int, not_before = ${until(inMs / 1000)}
    where ${heldBy(lease)} returning ${isoOf('not_before', 'milliseconds')} as until`);
  const [row] = rows;
  return row === undefined ? null : new Date(row.until);
}

/** Nothing can be posted there until somebody does what `why` says. @returns whether that is news */
export async function breakPlace(db: Queryable, lease: PlaceLease, why: string): Promise<boolean> {
  const { rows } = await db.execute(sql`
    update countersign.chat_places set holder = null, lease_until = null, asked = asked + 1,
      broken = ${why}, broken_at = clock_timestamp()
    where ${heldBy(lease)} returning conversation`);
  return rows.length > 0;
}

/** Places of these tenants, locked one after the other in the order of everybody who locks several. */
const placesOf = (platform: Platform, tenants: string[], state: SQL) => sql`
  select conversation from countersign.chat_places
  where platform = ${platform} and tenant = any(${sql.param(tenants)}::text[]) and ${state}
  order by conversation for no key update`;

/** Nothing can be posted in whole workspaces until somebody does what `why` says. */
export async function breakPlaces(
  tx: Transaction,
  platform: Platform,
  tenants: string[],
  why: string,
): Promise<void> {
  await tx.execute(sql`
    with locked as materialized (${placesOf(platform, tenants, sql`broken is null`)})
    update countersign.chat_places p set broken = ${why}, broken_at = clock_timestamp() from locked
    where p.conversation = locked.conversation`);
}

/** Whole workspaces are in order again. @returns the conversations in which something waits to be posted */
export async function mendPlaces(
  tx: Transaction,
  platform: Platform,
  tenants: string[],
): Promise<string[]> {
  const { rows } = await tx.execute<{ conversation: string; waits: boolean }>(sql`
    with locked as materialized (${placesOf(platform, tenants, sql`broken is not null`)})
    update countersign.chat_places p set broken = null, broken_at = null, tries = 0, not_before = null from locked
    where p.conversation = locked.conversation
    returning p.conversation, p.asked > p.answered or p.due_at is not null as waits`);
  return rows.filter(({ waits }) => waits).map(({ conversation }) => conversation);
}

/** Conversations of a platform at which something has been waiting and nobody is; at most `limit`, after `after`. */
export async function findWaitingPlaces(
  db: Queryable,
  platform: Platform,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.execute<{ conversation: string }>(sql`
    select conversation from countersign.chat_places
    where platform = ${platform} and conversation > ${after} and (asked > answered or due_at is not null) and ${waits}
    order by conversation limit ${limit}`);
  return rows.map(({ conversation }) => conversation);
}

/** Nobody mends what was set aside; after a week it is no news. */
const failedLately = sql`error is not null and shown_at > clock_timestamp() - interval '7 days'`;

export type DeliveryState = {
  /** Places with something to do, counted up to a limit. */
  waiting: number;
  broken: number;
  /** The place that broke last, and what an operator has to do. */
  last: { platform: string; tenant: string; channel: string; broken: string } | null;
  /** Messages and cards of this week that the platform refused for good, counted up to a limit. */
  failed: number;
  error: string | null;
};

export async function readDeliveryState(db: Queryable, most: number): Promise<DeliveryState> {
  const { rows } = await db.execute<DeliveryState>(sql`
    with waiting as (
      select from countersign.chat_places where (asked > answered or due_at is not null) and broken is null limit ${most}
    ), broken as (
      select from countersign.chat_places where broken is not null limit ${most}
    ), failed as (
      select from countersign.chat_posts where ${failedLately} limit ${most}
    )
    select (select count(*)::int from waiting) as waiting, (select count(*)::int from broken) as broken,
      (select count(*)::int from failed) as failed,
      (select error from countersign.chat_posts where ${failedLately} order by message_id desc limit 1) as error,
      (select jsonb_build_object('platform', platform, 'tenant', tenant, 'channel', channel, 'broken', broken)
        from countersign.chat_places where broken is not null order by broken_at desc limit 1) as last`);
  const [row] = rows;
  if (row === undefined) throw new Error('readDeliveryState: no row came back');
  return row;
}
