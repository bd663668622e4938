// Slow steps and quick plans on two workers: slow ones are taken only where they begin, and never keep quick ones from running.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPlanWorker, type PlanWorker } from '#executor/crew.ts';
import type { ExecutorContext } from '#executor/executor-context.ts';
import { createSlots } from '#executor/slots.ts';
import { makeExecutor, startBy, statusesOf } from '../../integration/plans/bench.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, type TestInstance, withOpened } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let instance: TestInstance;
beforeAll(async () => {
  instance = await openTestInstance(database.url, { work: false });
});
afterAll(() => instance.close());

/** Two workers on whose tools steps named slow* end only when `end` is called. */
function startTwo(most: number) {
  const { promise: slowEnd, resolve: end } = Promise.withResolvers<void>();
  const underWay = { now: 0, most: 0 };
  const registry = withOpened(instance.registry, (opened) => ({
    get(name) {
      const operation = opened.get(name);
      if (operation === undefined) return undefined;
      return {
        ...operation,
        async call(args, tools) {
          underWay.most = Math.max(underWay.most, ++underWay.now);
          if (tools.stepId?.startsWith('slow')) await slowEnd;
          underWay.now--;
          return operation.call(args, tools);
        },
      };
    },
  }));
  const executors = [1, 2].map(() =>
    makeExecutor(instance, { registry, slots: createSlots(16, most) }),
  );
  const workers = executors.map((executor) => createPlanWorker(executor));
  return { executors, workers, end, underWay };
}

const startPlans = (executor: ExecutorContext, count: number, name: string, steps: number) =>
  Promise.all(
    Array.from({ length: count }, (_, at) =>
      startBy(executor, instance, {
        title: `${name} ${at}`,
        steps: Array.from({ length: steps }, (__, step) => noop(`${name}${step}`)),
      }),
    ),
  );

/** As both are told of each plan by the database. */
const work = (workers: PlanWorker[], plans: { id: string }[]) =>
  Promise.all(plans.flatMap(({ id }) => workers.map((worker) => worker.work(id))));

const statusOf = async ({ id }: { id: string }) => (await instance.service.getPlan(id)).status;

/** Runs `slowPlans` plans of three slow steps, and meanwhile 50 of one quick step. */
async function run(slowPlans: number, most: number) {
  const { executors, workers, end, underWay } = startTwo(most);
  const [first] = executors;
  if (first === undefined) expect.fail();
  const slow = await startPlans(first, slowPlans, 'slow', 3);
  // The first alone, before the second knows of them.
  const slowWork = [work(workers.slice(0, 1), slow)];
  await waitFor('its slots to be taken', async () => underWay.now >= 16);
  slowWork.push(work(workers.slice(1), slow));
  await waitFor('the slow steps to run', async () => underWay.now >= Math.min(30, slowPlans * 3));
  const quick = await startPlans(first, 50, 'quick', 1);
  const quickWork = work(workers, quick);
  await waitFor('the quick plans to be done', async () =>
    (await Promise.all(quick.map(statusOf))).every((status) => status === 'completed'),
  );
  const { rows } = await instance.db.query.execute<{ seconds: number }>(sql`
    select extract(epoch from max(started_at - available_at))::float8 as seconds
    from countersign.step_states where plan_id = any(${sql.param(quick.map(({ id }) => id))}::text[])`);
  const longestWait = rows[0]?.seconds;
  const countRunning = async () =>
    (await Promise.all(slow.map(({ id }) => statusesOf(instance, id))))
      .flatMap((statuses) => Object.values(statuses))
      .filter((status) => status === 'running').length;
  await waitFor(
    'what is called to be what is shown as running',
    async () => (await countRunning()) === underWay.now,
  );
  const slowUnderWay = underWay.now;
  end();
  await Promise.all([...slowWork, quickWork]);
  const slowStatuses = new Set(await Promise.all(slow.map(statusOf)));
  for (const { leases } of executors) leases.stop();
  return { slowStatuses, slowUnderWay, longestWait, most: underWay.most };
}

test('a worker takes no more slow steps than it calls, so that another runs the rest, and quick plans find the free slots', async () => {
  const { slowStatuses, slowUnderWay, most } = await run(10, 16);
  expect(slowUnderWay).toBe(30);
  expect(most).toBeLessThanOrEqual(32);
  expect(slowStatuses).toEqual(new Set(['completed']));
});

test('where slow steps hold every slot, quick plans still run, and what does not run is not shown as running', async () => {
  const { slowStatuses, slowUnderWay, longestWait } = await run(14, 32);
  expect(slowUnderWay).toBeGreaterThanOrEqual(32);
  // The promised maximum, many times the real figure.
  expect(longestWait).toBeLessThan(5);
  expect(slowStatuses).toEqual(new Set(['completed']));
});
