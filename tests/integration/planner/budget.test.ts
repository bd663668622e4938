// Concurrent reservations of several processes never exceed a cap.
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import { listOpenCalls, readSpentSince } from '#db/planning/spending.ts';
import type { Caps } from '#domain/budget.ts';
import { type Budget, createBudget } from '#planner/budget/budget.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
// One per simulated process.
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

const plenty: Caps = { softPerTurn: 100, perSession: 100, perDay: 100 };
const usage = { input_tokens: 100, output_tokens: 20 };

const budgetOn = (at: Database, caps: Partial<Caps> = {}) =>
  createBudget({
    db: at,
    clock: { now: () => now },
    caps: { ...plenty, ...caps },
  });

const payer = { runId: 'run_1', turn: 1, user: 'ana' };
type Wanted = typeof payer & {
  stage: string;
  estimateUsd: number;
  softLifted: boolean;
  limitUsd?: number;
};
const atOnce = { signal: new AbortController().signal, deadline: 0 };

// `until`: how long to wait.
function reserve(budget: Budget, more: Partial<Wanted> = {}, until = atOnce) {
  const { runId, turn, user, stage, estimateUsd, softLifted, limitUsd }: Wanted = {
    ...{ ...payer, stage: 'DRAFT_OUTLINE', estimateUsd: 0.1, softLifted: false },
    ...more,
  };
  const price = async () => estimateUsd;
  const wanted = { model: 'gpt-4.1', stage, price, softLifted, limitUsd };
  return budget.reserve({ runId, turn, user }, wanted, until);
}

async function spend(costUsd: number, more: Partial<Wanted> = {}): Promise<void> {
  const budget = budgetOn(db());
  const reserved = await reserve(budget, { ...more, estimateUsd: costUsd });
  if ('exceeded' in reserved) throw new Error(`over ${reserved.exceeded}`);
  await budget.settle(reserved.id, usage, costUsd);
}

test('the limit that a request states holds its planning, and is the one named', async () => {
  const budget = budgetOn(db(), { perSession: 0.3 });
  const own = { runId: 'run_limited', limitUsd: 0.25 };
  await spend(0.2, own);
  const refused = await reserve(budget, own);
  expect(refused).toMatchObject({
    exceeded: 'plan',
    spent: { plan: 0.2 },
    caps: { perPlan: 0.25 },
  });
  for (const passed of [{ softLifted: true }, { turn: 2 }, { limitUsd: 1 }]) {
    const call = await reserve(budget, { ...own, ...passed, estimateUsd: 0.001 });
    expect(call).toHaveProperty('id');
  }
});

describe('reservations of several processes at once', () => {
  test('never pass a cap by their estimates, and each one that was let through is written down', async () => {
    const cents = fc.integer({ min: 1, max: 30 });
    const request = fc.record({
      process: fc.nat(2),
      run: fc.nat(2),
      turn: fc.integer({ min: 1, max: 2 }),
      estimate: cents,
      /** Null if it never returns. */
      cost: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 1 }),
      lifted: fc.boolean(),
    });
    const cap = fc.integer({ min: 10, max: 200 });
    // A turn's first call may exceed a smaller soft ceiling.
    const soft = fc.integer({ min: 30, max: 200 });
    const amounts = fc.record({ softPerTurn: soft, perSession: cap, perDay: cap });
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 10, maxLength: 50 }),
        amounts,
        async (requests, caps) => {
          await db().query.execute(sql`truncate countersign.model_calls`);
          const limits = {
            softPerTurn: caps.softPerTurn / 100,
            perSession: caps.perSession / 100,
            perDay: caps.perDay / 100,
          };
          const outcomes = await Promise.all(
            requests.map(async ({ process, run, turn, estimate, cost, lifted }) => {
              // Only the database orders them.
              const budget = budgetOn(processes[process] ?? db(), limits);
              const estimateUsd = estimate / 100;
              const place = { runId: `run_${run}`, turn, user: `user_${run}`, stage: 's' };
              const made = await reserve(budget, { ...place, estimateUsd, softLifted: lifted });
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
          expect(total).toBeLessThanOrEqual(limits.perDay + 1e-9);
          const sums = Map.groupBy(made, ({ runId }) => runId);
          for (const calls of sums.values()) {
            const session = calls.reduce((sum, { counts }) => sum + counts, 0);
            expect(session).toBeLessThanOrEqual(limits.perSession + 1e-9);
          }
          for (const calls of Map.groupBy(made, (c) => `${c.runId} ${c.turn}`).values()) {
            if (calls.some(({ lifted }) => lifted)) continue;
            const turn = calls.reduce((sum, { counts }) => sum + counts, 0);
            expect(turn).toBeLessThanOrEqual(limits.softPerTurn + 1e-9);
          }
        },
      ),
      { numRuns: 15 },
    );
  }, 60_000);

  test('of which only so many fit let through exactly as many', async () => {
    const all = Array.from({ length: 50 }, (_, i) =>
      reserve(budgetOn(processes[i % 3] ?? db(), { perDay: 1 }), { runId: `run_${i}` }),
    );
    const outcomes = await Promise.all(all);
    const refused = outcomes.flatMap((one) => ('exceeded' in one ? one.exceeded : []));
    expect(outcomes.length - refused.length).toBe(10);
    expect(new Set(refused)).toEqual(new Set(['day']));
    expect((await budgetOn(db()).readSpent(payer)).day).toBe(1);
  });
});

