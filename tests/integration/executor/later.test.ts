// An MCP tool that runs only as a background task.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { draftStep } from '../../fixtures/steps.ts';
import { startTaskServer, type TaskServer } from '../../fixtures/task-server.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, reach, runPlan, type TestInstance } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let server: TaskServer;
let worker: TestInstance;

const open = () =>
  openTestInstance(database.url, {
    settings: {
      mcpServers: { bakery: { url: server.url } },
      resourcePools: { oven: 1 },
    },
  });

beforeAll(async () => {
  server = await startTaskServer();
  worker = await open();
});
beforeEach(() => server.tasks.clear());
afterAll(async () => {
  await worker.close();
  await server.close();
});

const bake = (id: string) => ({
  ...draftStep(id, `Bake (${id})`, 'bakery_bake', { name: id }),
  resources: { oven: 1 },
});

async function begin() {
  const { id } = await runPlan(worker, [bake('a')]);
  await waitFor('the step to be at work without a worker', async () => {
    const { rows } = await worker.db.query.execute(sql`
      select 1 from countersign.step_states where plan_id = ${id} and status = 'running'
        and lease_owner = 'later' and lease_until is null`);
    return rows.length === 1;
  });
  const [task] = server.tasks.values();
  if (task === undefined) throw new Error('no task was begun');
  return { id, task };
}

async function readInUse(): Promise<number | undefined> {
  const { rows } = await worker.db.query.execute<{ n: number }>(
    sql`select in_use::int as n from countersign.resource_pools where name = 'oven'`,
  );
  return rows[0]?.n;
}

test('settles with the result when another worker has taken over, and is called once', async () => {
  const { id, task } = await begin();
  expect(await readInUse()).toBe(1);
  await worker.close();
  const before = server.asked;
  worker = await open();
  await waitFor('the other worker to have asked twice', () => server.asked > before + 1);
  expect((await worker.service.getPlan(id)).status).toBe('executing');
  expect(await readInUse()).toBe(1);
  task.text = 'A loaf.';
  task.status = 'completed';
  await reach(worker, id, 'completed');
  const [step] = await worker.service.getSteps(id, ['a']);
  expect(step).toMatchObject({ status: 'succeeded', output: { text: 'A loaf.' }, attempt: 1 });
  expect(server.tasks.size).toBe(1);
  expect(await readInUse()).toBe(0);
  await checkPlan(worker.db.query, id);
});

test('is stopped at its server when its plan is cancelled', async () => {
  const { id, task } = await begin();
  const { version } = await worker.service.getPlan(id);
  await worker.service.cancel(id, { version }, ana);
  await waitFor('the step to end', async () => {
    const [step] = await worker.service.getSteps(id, ['a']);
    return step?.status === 'cancelled';
  });
  expect(task.status).toBe('cancelled');
  expect(await readInUse()).toBe(0);
});

test('asks a person when its server has lost the task, and does not call again', async () => {
  const { id } = await begin();
  server.tasks.clear();
  const step = await waitFor('the step to be unknown', async () => {
    const [one] = await worker.service.getSteps(id, ['a']);
    return one?.status === 'unknown' ? one : null;
  });
  expect(step.question).toContain('lost its task');
  expect(server.tasks.size).toBe(0);
});

test('a long wait goes on across a restart and ends at its deadline, not later', async () => {
  const { id } = await runPlan(worker, {
    title: 'Wait',
    steps: [draftStep('w', 'Wait', 'control_wait', { seconds: 3600 })],
  });
  const readUntil = async () => {
    const { rows } = await worker.db.query.execute<{ until: number }>(sql`
      select (output ->> 'later')::jsonb -> 'until' as until from countersign.step_states
      where plan_id = ${id} and lease_owner = 'later'`);
    return rows[0]?.until ?? null;
  };
  const until = await waitFor('the deadline', readUntil);
  await worker.close();
  worker = await open();
  expect(await readUntil()).toBe(until);
  await worker.db.query.execute(sql`
    update countersign.step_states set available_at = now(),
      output = jsonb_set(output, '{later}', to_jsonb(jsonb_build_object('seconds', 3600, 'until', 0)::text))
    where plan_id = ${id}`);
  await reach(worker, id, 'completed');
  expect(await worker.service.getSteps(id, ['w'])).toMatchObject([
    { status: 'succeeded', output: { seconds: 3600 }, attempt: 1 },
  ]);
});
