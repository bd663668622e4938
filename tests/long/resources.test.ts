// Shared resources: used within limits, fully, fairly; dead holders released.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { draftStep } from '../fixtures/steps.ts';
import { useDatabase } from '../setup/database.ts';
import { ana, openTestInstance, reach, runPlan, type TestInstance } from '../setup/instance.ts';
import { type Program, usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();
let instance: TestInstance;
let workers: Program[];

const shared = Array.from({ length: 8 }, (_, i) => `pool-${i}`);
const resourcePools = {
  ...Object.fromEntries(shared.map((name) => [name, { capacity: 70, headroom: 7 }])),
  door: 10,
  desk: 8,
};

async function startWorker(more: object = {}): Promise<Program> {
  const executor = { lease_seconds: 3, concurrency: 130 };
  const home = await programs.home({ executor, resourcePools, ...more });
  return programs.work({ home, database: database.url });
}

beforeAll(async () => {
  instance = await openTestInstance(database.url, { work: false, settings: { resourcePools } });
  workers = await Promise.all(Array.from({ length: 4 }, () => startWorker()));
}, 60_000);
afterAll(() => instance.close());

function pause(id: string, seconds: number, resources: Record<string, number>, more: object = {}) {
  return { ...draftStep(id, `Wait ${seconds} s`, 'control_wait', { seconds }), resources, ...more };
}

type Sample = {
  pool: string;
  in_use: number;
  held: number;
  available: number;
  /** A step that needs only this pool is claimable. */
  wanted: boolean;
};

// One statement, so one snapshot.
async function sample(planId: string): Promise<Sample[]> {
  const { rows } = await instance.db.query.execute<Sample>(sql`
    select p.name as pool, p.in_use::float8 as in_use, (p.capacity - p.headroom)::float8 as available,
      coalesce((select sum(r.amount) from countersign.reservations r where r.pool = p.name), 0)::float8 as held,
      exists (select 1 from countersign.step_states s
        join countersign.plan_steps c on c.plan_id = s.plan_id and c.position = s.position
        where s.plan_id = ${planId} and s.status = 'ready' and c.resources = jsonb_build_object(p.name, 1)) as wanted
    from countersign.resource_pools p order by p.name`);
  return rows;
}

async function watchPools({ id }: Plan, look: (pools: Sample[]) => void): Promise<void> {
  await waitFor(
    `${id} to be completed`,
    async () => {
      look(await sample(id));
      return (await instance.service.getPlan(id)).status === 'completed';
    },
    { timeoutMs: 90_000, everyMs: 40 },
  );
}

async function expectNothingHeld(): Promise<void> {
  const { rows } = await instance.db.query.execute(sql`
    select (select coalesce(sum(in_use), 0)::float8 from countersign.resource_pools) as in_use,
      (select count(*)::int from countersign.reservations) as held,
      (select count(*)::int from countersign.resource_waits) as waiting`);
  expect(rows).toEqual([{ in_use: 0, held: 0, waiting: 0 }]);
}

describe('eight pools, four workers and some five hundred steps at once', () => {
  test('hold no more than there is at any moment, and more than 90 % of it while steps are ready', async () => {
    const steps = Array.from({ length: 2400 }, (_, i) => {
      const [first = '', second = ''] = [shared[i % 8], shared[(i + 3) % 8]];
      const needs =
        i % 20 === 7
          ? { [first]: 3 }
          : i % 20 === 13
            ? { [first]: 1, [second]: 2 }
            : { [first]: 1 };
      return pause(`${i}`, 2, needs);
    });
    const plan = await runPlan(instance, steps);
    const use: number[] = [];
    let most = 0;
    await watchPools(plan, (pools) => {
      for (const { in_use, held, available } of pools) {
        expect(held).toBe(in_use);
        expect(in_use).toBeLessThanOrEqual(available);
      }
      const mine = pools.filter(({ pool }) => shared.includes(pool));
      most = Math.max(
        most,
        mine.reduce((sum, { in_use }) => sum + in_use, 0),
      );
      // A pool fills only after the first claims.
      if (most < 0.9 * 8 * 63) return;
      for (const { in_use, available, wanted } of mine) if (wanted) use.push(in_use / available);
    });
    const mean = use.reduce((sum, share) => sum + share, 0) / use.length;
    expect(use.length).toBeGreaterThan(100);
    expect(mean).toBeGreaterThan(0.9);
    const { steps: page } = await instance.service.listSteps(plan.id, { limit: 1000 });
    expect(new Set(page.map(({ status, attempt }) => `${status} ${attempt}`))).toEqual(
      new Set(['succeeded 1']),
    );
    await expectNothingHeld();
  }, 120_000);
});

describe('a worker that is killed', () => {
  test('gives back what it held, and whoever waited for it is served', async () => {
    const holder = await startWorker({ backends: { holder: { capabilities: ['hold'] } } });
    const steps = Array.from({ length: 4 }, (_, i) =>
      pause(`${i}`, 600, { desk: 2 }, { capabilities: ['hold'] }),
    );
    const holding = await runPlan(instance, steps);
    const deskOf = async () => (await sample(holding.id)).find(({ pool }) => pool === 'desk');
    await waitFor('the desk to be taken', async () => (await deskOf())?.in_use === 8);
    const waiting = await runPlan(instance, { title: 'Wait', steps: [pause('w', 0, { desk: 5 })] });
    await waitFor('the other plan to stand in line', async () => {
      // As if it had waited for a minute.
      const { rows } = await instance.db.query.execute(sql`
        update countersign.resource_waits set since = clock_timestamp() - interval '1 minute'
        where plan_id = ${waiting.id} returning pool`);
      return rows.length > 0;
    });
    const { blocked } = await instance.service.card(waiting.id, { user: 'ana', timezone: 'UTC' });
    expect(blocked).toEqual([
      {
        kind: 'resource',
        step_ids: ['w'],
        count: 1,
        needs: ['desk'],
        reason: `for 5 of desk; 8 of 8 are in use by ${holding.id}.`,
      },
    ]);
    await holder.stop('SIGKILL');
    await reach(instance, waiting.id, 'completed');
    await waitFor('everything to be given back', async () => (await deskOf())?.in_use === 0);
    expect(await deskOf()).toMatchObject({ held: 0 });
    const { version } = await instance.service.getPlan(holding.id);
    await instance.service.cancel(holding.id, { version }, ana);
    await reach(instance, holding.id, 'cancelled');
    await expectNothingHeld();
    expect(workers.map((worker) => worker.isRunning())).toEqual([true, true, true, true]);
  }, 60_000);
});
