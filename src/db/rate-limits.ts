// Rate limits of chat platforms, shared by all processes.
import { and, eq, gt, lt, sql } from 'drizzle-orm';
import type { RateLimits } from '#domain/chat/chat.ts';
import type { Queryable } from './database.ts';
import { rateLimits } from './schema.ts';
import { inSeconds, now } from './sql/time.ts';

export function createRateLimits(db: Queryable): RateLimits {
  const { key, until } = rateLimits;
  return {
    async waitMs(of) {
      const [row] = await db
        .select({ ms: sql<number>`ceil(extract(epoch from ${until} - ${now}) * 1000)::float8` })
        .from(rateLimits)
        .where(and(eq(key, of), gt(until, now)));
      return row?.ms ?? 0;
    },
    async hold(of, ms) {
      await db.delete(rateLimits).where(lt(until, now));
      await db
        .insert(rateLimits)
        .values({ key: of, until: inSeconds(ms / 1000) })
        // Of two who were told, the later end counts.
        .onConflictDoUpdate({
          target: key,
          set: { until: sql`greatest(${until}, excluded.until)` },
        });
    },
  };
}
