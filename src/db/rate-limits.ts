// Chat platforms' rate limits, shared by all processes.
import { and, eq, gt, lt, type SQL, sql } from 'drizzle-orm';
import type { RateLimits } from '#domain/chat/chat.ts';
import type { Queryable } from './database.ts';
import { countersign } from './schema/columns.ts';
import { rateLimits } from './schema.ts';
import { inSeconds, now } from './time.ts';

const ms = (value: number) => sql`make_interval(secs => ${value / 1000}::float8)`;
const msFromNow = (moment: SQL) =>
  sql<number>`ceil(extract(epoch from ${moment} - ${now}) * 1000)::float8`;

export function createRateLimits(db: Queryable): RateLimits {
  const { key, until, spent_until } = rateLimits;
  async function readHold(of: string): Promise<number> {
    const [row] = await db
      .select({ ms: msFromNow(sql`${until}`) })
      .from(rateLimits)
      .where(and(eq(key, of), gt(until, now)));
    return row?.ms ?? 0;
  }
  return {
    async take(of, rate) {
      if (rate === null) return readHold(of);
      const { everyMs, burst } = rate;
      // Moves `spent_until` one step ahead, up to a burst from now (`excluded.until`).
      const step = sql`greatest(r.spent_until, excluded.until) + ${ms(everyMs)}`;
      const { rowCount } = await db.execute(sql`
        insert into ${countersign}.rate_limits as r (key, until, spent_until)
        select ${of}, n, n + ${ms(everyMs)} from (select ${now} as n) as at
        on conflict (key) do update set spent_until = ${step}
        where r.until <= excluded.until and ${step} <= excluded.until + ${ms(everyMs * burst)}`);
      if (rowCount !== 0) return 0;
      const { rows } = await db.execute<{ ms: number }>(sql`
        select greatest(${msFromNow(sql`greatest(until, spent_until - ${ms(everyMs * (burst - 1))})`)}, 1) as ms
        from ${countersign}.rate_limits where key = ${of}`);
      return rows[0]?.ms ?? 1;
    },
    async queue(of, everyMs) {
      const { rows } = await db.execute<{ ms: number }>(sql`
        insert into ${countersign}.rate_limits as r (key, until, spent_until)
        select ${of}, n, n from (select ${now} as n) as at
        on conflict (key) do update set spent_until = greatest(r.spent_until + ${ms(everyMs)}, excluded.until)
        returning greatest(0, ${msFromNow(sql`spent_until`)}) as ms`);
      return rows[0]?.ms ?? 0;
    },
    async hold(of, holdMs) {
      await db.delete(rateLimits).where(lt(sql`greatest(${until}, ${spent_until})`, now));
      await db
        .insert(rateLimits)
        .values({ key: of, until: inSeconds(holdMs / 1000) })
        // The later end wins.
        .onConflictDoUpdate({
          target: key,
          set: { until: sql`greatest(${until}, excluded.until)` },
        });
    },
  };
}