describe('what counts', () => {
  test('is summed by turn, session, person and day', async () => {
    await spend(0.01);
    await spend(0.02, { turn: 2 });
    await spend(0.04, { runId: 'run_2' });
    await spend(0.08, { runId: 'run_3', user: 'ben' });
    expect(await budgetOn(db()).readSpent(payer)).toEqual({
      turn: 0.01,
      session: 0.03,
      plan: 0,
      person: 0.07,
      organisation: 0,
      day: 0.15,
    });
  });

  test('begins anew at midnight UTC for the day, and goes on for the session', async () => {
    now = new Date('2026-02-03T23:59:59.999Z');
    await spend(0.5);
    now = new Date('2026-02-04T00:00:00.000Z');
    expect(await budgetOn(db()).readSpent(payer)).toEqual({
      turn: 0.5,
      session: 0.5,
      plan: 0,
      person: 0,
      organisation: 0,
      day: 0,
    });
    expect('id' in (await reserve(budgetOn(db(), { perDay: 0.1 })))).toBe(true);
  });

  test('is the estimate until a call has come back, its cost afterwards, once', async () => {
    const budget = budgetOn(db());
    const reserved = await reserve(budget, { estimateUsd: 0.4 });
    if (!('id' in reserved)) throw new Error('refused');
    expect((await budget.readSpent(payer)).turn).toBe(0.4);
    await budget.settle(reserved.id, usage, 0.03);
    await budget.settle(reserved.id, usage, 0.09);
    await budget.fail(reserved.id, 'nothing');
    expect((await budget.readSpent(payer)).turn).toBe(0.03);
  });

  test.each([
    ['nothing', 0],
    ['unknown', 0.1],
  ] as const)('of a failed call that was charged %s is $%d', async (charged, counted) => {
    const budget = budgetOn(db());
    const reserved = await reserve(budget);
    if (!('id' in reserved)) throw new Error('refused');
    await budget.fail(reserved.id, charged);
    expect((await budget.readSpent(payer)).session).toBe(counted);
  });

  test('of a call whose process died stays its estimate, and the run shows it', async () => {
    await reserve(budgetOn(db()), { estimateUsd: 0.25 });
    await spend(0.01);
    expect(await listOpenCalls(db().query, 'run_1')).toEqual([
      {
        stage: 'DRAFT_OUTLINE',
        model: 'gpt-4.1',
        estimate_usd: 0.25,
        began_at: '2026-02-03T14:00:00.000Z',
      },
    ]);
    expect((await budgetOn(db()).readSpent(payer)).session).toBe(0.26);
  });

  test('holds what plans spend while running, once, for the day and not for the session', async () => {
    await spend(0.25);
    await db().query.execute(
      sql`insert into countersign.spending (at, run_id, usd) values (${now.toISOString()}, 'run_1', 0.5)`,
    );
    const budget = budgetOn(db(), { perDay: 0.8 });
    expect(await budget.readSpent(payer)).toMatchObject({ session: 0.25, day: 0.75 });
    expect(await readSpentSince(db().query, new Date('2026-02-03T00:00:00Z'))).toBe(0.75);
    expect(await reserve(budget)).toMatchObject({ exceeded: 'day' });
  });
});

describe('a refusal', () => {
  test('says which ceiling and what was spent, and writes nothing down', async () => {
    await spend(0.25);
    const budget = budgetOn(db(), { softPerTurn: 0.3 });
    expect(await reserve(budget)).toMatchObject({
      exceeded: 'turn',
      estimateUsd: 0.1,
      spent: { turn: 0.25, session: 0.25, person: 0.25, organisation: 0, day: 0.25 },
    });
    expect('id' in (await reserve(budget, { softLifted: true }))).toBe(true);
    expect((await budget.readSpent(payer)).turn).toBe(0.35);
  });
});

