// Content columns of `plan_steps`, derived from the table of fields.
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import {
  allFields,
  type FieldName,
  isEmpty,
  type StepContent,
  sealedFields,
} from '#domain/plan/step-content.ts';
import type { StepField } from '#domain/plan/step-fields.ts';
import { planSteps } from '../schema.ts';
import { isoOf } from '../time.ts';

export type Field = string | number | boolean | null;

export function writeList(texts: string[]): string {
  if (texts.length === 0) return '{}';
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

type Stored = Exclude<FieldName, 'after'>;
type StoredField = {
  name: Stored;
  field: StepField;
  column: string;
  type: string;
  /** A nullable JSON column stores the empty value as null. */
  nullable: boolean;
};

// Each field has a column of its name; dependencies are rows of `plan_edges`.
const { step_id, ...others } = getTableColumns(planSteps);
const columns: Record<Stored, PgColumn> = { id: step_id, ...others };

const storedFields = allFields.flatMap(([name, field]): StoredField[] => {
  if (name === 'after') return [];
  const { name: column, notNull } = columns[name];
  const type = columns[name].getSQLType();
  return [{ name, field, column: `"${column}"`, type, nullable: !notNull }];
});

function writeValue({ field, type, nullable }: StoredField, value: unknown): Field {
  if (type === 'jsonb') return nullable && isEmpty(field, value) ? null : JSON.stringify(value);
  return Array.isArray(value) ? writeList(value) : (value as Field); // the table has no other types
}

export const writers: Record<string, (step: Omit<StepContent, 'after'>) => Field> =
  Object.fromEntries(
    storedFields.map((one) => [one.column, (step) => writeValue(one, step[one.name])]),
  );

export const storedValues = (step: Omit<StepContent, 'after'>): Record<string, unknown> =>
  Object.fromEntries(
    storedFields.map(({ name, field, column, type, nullable }) => {
      const isNull = type === 'jsonb' && nullable && isEmpty(field, step[name]);
      return [column.slice(1, -1), isNull ? null : step[name]];
    }),
  );

const emptyJson = ({ empty }: StepField) => `'${JSON.stringify(empty)}'`;

/** In the row `alias`. */
function valueIn({ field, column, type, nullable }: StoredField, alias: string): SQL {
  const value = `${alias}.${column}`;
  if (type.startsWith('timestamp')) return isoOf(value, 'milliseconds');
  const replaced = type === 'jsonb' && nullable && field.empty !== null;
  return sql.raw(replaced ? `coalesce(${value}, ${emptyJson(field)})` : value);
}

function listOf(fields: StoredField[], alias: string): SQL {
  return sql.join(
    fields.map((one) => sql`${valueIn(one, alias)} as ${sql.identifier(one.name)}`),
    sql`, `,
  );
}

/** Named like the fields; `c` is `plan_steps`. */
export const contentColumns = listOf(storedFields, 'c');

const sealed = new Set<string>(sealedFields.map(([name]) => name));
/** The fields that bind a call, without the step's ID; `s` is `plan_steps`. */
export const sealedColumns = listOf(
  storedFields.filter(({ name }) => sealed.has(name) && name !== 'id'),
  's',
);

/** In both `plan_steps` and `past_steps`. */
export const rowColumns = ['position', 'label', 'since', ...storedFields.map((one) => one.column)];

/** Not the target's seen state. */
export const comparedColumns = storedFields
  .filter(({ name }) => name !== 'id' && name !== 'seen')
  .map(({ column }) => column);

/** A change of a stored step keeps its ID and operation. */
export type ChangeableContent = Omit<StepContent, 'id' | 'tool' | 'operation' | 'after'>;
const changeable = storedFields.filter(({ name }) => !['id', 'tool', 'operation'].includes(name));

export const changeRecord: SQL = sql.raw(
  changeable.map(({ column, type }) => `${column} ${type}`).join(', '),
);

export const changeSettings: SQL = sql.raw(
  changeable
    .map(({ field, column, type, nullable }) =>
      type === 'jsonb' && nullable
        ? `${column} = nullif(n.${column}, ${emptyJson(field)})`
        : `${column} = n.${column}`,
    )
    .join(', '),
);
