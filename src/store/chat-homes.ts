// Homes that people have open on a chat platform. A Home is taken under a lease, drawn, and settled; a change meanwhile makes it
// stale again, so that the latest state is drawn in the end.
import { sql } from 'drizzle-orm';
import type { Platform } from '#contracts/inbox.ts';
import type { Queryable, Transaction } from './database.ts';

/** Whose Home it is. */
export type HomeOf = { platform: Platform; tenant: string; user: string };

/** A Home that is to be drawn; `shown` is the digest of what stands there, as far as that is known. */
export type TakenHome = HomeOf & { shown: string | null; tries: number };

const until = (ms: number) => sql`clock_timestamp() + make_interval(secs => ${ms / 1000})`;
const same = ({ platform, tenant, user }: HomeOf) =>
  sql`platform = ${platform} and tenant = ${tenant} and "user" = ${user}`;
/** Not drawn now by anybody who lives. */
const free = sql`(lease_until is null or lease_until < clock_timestamp())`;
const wanted = sql`(stale or lease_until is not null)`;

/** Somebody has opened their Home: it is to be drawn at once, and follows the plans for a while. */
export async function noteHome(tx: Transaction, { platform, tenant, user }: HomeOf): Promise<void> {
  await tx.execute(sql`
    insert into countersign.chat_homes (platform, tenant, "user", opened_at, stale)
    values (${platform}, ${tenant}, ${user}, clock_timestamp(), true)
    on conflict (platform, tenant, "user") do update
      set opened_at = excluded.opened_at, stale = true, not_before = null, shown = null, tries = 0`);
}

/** Plans have changed: Homes opened within `hours` are to be drawn. @returns the platforms with any that were fresh before */
export async function askForHomes(tx: Transaction, hours: number): Promise<Platform[]> {
  const { rows } = await tx.execute<{ platform: Platform }>(sql`
    with asked as (
      update countersign.chat_homes set stale = true
      where not stale and opened_at > clock_timestamp() - make_interval(hours => ${hours})
      returning platform
    )
    select distinct platform from asked`);
  return rows.map(({ platform }) => platform);
}

/** Takes a Home that is to be drawn now; null: there is none. */
export async function takeHome(
  db: Queryable,
  platform: Platform,
  leaseMs: number,
): Promise<TakenHome | null> {
  const { rows } = await db.execute<TakenHome>(sql`
    update countersign.chat_homes h set stale = false, lease_until = ${until(leaseMs)}
    from (
      select tenant, "user" from countersign.chat_homes
      where platform = ${platform} and ${wanted} and ${free}
        and (not_before is null or not_before <= clock_timestamp())
      order by not_before nulls first limit 1 for update skip locked
    ) next
    where h.platform = ${platform} and h.tenant = next.tenant and h."user" = next."user"
    returning h.platform, h.tenant, h."user", h.shown, h.tries`);
  return rows[0] ?? null;
}

/** It shows what `digest` is of, and is not drawn again within `paceMs`. */
export async function settleHome(
  db: Queryable,
  home: HomeOf,
  { digest, paceMs }: { digest: string; paceMs: number },
): Promise<void> {
  await db.execute(sql`
    update countersign.chat_homes set lease_until = null, shown = ${digest}, tries = 0, not_before = ${until(paceMs)}
    where ${same(home)}`);
}

/** It is to be drawn again in `inMs`. @param all of its workspace, which is to be left alone */
export async function postponeHomes(
  db: Queryable,
  home: HomeOf,
  { inMs, all }: { inMs: number; all: boolean },
): Promise<void> {
  await db.execute(sql`
    update countersign.chat_homes set stale = true, lease_until = null, shown = null, tries = tries + 1,
      not_before = ${until(inMs)} where ${same(home)}`);
  if (!all) return;
  await db.execute(sql`
    update countersign.chat_homes set not_before = greatest(not_before, ${until(inMs)})
    where platform = ${home.platform} and tenant = ${home.tenant} and ${wanted} and ${free}`);
}

/** Nobody looks at it any more, or it cannot be shown. */
export async function forgetHome(db: Queryable, home: HomeOf): Promise<void> {
  await db.execute(sql`delete from countersign.chat_homes where ${same(home)}`);
}

/** Milliseconds until the next Home is to be drawn; null: none waits. */
export async function readNextHome(db: Queryable, platform: Platform): Promise<number | null> {
  const { rows } = await db.execute<{ ms: number }>(sql`
    select greatest(0, extract(epoch from greatest(not_before, lease_until) - clock_timestamp()) * 1000)::float8 as ms
    from countersign.chat_homes where platform = ${platform} and ${wanted}
    order by greatest(not_before, lease_until) nulls first limit 1`);
  const [row] = rows;
  return row === undefined ? null : (row.ms ?? 0);
}

/** Homes that nobody has opened for `hours` are forgotten. @returns how many, at most `limit` */
export async function forgetHomes(db: Queryable, hours: number, limit: number): Promise<number> {
  const { rows } = await db.execute(sql`
    delete from countersign.chat_homes where (platform, tenant, "user") in (
      select platform, tenant, "user" from countersign.chat_homes
      where opened_at < clock_timestamp() - make_interval(hours => ${hours}) order by opened_at limit ${limit}
    ) returning tenant`);
  return rows.length;
}
