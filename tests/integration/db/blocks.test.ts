// Step counts by block are right for any writer.
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import { changeSteps, countsOf } from '#db/steps/accounting.ts';
import { readSteps } from '#db/steps/pages.ts';
import { contentRows, copyRows, type NewStep, stateRows } from '#db/steps/steps.ts';
import { StepStatus } from '#domain/plan/plan.ts';
import { contentOfDraft } from '#domain/plan/step-content.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
const id = 'PLAN-1';
// Blocks 0 to 3; the last isn't full.
const size = 500;
let db: Database;

beforeAll(() => {
  db = openDatabase(database.url, { max: 2, applicationName: 'test', onError: () => {} });
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.query.execute(sql`delete from countersign.plans`);
  await db.query.execute(sql`
    insert into countersign.plans (id, status, version, digest, revision, total, pending, title, requester, approver_policy,
      planner_model, tools_required, guarded_operations)
    values (${id}, 'executing', 1, 'd', 1, ${size}, ${size}, 'Blocks', 'ana', '{"kind":"requester"}', 'm', '{}', '{}')`);
  const steps = Array.from({ length: size }, (_, at) => makeStep(at + 1));
  await db.transaction(async (tx) => {
    await copyRows(tx, id, steps, contentRows);
    await copyRows(tx, id, steps, stateRows);
  });
});

function makeStep(position: number): NewStep {
  const draft = {
    id: `s${position}`,
    description: 'Do nothing',
    tool: 'control',
    operation: 'noop',
  };
  return {
    ...contentOfDraft(draft),
    position,
    label: null,
    effect: 'read',
    guarded: false,
    unmet: 0,
    dependents: 0,
    lane: 1,
    seal: '',
    review_rank: 0,
  };
}

type Counts = ReturnType<typeof countsOf>;

// Without empty blocks.
async function readBlocks(): Promise<{ kept: [number, Counts][]; counted: [number, Counts][] }> {
  type Row = Counts & { block: number };
  const { rows: kept } = await db.query.execute<Row>(
    sql`select * from countersign.step_blocks where plan_id = ${id} order by block`,
  );
  const counts = sql.raw(
    StepStatus.options
      .map((status) => `count(*) filter (where status = '${status}')::int as ${status}`)
      .join(', '),
  );
  const { rows: counted } = await db.query.execute<Row>(sql`
    select position / 128 as block, ${counts} from countersign.step_states where plan_id = ${id} group by 1 order by 1`);
  const pair = (row: Row): [number, Counts] => [row.block, countsOf(row)];
  return { kept: kept.map(pair), counted: counted.map(pair) };
}

async function expectCounted(): Promise<void> {
  const { kept, counted } = await readBlocks();
  expect(kept).toEqual(counted);
}

/** Like a program unaware of blocks. */
const setStatus = (status: StepStatus, where = sql`true`) =>
  db.query.execute(
    sql`update countersign.step_states set status = ${status} where plan_id = ${id} and ${where}`,
  );

test('steps that are added are counted as pending in the blocks of their positions', async () => {
  const { kept } = await readBlocks();
  expect(kept.map(([block, { pending }]) => [block, pending])).toEqual([
    [0, 127],
    [1, 128],
    [2, 128],
    [3, 117],
  ]);
  await expectCounted();
});

test('what a program that knows of no blocks changes, adds and removes is counted', async () => {
  await setStatus('running', sql`position between 100 and 300`);
  await expectCounted();
  await setStatus('succeeded', sql`position between 128 and 255`);
  await expectCounted();
  await db.query.execute(
    sql`update countersign.step_states set unmet = 3 where plan_id = ${id} and position < 200`,
  );
  await expectCounted();
  await db.query.execute(
    sql`delete from countersign.step_states where plan_id = ${id} and position between 120 and 260`,
  );
  const { kept, counted } = await readBlocks();
  expect(kept.filter(([block]) => block !== 1)).toEqual(counted);
  expect(Object.values(kept[1]?.[1] ?? {})).toEqual(Array(10).fill(0));
});

test('what is counted by its own statement is counted once, also where others follow in its transaction', async () => {
  await db.transaction(async (tx) => {
    await changeSteps(tx, id, {
      from: ['pending'],
      to: 'ready',
      kind: 'step_ready',
      where: sql`s.position <= 200`,
      set: sql`, available_at = clock_timestamp()`,
    });
    await changeSteps(tx, id, {
      from: ['ready', 'pending'],
      to: 'cancelled',
      kind: 'step_cancelled',
      where: sql`s.position between 150 and 400`,
    });
  });
  await expectCounted();
  // The counting flag ends with its transaction.
  await setStatus('failed', sql`position = 7`);
  await expectCounted();
});

test('what is undone is not counted', async () => {
  const before = await readBlocks();
  await expect(
    db.transaction(async (tx) => {
      await changeSteps(tx, id, { from: ['pending'], to: 'ready', kind: 'step_ready' });
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(await readBlocks()).toEqual(before);
});

test('a plan that is forgotten leaves no blocks', async () => {
  await db.query.execute(sql`delete from countersign.plans where id = ${id}`);
  const { rows } = await db.query.execute(sql`
    select plan_id from countersign.step_blocks union all select plan_id from countersign.step_states`);
  expect(rows).toEqual([]);
});

test('a ready step is in line from when it may be claimed, and no other', async () => {
  await db.query.execute(
    sql`update countersign.step_states set available_at = '2026-03-10T09:00:00Z' where plan_id = ${id}`,
  );
  await setStatus('ready', sql`position in (5, 130)`);
  const read = async () => {
    const { rows } = await db.query.execute<{ position: number; same: boolean }>(sql`
      select position, queued_at = available_at as same from countersign.step_states
      where plan_id = ${id} and queued_at is not null order by position`);
    return rows.map(({ position, same }) => [position, same]);
  };
  expect(await read()).toEqual([
    [5, true],
    [130, true],
  ]);
  await setStatus('running', sql`position = 5`);
  expect(await read()).toEqual([[130, true]]);
});

const changes = fc.array(
  fc.record({
    status: fc.constantFrom(...StepStatus.options),
    from: fc.integer({ min: 1, max: size }),
    length: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 300 })),
  }),
  { minLength: 1, maxLength: 6 },
);

test('pages of statuses are what a look at every step finds, from whatever position, at whatever length', async () => {
  await fc.assert(
    fc.asyncProperty(
      changes,
      fc.subarray(StepStatus.options, { minLength: 1 }),
      fc.oneof(
        fc.integer({ min: 0, max: size + 1 }),
        fc.constantFrom(126, 127, 128, 129, 255, 256),
      ),
      fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 200 })),
      async (runs, statuses, after, limit) => {
        await setStatus('pending');
        for (const { status, from, length } of runs)
          await setStatus(status, sql`position between ${from} and ${from + length - 1}`);
        const { rows } = await db.query.execute<{ position: number }>(sql`
          select position from countersign.step_states
          where plan_id = ${id} and status = any(${sql.param(statuses)}::text[]) and position > ${after}
          order by position limit ${limit}`);
        const page = await readSteps(db.query, id, { status: statuses }, after, limit);
        expect(page.map(({ position }) => position)).toEqual(rows.map(({ position }) => position));
      },
    ),
    { numRuns: 60 },
  );
});

test('a page of no status is empty', async () => {
  expect(await readSteps(db.query, id, { status: [] }, 0, 10)).toEqual([]);
});
