// Conversations' places on chat platforms, and who delivers there.
// A request increments `asked` in its transaction; the lease holder records the count it finished, so no request is lost.
import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { type ChatPlace, conversationAt, type ShownStatus } from '#domain/chat/chat.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import type { Queryable, Transaction } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { chatPlaces, chatPosts } from '../schema.ts';
import { daysAgo, inSeconds, now } from '../time.ts';
import { isAlone } from './alone.ts';

const is = (conversation: string) => eq(chatPlaces.conversation, conversation);
const mended = { broken: null, broken_at: null, tries: 0, not_before: null };
const askedOnceMore = sql`${chatPlaces.asked} + 1`;
const hasWork = or(gt(chatPlaces.asked, chatPlaces.answered), isNotNull(chatPlaces.due_at));

/** Retries a broken place. @param timezone of the only reader, or null @returns whether stuck posts can now be sent */
export async function storePlace(
  tx: Transaction,
  place: ChatPlace,
  timezone: string | null,
): Promise<boolean> {
  const conversation = conversationAt(place);
  const { platform, tenant, channel, thread } = place;
  await tx
    .insert(chatPlaces)
    .values({ conversation, platform, tenant, channel, thread, timezone })
    .onConflictDoUpdate({
      target: chatPlaces.conversation,
      set: { timezone },
      setWhere: sql`${timezone}::text is not null and ${chatPlaces.timezone} is distinct from ${timezone}`,
    });
  const { rowCount } = await tx
    .update(chatPlaces)
    .set(mended)
    .where(and(is(conversation), isNotNull(chatPlaces.broken)));
  return rowCount !== 0;
}

/** In the same workspace, organisation or tenant as place `o`. */
const isNear = sql`o.platform is not null and (o.tenant = t.tenant or exists (
  select from ${countersign}.slack_workspaces a
  join ${countersign}.slack_workspaces b on b.enterprise = a.enterprise
  where t.platform = 'slack' and a.team = o.tenant and b.team = t.tenant))`;

/** A private chat with the bot in which none of `names` requested anything. In Slack it has threads. */
const isPrivate = (names: string[]) => sql`((t.thread is null or t.platform = 'slack')
  and not (t.platform = 'slack' and t.channel !~ '^D')
  and not exists (
    select from ${countersign}.teams_conversations c
    where t.platform = 'teams' and c.tenant = t.tenant and c.channel = t.channel and c.kind <> 'personal')
  and not exists (
    select from ${countersign}.runs r
    where r.conversation = t.conversation and r.via = t.platform and r."user" = any(${sql.param(names)}::text[])))`;

/** `alone`: own chat with the bot. `private`: another person's. */
export type PostPlace = ChatPlace & {
  name: string | null;
  near: boolean;
  alone: boolean;
  private: boolean;
  broken: string | null;
};

export async function findPostTargets(
  db: Queryable,
  from: string | null,
  names: string[],
  targets: string[],
): Promise<Map<string, PostPlace>> {
  const { rows } = await db.execute<PostPlace & { conversation: string }>(sql`
    select t.conversation, t.platform, t.tenant, t.channel, t.thread, t.name, t.broken,
      ${isNear} as near, ${isAlone(sql`t`)} as alone, ${isPrivate(names)} as private
    from ${countersign}.chat_places t
    left join ${countersign}.chat_places o on o.conversation = ${from} and o.platform = t.platform
    where t.conversation = any(${sql.param(targets)}::text[])`);
  return new Map(rows.map(({ conversation, ...target }) => [conversation, target]));
}

const targetsListed = 20;
const maxRuns = 2000;

/** Latest first. Hides messages of private chats and other channels. */
export async function listPostTargets(
  db: Queryable,
  from: string,
  names: string[],
): Promise<{ conversation: string; about: string }[]> {
  return db.rows(sql`
    with latest as (
      select conversation, "user", request, updated_at from ${countersign}.runs order by updated_at desc limit ${maxRuns}),
    own as (
      select distinct on (conversation) conversation, request, updated_at from latest
      where "user" = any(${sql.param(names)}::text[]) order by conversation, updated_at desc)
    select t.conversation, own.request as about
    from own
    join ${countersign}.chat_places t on t.conversation = own.conversation
    join ${countersign}.chat_places o on o.conversation = ${from} and o.platform = t.platform
    where t.conversation <> o.conversation and t.broken is null and ${isNear} and not ${isPrivate(names)}
      and (t.channel = o.channel or ${isAlone(sql`o`)}) and not ${isAlone(sql`t`)}
    order by own.updated_at desc
    limit ${targetsListed}`);
}

