// Copied rows are unchanged; a failed copy leaves a usable connection.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import { writeList } from '#db/steps/step-columns.ts';
import { copyRows, type RowForm } from '#db/steps/steps.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
let db: Database;

beforeAll(async () => {
  db = openDatabase(database.url, { max: 1, applicationName: 'test', onError: () => {} });
  await db.query.execute(sql`
    insert into countersign.plans (id, status, version, digest, revision, total, title, requester, approver_policy,
      planner_model, tools_required, guarded_operations)
    values ('PLAN-0001', 'proposed', 1, 'd', 1, 1, 't', 'ada', '{"kind":"requester"}', 'none', '{}', '{}')`);
});
afterAll(() => db.close());

type Kind = { lane: number; tool: string; capabilities: string[] };

const kinds: RowForm<Kind> = {
  table: 'plan_lanes',
  fields: {
    lane: ({ lane }) => lane,
    tool: ({ tool }) => tool,
    operation: () => 'noop',
    capabilities: ({ capabilities }) => writeList(capabilities),
    pools: () => '{}',
  },
};

const read = async () =>
  (
    await db.query.execute<Kind>(
      sql`select lane, tool, capabilities from countersign.plan_lanes order by lane`,
    )
  ).rows;

const copy = (rows: Kind[], form = kinds) =>
  db.transaction((tx) => copyRows(tx, 'PLAN-0001', rows, form));

test('a row that Postgres refuses undoes all of them, and the connection goes on', async () => {
  const many = Array.from({ length: 20_000 }, (_, lane) => ({ lane, tool: 't', capabilities: [] }));
  await expect(copy([{ lane: 7, tool: 't', capabilities: [] }, ...many])).rejects.toMatchObject({
    code: '23505',
  });
  expect(await read()).toEqual([]);
});

test('a row that cannot be written out undoes all of them, and the connection goes on', async () => {
  const broken: RowForm<Kind> = {
    ...kinds,
    fields: {
      ...kinds.fields,
      tool() {
        throw new RangeError('no tool');
      },
    },
  };
  await expect(copy([{ lane: 1, tool: 't', capabilities: [] }], broken)).rejects.toThrow('no tool');
  expect(await read()).toEqual([]);
});

test('texts and lists arrive as they are, whatever they hold', async () => {
  const texts = [
    '',
    '\\N',
    '\\.',
    'NULL',
    '{}',
    'a\tb\nc\r\\d',
    '"quoted", {braced}',
    'ä 🙂 \u2028',
  ];
  const rows = texts.map((tool, lane) => ({ lane, tool, capabilities: [tool, ...texts] }));
  await copy(rows);
  expect(await read()).toEqual(rows);
});

test('nothing is sent for no rows, and rows outside a transaction are refused', async () => {
  await expect(copyRows(db.query, 'PLAN-0001', [], kinds)).resolves.toBeUndefined();
  const one = { lane: 99, tool: 't', capabilities: [] };
  await expect(copyRows(db.query, 'PLAN-0001', [one], kinds)).rejects.toThrow(
    'inside a transaction',
  );
});
