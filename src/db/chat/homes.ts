// Open Home tabs: leased, drawn and settled; a change marks one stale.
import { and, eq, gt, inArray, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { PlatformName } from '#domain/platform-name.ts';
import type { Queryable, Transaction } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { chatHomes } from '../schema.ts';
import { inSeconds, now } from '../time.ts';

export type HomeOf = { platform: PlatformName; tenant: string; user: string };

/** `shown`: its content's digest, or null if unknown. */
export type TakenHome = HomeOf & { shown: string | null; tries: number };

const { platform, tenant, user, opened_at, stale, not_before, lease_until } = chatHomes;

const isHome = (home: HomeOf) =>
  and(eq(platform, home.platform), eq(tenant, home.tenant), eq(user, home.user));
const isFree = or(isNull(lease_until), lt(lease_until, now));
const isWanted = or(eq(stale, true), isNotNull(lease_until));
const hoursAgo = (hours: number) => sql`clock_timestamp() - make_interval(hours => ${hours})`;

/** An opened Home is drawn at once and follows the plans for a while. */
export async function noteHome(tx: Transaction, home: HomeOf): Promise<void> {
  const opened = { opened_at: now, stale: true };
  await tx
    .insert(chatHomes)
    .values({ ...home, ...opened })
    .onConflictDoUpdate({
      target: [platform, tenant, user],
      set: { ...opened, not_before: null, shown: null, tries: 0 },
    });
}

/** Marks Homes opened within `hours` as stale. @returns platforms with previously fresh Homes */
export async function askForHomes(tx: Transaction, hours: number): Promise<PlatformName[]> {
  const asked = await tx
    .update(chatHomes)
    .set({ stale: true })
    .where(and(eq(stale, false), gt(opened_at, hoursAgo(hours))))
    .returning({ platform });
  return [...new Set(asked.map((home) => home.platform))];
}

export async function takeHome(
  db: Queryable,
  on: PlatformName,
  leaseMs: number,
): Promise<TakenHome | null> {
  const next = db
    .select({ tenant, user })
    .from(chatHomes)
    .where(and(eq(platform, on), isWanted, isFree, or(isNull(not_before), lte(not_before, now))))
    .orderBy(sql`${not_before} nulls first`)
    .limit(1)
    .for('update', { skipLocked: true })
    .as('next');
  const [taken] = await db
    .update(chatHomes)
    .set({ stale: false, lease_until: inSeconds(leaseMs / 1000) })
    .from(next)
    .where(and(eq(platform, on), eq(tenant, next.tenant), eq(user, next.user)))
    .returning({ platform, tenant, user, shown: chatHomes.shown, tries: chatHomes.tries });
  return taken ?? null;
}

/** Delays the next drawing by `paceMs`, or `eachMs` per open Home of the workspace, up to a minute. */
export async function settleHome(
  db: Queryable,
  home: HomeOf,
  { digest, paceMs, eachMs }: { digest: string; paceMs: number; eachMs: number },
): Promise<void> {
  const open = sql`(select count(*) from ${countersign}.chat_homes o
    where o.platform = ${home.platform} and o.tenant = ${home.tenant})`;
  const ms = sql`greatest(${paceMs}::float8, least(60000, ${open} * ${eachMs}::float8))`;
  await db
    .update(chatHomes)
    .set({
      lease_until: null,
      shown: digest,
      tries: 0,
      not_before: sql`${now} + make_interval(secs => ${ms} / 1000)`,
    })
    .where(isHome(home));
}

/** @param all the workspace's other Homes too, on the platform's demand */
export async function postponeHomes(
  db: Queryable,
  home: HomeOf,
  { inMs, all }: { inMs: number; all: boolean },
): Promise<void> {
  const later = inSeconds(inMs / 1000);
  await db
    .update(chatHomes)
    .set({
      stale: true,
      lease_until: null,
      shown: null,
      tries: sql`${chatHomes.tries} + 1`,
      not_before: later,
    })
    .where(isHome(home));
  if (!all) return;
  await db
    .update(chatHomes)
    .set({ not_before: sql`greatest(${not_before}, ${later})` })
    .where(and(eq(platform, home.platform), eq(tenant, home.tenant), isWanted, isFree));
}

export async function forgetHome(db: Queryable, home: HomeOf): Promise<void> {
  await db.delete(chatHomes).where(isHome(home));
}

/** Milliseconds, or null if none waits. */
export async function readNextHome(db: Queryable, on: PlatformName): Promise<number | null> {
  const due = sql`greatest(${not_before}, ${lease_until})`;
  const [next] = await db
    .select({
      ms: sql<number | null>`greatest(0, extract(epoch from ${due} - ${now}) * 1000)::float8`,
    })
    .from(chatHomes)
    .where(and(eq(platform, on), isWanted))
    .orderBy(sql`${due} nulls first`)
    .limit(1);
  return next === undefined ? null : (next.ms ?? 0);
}

export async function forgetHomes(db: Queryable, hours: number, limit: number): Promise<number> {
  const old = db
    .select({ platform, tenant, user })
    .from(chatHomes)
    .where(lt(opened_at, hoursAgo(hours)))
    .orderBy(opened_at)
    .limit(limit);
  const { rowCount } = await db
    .delete(chatHomes)
    .where(inArray(sql`(${platform}, ${tenant}, ${user})`, old));
  return rowCount ?? 0;
}
