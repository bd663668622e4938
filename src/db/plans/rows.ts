// A plan's rows for the archive, and the missing plan's error.
import { eq, is, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { CountersignError } from '#domain/errors.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import * as schema from '../schema.ts';

const { deletedPlans } = schema;

/** The columns that order a plan's rows, as an index has them. */
const orders = new Map(
  Object.values(schema)
    .filter((value) => is(value, PgTable))
    .map((table) => {
      const { name, columns, primaryKeys } = getTableConfig(table);
      const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
      const types = new Map(columns.map((column) => [column.name, column.getSQLType()]));
      return [
        name,
        key.map((column) => ({ name: column.name, type: types.get(column.name) ?? 'text' })),
      ];
    }),
);

/** The row is `t`. A single plan uses `=`, so that any server uses the index. */
export function rowsOfPlans(planIds: string[], column = 'plan_id'): SQL {
  const [first] = planIds;
  return planIds.length === 1
    ? sql`t.${sql.identifier(column)} = ${first}`
    : sql`t.${sql.identifier(column)} = any(${sql.param(planIds)}::text[])`;
}

export type PlanRow = { row: string; key: string[] };

/** @param page.after the last key of the previous page */
export async function readAllOf(
  db: Queryable,
  table: string,
  planIds: string[],
  page: { after: string[] | null; limit: number },
): Promise<PlanRow[]> {
  const order = (orders.get(table) ?? []).map(({ name, type }) => ({
    column: sql`t.${sql.identifier(name)}`,
    type: sql.raw(type === 'bigserial' ? 'bigint' : type),
  }));
  const columns = sql.join(
    order.map(({ column }) => column),
    sql`, `,
  );
  const { after } = page;
  const further =
    after === null
      ? sql`true`
      : sql`(${columns}) > (${sql.join(
          order.map(({ type }, at) => sql`${after[at]}::${type}`),
          sql`, `,
        )})`;
  return db.rows(sql`
    select to_jsonb(t)::text as row,
      array[${sql.join(
        order.map(({ column }) => sql`${column}::text`),
        sql`, `,
      )}] as key
    from ${countersign}.${sql.identifier(table)} t
    where ${rowsOfPlans(planIds, table === 'plans' ? 'id' : 'plan_id')} and ${further} order by ${columns} limit ${page.limit}`);
}

export async function readAuditPage(
  db: Queryable,
  page: { after: number; through: number; limit: number },
): Promise<{ id: number; row: string }[]> {
  return db.rows(sql`
    select id, to_jsonb(t)::text as row from ${countersign}.audit t
    where id > ${page.after} and id <= ${page.through} order by id limit ${page.limit}`);
}

/** The same for a plan that doesn't exist and one that must not be shown. */
export function planNotFound(id: string): CountersignError {
  return new CountersignError(
    'plan_not_found',
    `There is no plan ${id}. Check the ID in the list of plans.`,
  );
}

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
