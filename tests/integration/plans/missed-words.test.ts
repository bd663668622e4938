// Cancel and pause requests that reach a worker late or never.
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPlanWorker, type PlanWorker } from '#executor/crew.ts';
import { keepLeases } from '#executor/leases.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, noop, openTestInstance, runPlan, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { claimReady, crowdedSlots, makeExecutor, startBy, statusesOf } from './bench.ts';

const database = useDatabase();

const wait = (id: string, resources: Record<string, number> = {}) => ({
  ...draftStep(id, 'Take a minute', 'control_wait', { seconds: 50 }),
  resources,
});

const version = { version: 1 };

function isRunning(instance: TestInstance, planId: string, id: string): Promise<unknown> {
  return waitFor(
    `${id} to run`,
    async () => (await statusesOf(instance, planId))[id] === 'running',
  );
}

let instance: TestInstance;
beforeAll(async () => {
  instance = await openTestInstance(database.url, {
    work: false,
    settings: { resourcePools: { desk: 4 } },
  });
});
afterAll(() => instance.close());

test('a worker that is not told stops what a person cancelled when it renews its leases', async () => {
  const executor = makeExecutor(instance);
  const { id } = await startBy(executor, instance, [wait('w')]);
  const { steps } = await claimReady(executor, id, 1);
  executor.leases.stop();
  const leases = keepLeases(
    { ...executor, settings: { ...executor.settings, lease_seconds: 3600 } },
    executor.worker,
  );
  const calls = steps.map(({ position, attempt }) =>
    leases.hold({ plan_id: id, position, attempt }, 'read'),
  );
  await instance.service.cancel(id, version, ana);
  expect(calls[0]?.signal.aborted).toBe(false);
  leases.renew();
  await waitFor('the call to be stopped', () => calls[0]?.signal.aborted ?? false);
  expect(calls[0]?.signal.reason).toMatchObject({ message: 'a person cancelled the plan' });
  leases.stop();
});

describe('a step that waits for a slot of its worker', () => {
  let executor: ReturnType<typeof makeExecutor>;
  let worker: PlanWorker;
  let busy: Promise<void>;
  let free: () => void;

  beforeEach(async () => {
    const slots = crowdedSlots(1);
    executor = makeExecutor(instance, { slots });
    worker = createPlanWorker(executor);
    const { promise, resolve } = Promise.withResolvers<void>();
    free = resolve;
    busy = slots.run(() => promise, new AbortController().signal);
  });
  afterEach(async () => {
    free();
    await Promise.all([busy, worker.stop()]);
    executor.leases.stop();
  });

  async function queue(title: string): Promise<string> {
    const { id } = await startBy(executor, instance, {
      title,
      steps: [{ ...noop('next'), resources: { desk: 4 } }],
    });
    void worker.work(id);
    await isRunning(instance, id, 'next');
    return id;
  }

  async function readInUse(): Promise<number | undefined> {
    const { rows } = await instance.db.query.execute<{ n: number }>(
      sql`select in_use::int as n from countersign.resource_pools where name = 'desk'`,
    );
    return rows[0]?.n;
  }

  const next = async (id: string) => (await statusesOf(instance, id)).next;

  test('is cancelled with its plan, and gives back what it holds', async () => {
    const id = await queue('Cancelled');
    expect(await readInUse()).toBe(4);
    await instance.service.cancel(id, version, ana);
    executor.leases.renew();
    await waitFor('it to be cancelled', async () => (await next(id)) === 'cancelled');
    expect(await readInUse()).toBe(0);
  });

  test('does not begin when its plan is paused, and gives back what it holds', async () => {
    const id = await queue('Paused');
    await instance.service.pause(id, version, ana);
    // It asks before it begins.
    await new Promise((resolve) => setTimeout(resolve, 300));
    free();
    await waitFor('it to be ready', async () => (await next(id)) === 'ready');
    expect(await readInUse()).toBe(0);
    await instance.service.cancel(id, version, ana);
  });

  test('goes to whoever has its lease', async () => {
    const id = await queue('Lost');
    await instance.db.query.execute(sql`
      update countersign.step_states set lease_owner = 'another worker', attempt = attempt + 1 where plan_id = ${id}`);
    executor.leases.renew();
    await waitFor('its outcome to be refused', async () => {
      const entries = await instance.service.audit(id, { limit: 100 });
      return entries.some(({ action }) => action === 'settle_refused');
    });
    await instance.service.cancel(id, version, ana);
  });
});

test('a cancelled plan stops its calls although the listening connection was lost', async () => {
  // Renewed only after the reconnection.
  const instance = await openTestInstance(database.url, {
    settings: { executor: { lease_seconds: 60 } },
  });
  const { id } = await runPlan(instance, [wait('w')]);
  await isRunning(instance, id, 'w');
  const { rows } = await instance.db.query.execute(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'countersign listener' and datname = current_database()`);
  expect(rows.length).toBeGreaterThan(0);
  await instance.service.cancel(id, version, ana);
  await waitFor(
    'the step to be cancelled',
    async () => (await statusesOf(instance, id)).w === 'cancelled',
    { timeoutMs: 10_000 },
  );
  await instance.close();
});