export async function namePlace(db: Queryable, place: ChatPlace, name: string): Promise<string> {
  const conversation = conversationAt(place);
  const { platform, tenant, channel, thread } = place;
  await db
    .insert(chatPlaces)
    .values({ conversation, platform, tenant, channel, thread, name })
    .onConflictDoUpdate({
      target: chatPlaces.conversation,
      set: { name },
      setWhere: sql`${chatPlaces.name} is distinct from ${name}`,
    });
  return conversation;
}

export async function findPlace(db: Queryable, conversation: string): Promise<ChatPlace | null> {
  const { platform, tenant, channel, thread } = chatPlaces;
  const [place] = await db
    .select({ platform, tenant, channel, thread })
    .from(chatPlaces)
    .where(is(conversation));
  return place ?? null;
}

/** @returns whether it is on a platform */
export async function askForDelivery(tx: Transaction, conversation: string): Promise<boolean> {
  const { rowCount } = await tx
    .update(chatPlaces)
    .set({ asked: askedOnceMore })
    .where(is(conversation));
  return rowCount !== 0;
}

export type PlaceLease = { conversation: string; holder: string };

export type HeldPlace = {
  conversation: string;
  place: ChatPlace;
  timezone: string | null;
  /** The counter when leased. */
  asked: number;
  tries: number;
  status: ShownStatus | null;
  /** The last holder died or was too slow. */
  died: boolean;
};

const isHeldBy = ({ conversation, holder }: PlaceLease) =>
  and(is(conversation), eq(chatPlaces.holder, holder));
const released = { holder: null, lease_until: null };
const isFree = and(
  isNull(chatPlaces.broken),
  or(isNull(chatPlaces.not_before), lte(chatPlaces.not_before, now)),
  or(isNull(chatPlaces.lease_until), lt(chatPlaces.lease_until, now)),
);
const isDue = or(gt(chatPlaces.asked, chatPlaces.answered), lte(chatPlaces.due_at, now));
const waits = and(isFree, isDue);

export function enterPlace(
  db: Queryable,
  lease: PlaceLease,
  leaseSeconds: number,
): Promise<HeldPlace | null> {
  return leasePlace(db, lease, leaseSeconds, waits);
}

/** Leases it to show a status; null if it has work or is leased. */
export function enterQuietPlace(
  db: Queryable,
  lease: PlaceLease,
  leaseSeconds: number,
): Promise<HeldPlace | null> {
  return leasePlace(db, lease, leaseSeconds, and(isFree, sql`not coalesce(${isDue}, false)`));
}

async function leasePlace(
  db: Queryable,
  { conversation, holder }: PlaceLease,
  leaseSeconds: number,
  condition: SQL | undefined,
): Promise<HeldPlace | null> {
  const [row] = await db
    .update(chatPlaces)
    .set({ holder, lease_until: inSeconds(leaseSeconds) })
    .where(and(is(conversation), condition))
    // Here a select sees the row before the update.
    .returning({
      ...getTableColumns(chatPlaces),
      died: sql<boolean>`(select old.holder is not null from ${chatPlaces} old where old.conversation = ${conversation})`,
    });
  if (row === undefined) return null;
  const { platform, tenant, channel, thread, timezone, asked, tries, status, died } = row;
  const place = { platform, tenant, channel, thread };
  return { conversation, place, timezone, asked, tries, status, died };
}

export async function noteStatus(
  db: Queryable,
  lease: PlaceLease,
  status: ShownStatus | null,
): Promise<void> {
  await db.update(chatPlaces).set({ status }).where(isHeldBy(lease));
}

/** @returns whether work is due by now */
export async function leaveQuietPlace(
  db: Queryable,
  lease: PlaceLease,
  status: ShownStatus | null,
): Promise<boolean> {
  const [left] = await db
    .update(chatPlaces)
    .set({ ...released, status })
    .where(isHeldBy(lease))
    .returning({ waits: sql<boolean>`coalesce(${isDue}, false)` });
  return left?.waits ?? false;
}

/** @returns false if the lease was lost */
export async function renewPlace(
  db: Queryable,
  lease: PlaceLease,
  leaseSeconds: number,
): Promise<boolean> {
  const { rowCount } = await db
    .update(chatPlaces)
    .set({ lease_until: inSeconds(leaseSeconds) })
    .where(isHeldBy(lease));
  return rowCount !== 0;
}

/** Requests up to `asked` are done, except work due in `dueInMs`. @returns whether more was requested meanwhile */
export async function leavePlace(
  db: Queryable,
  lease: PlaceLease,
  { asked, dueInMs }: { asked: number; dueInMs: number | null },
): Promise<{ more: boolean; due: Date | null }> {
  const [left] = await db
    .update(chatPlaces)
    .set({
      ...released,
      answered: sql`greatest(${chatPlaces.answered}, ${asked}::bigint)`,
      due_at: dueInMs === null ? null : inSeconds(dueInMs / 1000),
    })
    .where(isHeldBy(lease))
    .returning({
      more: sql<boolean>`${chatPlaces.asked} > ${chatPlaces.answered}`,
      due: chatPlaces.due_at,
    });
  return left ?? { more: false, due: null };
}

