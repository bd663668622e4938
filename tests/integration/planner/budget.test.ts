// Money on a real database: planners of several processes reserve at the same time, and no cap is ever passed.
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import { listOpenCalls, readSpentSince } from '#db/spending.ts';
import { type BudgetCaps, createBudget } from '#planner/budget/budget.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
/** As many as there would be processes; each has connections of its own. */
let processes: Database[];
let now: Date;

beforeAll(() => {
  processes = ['a', 'b', 'c'].map((name) =>
    openDatabase(database.url, { max: 4, applicationName: name, onError: () => {} }),
  );
});
afterAll(async () => {
  await Promise.all(processes.map((db) => db.close()));
});
beforeEach(async () => {
  now = new Date('2026-02-03T14:00:00.000Z');
  await db().query.execute(
    sql`truncate countersign.model_calls, countersign.spending restart identity`,
  );
});

function db(): Database {
  const [first] = processes;
  if (first === undefined) throw new Error('no database is open');
  return first;
}

const plenty: BudgetCaps = { turnSoft: 100, session: 100, day: 100 };
const usage = { input_tokens: 100, output_tokens: 20 };

const budgetOn = (at: Database, caps: Partial<BudgetCaps> = {}) =>
  createBudget({
    db: at,
    clock: { now: () => now },
    caps: { ...plenty, ...caps },
  });

const call = (more: object = {}) => ({
  runId: 'run_1',
  turn: 1,
  user: 'ana',
  stage: 'DRAFT_OUTLINE',
  model: 'gpt-4.1',
  estimateUsd: 0.1,
  softLifted: false,
  ...more,
});

async function spend(costUsd: number, more: object = {}): Promise<void> {
  const budget = budgetOn(db());
  const reserved = await budget.reserve(call({ ...more, estimateUsd: costUsd }));
  if ('exceeded' in reserved) throw new Error(`over ${reserved.exceeded}`);
  await budget.settle(reserved.id, usage, costUsd);
}

describe('reservations of several processes at once', () => {
  test('never pass a cap by their estimates, and each one that was let through is written down', async () => {
    const cents = fc.integer({ min: 1, max: 30 });
    const wish = fc.record({
      process: fc.nat(2),
      run: fc.nat(2),
      turn: fc.integer({ min: 1, max: 2 }),
      estimate: cents,
      /** What the call costs in the end, never more than its estimate; null: it never comes back. */
      cost: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 1 }),
      lifted: fc.boolean(),
    });
    const cap = fc.integer({ min: 10, max: 200 });
    const amounts = fc.record({ turnSoft: cap, session: cap, day: cap });
    await fc.assert(
      fc.asyncProperty(
        fc.array(wish, { minLength: 10, maxLength: 50 }),
        amounts,
        async (wishes, caps) => {
          await db().query.execute(sql`truncate countersign.model_calls`);
          const limits = {
            turnSoft: caps.turnSoft / 100,
            session: caps.session / 100,
            day: caps.day / 100,
          };
          const outcomes = await Promise.all(
            wishes.map(async ({ process, run, turn, estimate, cost, lifted }) => {
              // A budget of its own each: nothing but the database orders them.
              const budget = budgetOn(processes[process] ?? db(), limits);
              const estimateUsd = estimate / 100;
              const place = { runId: `run_${run}`, turn, user: `user_${run}`, stage: 's' };
              const made = await budget.reserve({
                ...place,
                model: 'gpt-4.1',
                estimateUsd,
                softLifted: lifted,
              });
              if (!('id' in made)) return null;
              const costUsd = cost === null ? null : cost * estimateUsd;
              if (costUsd !== null) await budget.settle(made.id, usage, costUsd);
              return { ...place, counts: costUsd ?? estimateUsd, lifted };
            }),
          );
          const made = outcomes.filter((one) => one !== null);
          const { rows } = await db().query.execute<{ n: number; usd: number }>(sql`
            select count(*)::int as n, coalesce(sum(coalesce(cost_usd, estimate_usd)), 0)::float8 as usd
            from countersign.model_calls`);
          const total = made.reduce((sum, { counts }) => sum + counts, 0);
          expect(rows[0]?.n).toBe(made.length);
          expect(rows[0]?.usd).toBeCloseTo(total, 9);
          expect(total).toBeLessThanOrEqual(limits.day + 1e-9);
          const sums = Map.groupBy(made, ({ runId }) => runId);
          for (const calls of sums.values()) {
            const session = calls.reduce((sum, { counts }) => sum + counts, 0);
            expect(session).toBeLessThanOrEqual(limits.session + 1e-9);
          }
          for (const calls of Map.groupBy(made, (c) => `${c.runId} ${c.turn}`).values()) {
            if (calls.some(({ lifted }) => lifted)) continue;
            const turn = calls.reduce((sum, { counts }) => sum + counts, 0);
            expect(turn).toBeLessThanOrEqual(limits.turnSoft + 1e-9);
          }
        },
      ),
      { numRuns: 15 },
    );
  }, 60_000);

  test('of which only so many fit let through exactly as many', async () => {
    const all = Array.from({ length: 50 }, (_, i) =>
      budgetOn(processes[i % 3] ?? db(), { day: 1 }).reserve(call({ runId: `run_${i}` })),
    );
    const outcomes = await Promise.all(all);
    const refused = outcomes.flatMap((one) => ('exceeded' in one ? one.exceeded : []));
    expect(outcomes.length - refused.length).toBe(10);
    expect(new Set(refused)).toEqual(new Set(['day']));
    expect((await budgetOn(db()).readSpent(call())).day).toBe(1);
  });
});