describe('calls under way', () => {
  const until = () => ({
    signal: new AbortController().signal,
    deadline: Date.now() + 20_000,
  });

  test.each([
    [24, 0.133],
    [12, 0.9],
  ])(
    'of %d planners that reserve $%d and cost $0.0004 refuse nobody',
    async (planners, estimateUsd) => {
      const caps = { perDay: 1 };
      const budgets = processes.map((at) => budgetOn(at, caps));
      const ended = await Promise.all(
        Array.from({ length: planners }, async (_, i) => {
          const budget = budgets[i % 3] ?? budgetOn(db(), caps);
          const made = await reserve(budget, { runId: `run_${i}`, estimateUsd }, until());
          if ('exceeded' in made) return made.exceeded;
          await budget.settle(made.id, usage, 0.0004);
          return 'called';
        }),
      );
      expect(new Set(ended)).toEqual(new Set(['called']));
      expect((await budgetOn(db()).readSpent(payer)).day).toBeCloseTo(planners * 0.0004, 9);
    },
  );

  test('are waited for no longer once they cost too much, or their process is gone', async () => {
    const budget = budgetOn(db(), { perDay: 0.15 });
    const first = await reserve(budget);
    if (!('id' in first)) throw new Error('refused');
    const second = reserve(budget, {}, until());
    await budget.settle(first.id, usage, 0.12);
    expect(await second).toMatchObject({ exceeded: 'day' });
    now = new Date(now.getTime() + 1000);
    await db().query.execute(sql`truncate countersign.model_calls`);
    await reserve(budget);
    now = new Date(now.getTime() + 121_000);
    expect(await reserve(budget, {}, until())).toMatchObject({ exceeded: 'day' });
  });
});

describe('what a call is expected to cost', () => {
  const perToken = { softLifted: false, price: async (tokens: number) => tokens / 1e6 };
  const estimateOf = async (stage: string, model = 'gpt-4.1') => {
    const wanted = { ...perToken, model, stage };
    const made = await budgetOn(db(), { perDay: 0 }).reserve(payer, wanted, atOnce);
    return 'exceeded' in made ? Math.round(made.estimateUsd * 1e6) : null;
  };
  const wrote = async (stage: string, tokens: number[]) => {
    const budget = budgetOn(db());
    for (const output_tokens of tokens) {
      const made = await reserve(budget, { stage });
      if ('id' in made) await budget.settle(made.id, { input_tokens: 1, output_tokens }, 0);
    }
  };

  test('is what nine of ten calls of its stage wrote, else of its model, else a first guess', async () => {
    expect(await estimateOf('DRAFT_OUTLINE')).toBe(1000);
    await wrote('DRAFT_OUTLINE', [20, 30, 40, 50, 60, 70, 80, 90, 100, 9000]);
    await wrote('critic', [5]);
    expect(await estimateOf('DRAFT_OUTLINE')).toBe(100);
    expect(await estimateOf('critic')).toBe(5);
    expect(await estimateOf('DRAFT_ROADMAP')).toBe(100);
    expect(await estimateOf('DRAFT_OUTLINE', 'gpt-5.5')).toBe(1000);
  });

  test('forgets what is long ago', async () => {
    await wrote('critic', [9000]);
    await wrote(
      'critic',
      Array.from({ length: 50 }, () => 7),
    );
    expect(await estimateOf('critic')).toBe(7);
  });
});

describe('caps of one person and of one organisation', () => {
  test('hold over their runs, and over plans that run for them, and for nobody else', async () => {
    const runs = [
      ['run_t1', 'ana', 'T1'],
      ['run_t1b', 'ben', 'T1'],
      ['run_t2', 'cleo', 'T2'],
    ];
    for (const [id, user, tenant] of runs)
      await db().query.execute(sql`
        insert into countersign.runs (id, conversation, "user", via, request, planning_status, modes, tenant)
        values (${id}, 'c', ${user}, 'api', 'Hello', 'running', '{}', ${tenant})`);
    const budget = budgetOn(db(), { perPerson: 0.3, perOrganisation: 0.4 });
    await spend(0.2, { runId: 'run_t1' });
    await spend(0.1, { runId: 'run_t1b', user: 'ben' });
    expect(await reserve(budget, { runId: 'run_t1', estimateUsd: 0.11 })).toMatchObject({
      exceeded: 'person',
      spent: { person: 0.2, organisation: 0.3, day: 0.3 },
    });
    expect(await reserve(budget, { runId: 'run_x', estimateUsd: 0.11 })).toMatchObject({
      exceeded: 'person',
    });
    expect(await reserve(budget, { runId: 'run_t2', user: 'cleo' })).toHaveProperty('id');
    expect(await reserve(budget, { runId: 'run_t1b', user: 'ben' })).toHaveProperty('id');
    expect(await reserve(budget, { runId: 'run_t1b', user: 'ben' })).toMatchObject({
      exceeded: 'organisation',
    });
  });
});
