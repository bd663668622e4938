// Time in SQL, by the database's clock: those of processes differ.
import { type SQL, sql } from 'drizzle-orm';

export const now = sql<Date>`clock_timestamp()`;
export const inSeconds = (seconds: number) =>
  sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;
export const daysAgo = (days: number) =>
  sql<Date>`clock_timestamp() - make_interval(days => ${days})`;

const patterns = { milliseconds: 'MS', microseconds: 'US' } as const;

/** ISO 8601 in UTC (`2026-05-04T09:30:00.000Z`). @param expression as text: SQL of ours, never a person's */
export function isoOf(expression: string | SQL, precision: keyof typeof patterns): SQL {
  const moment = typeof expression === 'string' ? sql.raw(expression) : expression;
  const pattern = sql.raw(`'YYYY-MM-DD"T"HH24:MI:SS.${patterns[precision]}"Z"'`);
  return sql`to_char(${moment} at time zone 'utc', ${pattern})`;
}
