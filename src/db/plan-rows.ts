// All that the tables have of one plan, row by row, for the archive; and what is said of a plan that was deleted.
import { eq, is, sql } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { CountersignError } from '#domain/errors.ts';
import type { Queryable } from './database.ts';
import * as schema from './schema.ts';

const { deletedPlans } = schema;

/** By table, the columns that order the rows of one plan, as an index has them. */
const orders = new Map(
  Object.values(schema)
    .filter((value) => is(value, PgTable))
    .map((table) => {
      const { name, columns, primaryKeys } = getTableConfig(table);
      const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
      return [name, key.map((column) => column.name)];
    }),
);

/** A page of the rows of a plan in `table`, as JSON, in an order that stays the same while nothing is changed. */
export async function readAllOf(
  db: Queryable,
  table: string,
  planId: string,
  page: { offset: number; limit: number },
): Promise<string[]> {
  const of = table === 'plans' ? sql`t.id` : sql`t.plan_id`;
  const order = (orders.get(table) ?? []).map((column) => sql`t.${sql.identifier(column)}`);
  const { rows } = await db.execute<{ row: string }>(sql`
    select to_jsonb(t)::text as row from ${sql.identifier('countersign')}.${sql.identifier(table)} t
    where ${of} = ${planId} order by ${sql.join(order, sql`, `)} offset ${page.offset} limit ${page.limit}`);
  return rows.map(({ row }) => row);
}

/** A page of the audit log as JSON, up to a row. */
export async function readAuditPage(
  db: Queryable,
  page: { after: number; through: number; limit: number },
): Promise<{ id: number; row: string }[]> {
  const { rows } = await db.execute<{ id: number; row: string }>(sql`
    select id, to_jsonb(t)::text as row from countersign.audit t
    where id > ${page.after} and id <= ${page.through} order by id limit ${page.limit}`);
  return rows;
}

/** What is said of a plan that does not exist, and of one that is not to be shown. */
export function planNotFound(id: string): CountersignError {
  return new CountersignError(
    'plan_not_found',
    `There is no plan ${id}. List plans with \`countersign plans\` or /plans.`,
  );
}

/** Why there is no plan `id`: retention deleted it, or there never was one. */
export async function explainMissingPlan(db: Queryable, id: string): Promise<CountersignError> {
  const [row] = await db.select().from(deletedPlans).where(eq(deletedPlans.id, id));
  if (row === undefined) return planNotFound(id);
  const day = (date: Date) => date.toISOString().slice(0, 10);
  const kept =
    row.archive === null
      ? 'It was not archived.'
      : `Its record is in ${row.archive} of the archive.`;
  return new CountersignError(
    'plan_deleted',
    `Plan ${id} ended on ${day(row.ended_at)} and was deleted on ${day(row.deleted_at)}, as the settings under retention say. ${kept}`,
    {
      details: {
        ended_at: row.ended_at.toISOString(),
        deleted_at: row.deleted_at.toISOString(),
        archive: row.archive,
      },
    },
  );
}
