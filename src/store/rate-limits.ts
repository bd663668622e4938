// Rate limits of chat platforms, as every process knows them. Postgres alone tells the time, since clocks differ.
import { sql } from 'drizzle-orm';
import type { RateLimits } from '#contracts/rate-limits.ts';
import type { Queryable } from './database.ts';

export function createRateLimits(db: Queryable): RateLimits {
  return {
    async waitMs(key) {
      const { rows } = await db.execute<{ ms: number }>(sql`
        select ceil(extract(epoch from until - clock_timestamp()) * 1000)::float8 as ms
        from countersign.rate_limits where key = ${key} and until > clock_timestamp()`);
      return rows[0]?.ms ?? 0;
    },
    async hold(key, ms) {
      await db.execute(sql`delete from countersign.rate_limits where until < clock_timestamp()`);
      // Of two who were told, the later end counts.
      await db.execute(sql`
        insert into countersign.rate_limits as l (key, until)
        values (${key}, clock_timestamp() + make_interval(secs => ${ms / 1000}))
        on conflict (key) do update set until = greatest(l.until, excluded.until)`);
    },
  };
}
