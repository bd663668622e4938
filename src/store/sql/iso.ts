// Timestamps as text. Postgres prints them by the session's settings; people, JSON and the digest get ISO 8601 in UTC.
import { type SQL, sql } from 'drizzle-orm';

const patterns = { milliseconds: 'MS', microseconds: 'US' } as const;

/** The timestamp `expression` (as text: SQL of ours, never a person's) as `2026-05-04T09:30:00.000Z`. */
export function isoOf(expression: string | SQL, precision: keyof typeof patterns): SQL {
  const moment = typeof expression === 'string' ? sql.raw(expression) : expression;
  const pattern = sql.raw(`'YYYY-MM-DD"T"HH24:MI:SS.${patterns[precision]}"Z"'`);
  return sql`to_char(${moment} at time zone 'utc', ${pattern})`;
}