describe('what counts', () => {
  test('is summed by turn, session, person and day', async () => {
    await spend(0.01);
    await spend(0.02, { turn: 2 });
    await spend(0.04, { runId: 'run_2' });
    await spend(0.08, { runId: 'run_3', user: 'ben' });
    expect(await budgetOn(db()).readSpent(call())).toEqual({
      turn: 0.01,
      session: 0.03,
      user: 0.07,
      day: 0.15,
    });
  });

  test('begins anew at midnight UTC for the day, and goes on for the session', async () => {
    now = new Date('2026-02-03T23:59:59.999Z');
    await spend(0.5);
    now = new Date('2026-02-04T00:00:00.000Z');
    expect(await budgetOn(db()).readSpent(call())).toEqual({
      turn: 0.5,
      session: 0.5,
      user: 0,
      day: 0,
    });
    expect('id' in (await budgetOn(db(), { day: 0.1 }).reserve(call()))).toBe(true);
  });

  test('is the estimate until a call has come back, its cost afterwards, once', async () => {
    const budget = budgetOn(db());
    const reserved = await budget.reserve(call({ estimateUsd: 0.4 }));
    if (!('id' in reserved)) throw new Error('refused');
    expect((await budget.readSpent(call())).turn).toBe(0.4);
    await budget.settle(reserved.id, usage, 0.03);
    await budget.settle(reserved.id, usage, 0.09);
    await budget.fail(reserved.id, 'nothing');
    expect((await budget.readSpent(call())).turn).toBe(0.03);
  });

  test.each([
    ['nothing', 0],
    ['unknown', 0.1],
  ] as const)('of a failed call that was charged %s is $%d', async (charged, counted) => {
    const budget = budgetOn(db());
    const reserved = await budget.reserve(call());
    if (!('id' in reserved)) throw new Error('refused');
    await budget.fail(reserved.id, charged);
    expect((await budget.readSpent(call())).session).toBe(counted);
  });

  test('of a call whose process died stays its estimate, and the run shows it', async () => {
    await budgetOn(db()).reserve(call({ estimateUsd: 0.25 }));
    await spend(0.01);
    expect(await listOpenCalls(db().query, 'run_1')).toEqual([
      {
        stage: 'DRAFT_OUTLINE',
        model: 'gpt-4.1',
        estimate_usd: 0.25,
        began_at: '2026-02-03T14:00:00.000Z',
      },
    ]);
    expect((await budgetOn(db()).readSpent(call())).session).toBe(0.26);
  });

  test('holds what plans spend while running, once, for the day and not for the session', async () => {
    await spend(0.25);
    await db().query.execute(
      sql`insert into countersign.spending (at, run_id, usd) values (${now.toISOString()}, 'run_1', 0.5)`,
    );
    const budget = budgetOn(db(), { day: 0.8 });
    expect(await budget.readSpent(call())).toMatchObject({ session: 0.25, day: 0.75 });
    expect(await readSpentSince(db().query, new Date('2026-02-03T00:00:00Z'))).toBe(0.75);
    expect(await budget.reserve(call())).toMatchObject({ exceeded: 'day' });
  });
});

describe('a refusal', () => {
  test('says which ceiling and what was spent, and writes nothing down', async () => {
    await spend(0.25);
    const budget = budgetOn(db(), { turnSoft: 0.3 });
    expect(await budget.reserve(call())).toEqual({
      exceeded: 'turn_soft',
      spent: { turn: 0.25, session: 0.25, user: 0.25, day: 0.25 },
    });
    expect('id' in (await budget.reserve(call({ softLifted: true })))).toBe(true);
    expect((await budget.readSpent(call())).turn).toBe(0.35);
  });
});
