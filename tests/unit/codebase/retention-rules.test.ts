// Every table has a retention rule that is true of it.
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import * as schema from '#db/schema.ts';
import { Settings } from '#domain/settings.ts';
import { sweepsOf, tableRules } from '#retention/rules.ts';

const tables = Object.values(schema)
  .filter((value) => is(value, PgTable))
  .map((table) => getTableConfig(table));
const rules = Object.entries(tableRules);
const sweeps = sweepsOf(Settings.parse({}).retention);

test('each table is bounded by a rule of retention', () => {
  expect(Object.keys(tableRules).sort()).toEqual(tables.map(({ name }) => name).sort());
});

test('tables by age have a sweep, and each sweep a table by age', () => {
  const swept = new Set(
    sweeps.flatMap((one) => [one.table, ...(one.with ?? []).map((w) => w.table)]),
  );
  // Plans are deleted one by one, and the audit log from its old end.
  const byAge = rules.flatMap(([table, rule]) =>
    'by' in rule && table !== 'plans' && rule.by !== 'audit' ? [table] : [],
  );
  expect(byAge.filter((table) => !swept.has(table))).toEqual([]);
  const stays = rules.flatMap(([table, rule]) => ('stays' in rule ? [table] : []));
  expect(stays.filter((table) => swept.has(table))).toEqual([]);
});

test('what goes with a plan names it, and is deleted in parts exactly where no foreign key deletes it', () => {
  const cascades = (name: string): boolean =>
    tables
      .find((table) => table.name === name)
      ?.foreignKeys.some((key) => {
        const to = getTableConfig(key.reference().foreignTable).name;
        return key.onDelete === 'cascade' && (to === 'plans' || cascades(to));
      }) ?? false;
  const wrong = rules.flatMap(([name, rule]) => {
    if (!('with' in rule) || rule.with !== 'plan') return [];
    const table = tables.find((one) => one.name === name);
    const named = table?.columns.some((column) => column.name === 'plan_id') === true;
    const large = rule.large === true;
    return named && cascades(name) !== large ? [] : [name];
  });
  expect(wrong).toEqual([]);
});

test('the columns that sweeps name are there', () => {
  const missing = sweeps.flatMap(({ table, key, time, with: others = [] }) =>
    [
      [table, key.column],
      [table, time],
      ...others.map((other) => [other.table, other.column]),
    ].filter(
      ([name, column]) =>
        !tables.find((one) => one.name === name)?.columns.some((one) => one.name === column),
    ),
  );
  expect(missing).toEqual([]);
});