export async function postponePlace(
  db: Queryable,
  lease: PlaceLease,
  inMs: number,
): Promise<Date | null> {
  const [left] = await db
    .update(chatPlaces)
    .set({
      ...released,
      asked: askedOnceMore,
      tries: sql`${chatPlaces.tries} + ${inMs > 0 ? 1 : 0}::int`,
      not_before: inSeconds(inMs / 1000),
    })
    .where(isHeldBy(lease))
    .returning({ until: chatPlaces.not_before });
  return left?.until ?? null;
}

/** @param why the remedy for a person to follow @returns whether that is news */
export async function breakPlace(db: Queryable, lease: PlaceLease, why: string): Promise<boolean> {
  const { rowCount } = await db
    .update(chatPlaces)
    .set({ ...released, asked: askedOnceMore, broken: why, broken_at: now })
    .where(isHeldBy(lease));
  return rowCount !== 0;
}

const lockPlaces = (tx: Transaction, condition: SQL | undefined) =>
  tx
    .select({ conversation: chatPlaces.conversation })
    .from(chatPlaces)
    .where(condition)
    .orderBy(asc(chatPlaces.conversation))
    .for('no key update')
    .as('locked');

export async function breakPlaces(
  tx: Transaction,
  among: SQL | undefined,
  why: string,
): Promise<void> {
  const locked = lockPlaces(tx, and(among, isNull(chatPlaces.broken)));
  await tx
    .update(chatPlaces)
    .set({ broken: why, broken_at: now })
    .from(locked)
    .where(eq(chatPlaces.conversation, locked.conversation));
}

/** @param askAll refreshes all @returns conversations with something to post */
export async function mendPlaces(
  tx: Transaction,
  among: SQL | undefined,
  { askAll = false }: { askAll?: boolean } = {},
): Promise<string[]> {
  const locked = lockPlaces(tx, and(among, isNotNull(chatPlaces.broken)));
  const { conversation } = chatPlaces;
  const back = await tx
    .update(chatPlaces)
    .set({ ...mended, ...(askAll ? { asked: askedOnceMore } : {}) })
    .from(locked)
    .where(eq(conversation, locked.conversation))
    .returning({ conversation, waits: sql<boolean>`(${hasWork})` });
  return back.filter((place) => place.waits).map((place) => place.conversation);
}

export const inTenants = (platform: PlatformName, tenants: string[]) =>
  and(eq(chatPlaces.platform, platform), inArray(chatPlaces.tenant, tenants));

/** Conversations after `after` with work that no process handles. */
export async function findWaitingPlaces(
  db: Queryable,
  platform: PlatformName,
  after: string,
  limit: number,
): Promise<string[]> {
  const { conversation } = chatPlaces;
  const found = await db
    .select({ conversation })
    .from(chatPlaces)
    .where(and(eq(chatPlaces.platform, platform), gt(conversation, after), hasWork, waits))
    .orderBy(asc(conversation))
    .limit(limit);
  return found.map((place) => place.conversation);
}

export type DeliveryState = {
  waiting: number;
  broken: number;
  /** The latest blocked place; `broken` is the remedy. */
  last: { platform: string; tenant: string; channel: string; broken: string } | null;
  /** Posts finally refused this week, counted up to a limit. */
  failed: number;
  error: string | null;
};

/** @param most upper bound of each count */
export async function readDeliveryState(db: Queryable, most: number): Promise<DeliveryState> {
  const isBroken = isNotNull(chatPlaces.broken);
  // Set-aside posts are never retried; after a week they no longer matter.
  const failedLately = and(isNotNull(chatPosts.error), gt(chatPosts.shown_at, daysAgo(7)));
  const one = { one: sql`1` };
  const waiting = await db
    .select(one)
    .from(chatPlaces)
    .where(and(hasWork, isNull(chatPlaces.broken)))
    .limit(most);
  const broken = await db.select(one).from(chatPlaces).where(isBroken).limit(most);
  const { platform, tenant, channel } = chatPlaces;
  const [last] = await db
    .select({ platform, tenant, channel, broken: sql<string>`${chatPlaces.broken}` })
    .from(chatPlaces)
    .where(isBroken)
    .orderBy(desc(chatPlaces.broken_at))
    .limit(1);
  const failed = await db
    .select({ error: chatPosts.error })
    .from(chatPosts)
    .where(failedLately)
    .orderBy(desc(chatPosts.message_id))
    .limit(most);
  return {
    waiting: waiting.length,
    broken: broken.length,
    last: last ?? null,
    failed: failed.length,
    error: failed[0]?.error ?? null,
  };
}
