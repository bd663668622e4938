// Opaque cursors for keyset pages: the sort key of the last row.
import { asc, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { CountersignError } from '#domain/errors.ts';

export function encodeCursor(key: string): string {
  return Buffer.from(key).toString('base64url');
}

/** @throws `invalid_request` if it doesn't match `form` */
export function decodeCursor(cursor: string, form: RegExp): string {
  const key = Buffer.from(cursor, 'base64url').toString();
  if (form.test(key)) return key;
  throw new CountersignError(
    'invalid_request',
    'cursor: not one that this list gave out. Leave it away to begin again.',
  );
}

/** By creation, then ID. A cursor has the time (µs since 1970) and ID of the last row. */
export function pagesByCreation(
  { created_at, id }: Record<'created_at' | 'id', PgColumn>,
  form: RegExp,
  order: typeof asc,
) {
  const further = sql.raw(order === asc ? '>' : '<');
  return {
    micros: sql<string>`(extract(epoch from ${created_at}) * 1000000)::bigint::text`,
    order: [order(created_at), order(id)],
    isBehind(cursor: string | undefined): SQL | undefined {
      if (cursor === undefined) return undefined;
      const [micros, last] = decodeCursor(cursor, form).split(' ');
      return sql`(${created_at}, ${id}) ${further} (to_timestamp(${micros}::numeric / 1000000), ${last})`;
    },
    cut<Row extends { micros: string; id: string }>(rows: Row[], limit: number) {
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      const next_cursor = last === undefined ? null : encodeCursor(`${last.micros} ${last.id}`);
      return { page, next_cursor };
    },
  };
}
