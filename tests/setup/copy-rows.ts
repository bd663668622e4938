// Multiplies rows that the program wrote.
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '#db/database.ts';

/**
 * For each `n` from 1 to `count`.
 * @param where about `t`, the table
 * @param values SQL of `n` by column
 */
export async function copyRows(
  db: Queryable,
  table: string,
  count: number,
  values: Record<string, SQL>,
  where: SQL = sql`true`,
): Promise<void> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select column_name as name from information_schema.columns
    where table_schema = 'countersign' and table_name = ${table} and is_generated = 'NEVER'`);
  const columns = rows.map(({ name }) => sql.identifier(name));
  const given = rows.map(({ name }) => values[name] ?? sql`t.${sql.identifier(name)}`);
  await db.execute(sql`
    insert into countersign.${sql.identifier(table)} (${sql.join(columns, sql`, `)})
    select ${sql.join(given, sql`, `)} from countersign.${sql.identifier(table)} t, generate_series(1, ${count}::int) n
    where ${where}`);
}
