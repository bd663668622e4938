// Plans in which a failure stops everything that has not begun, whoever says that it is one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from '#tests/setup/database.ts';
import { ana, noop, openTestHouse, type TestHouse } from '#tests/setup/house.ts';
import { checkPlan } from '#tests/setup/invariants.ts';
import {
  claimReady,
  makeExecutor,
  outcomeOf,
  settleOutcomes,
  startBy,
  statusesOf,
} from './bench.ts';

const database = useDatabase();
let house: TestHouse;

beforeAll(async () => {
  const settings = { executor: { on_failure: 'stop_all' } };
  house = await openTestHouse(database.url, { work: false, settings });
});
afterAll(() => house.close());

const task = (id: string) => ({
  id,
  description: 'Look at it',
  tool: 'human',
  operation: 'task',
  args: { question: 'Is it good?' },
});

/** A plan with a task that waits for a person, a step that has not begun and one behind it. */
async function ask(title: string) {
  const executor = makeExecutor(house);
  const steps = [task('t'), noop('free'), noop('behind', 'free')];
  const { id } = await startBy(executor, house, { title, steps });
  const claimed = await claimReady(executor, id, 2);
  const of = (name: string) => claimed.steps.filter(({ step_id }) => step_id === name);
  await settleOutcomes(
    executor,
    id,
    of('t').map((step) => outcomeOf(step, 'waiting', { question: 'Is it good?' })),
  );
  return { executor, id, running: of('free') };
}

test('what has not begun is skipped when a person says that a step failed', async () => {
  const { executor, id, running } = await ask('A word');
  await house.service.resume(id, { version: 1, steps: { t: 'failed' }, answer: 'No.' }, ana);
  expect(await statusesOf(house, id)).toEqual({ t: 'failed', free: 'running', behind: 'skipped' });
  await settleOutcomes(
    executor,
    id,
    running.map((step) => outcomeOf(step, 'succeeded')),
  );
  expect((await house.service.getPlan(id)).status).toBe('failed');
  await checkPlan(house.db.query, id);
  executor.leases.stop();
});

test('goes on when what failed is said to be done, and not while another failure stands', async () => {
  const { executor, id, running } = await ask('Two failures');
  await house.service.resume(id, { version: 1, steps: { t: 'failed' }, answer: 'No.' }, ana);
  await settleOutcomes(
    executor,
    id,
    running.map((step) => outcomeOf(step, 'failed')),
  );
  await house.service.resume(id, { version: 1, steps: { free: 'done' }, answer: 'Done.' }, ana);
  expect(await statusesOf(house, id)).toEqual({
    t: 'failed',
    free: 'succeeded',
    behind: 'skipped',
  });
  await house.service.resume(id, { version: 1, steps: { t: 'done' }, answer: 'Done.' }, ana);
  expect(await statusesOf(house, id)).toEqual({
    t: 'succeeded',
    free: 'succeeded',
    behind: 'ready',
  });
  await checkPlan(house.db.query, id);
  executor.leases.stop();
});

test('what is to be tried again by the word that calls another step failed is not stopped with the rest', async () => {
  const executor = makeExecutor(house);
  const steps = [noop('a'), noop('b'), noop('behind', 'b')];
  const { id } = await startBy(executor, house, { title: 'Both at once', steps });
  const claimed = await claimReady(executor, id, 2);
  await settleOutcomes(
    executor,
    id,
    claimed.steps.map((step) => outcomeOf(step, 'unknown', { question: 'Did it happen?' })),
  );
  await house.service.resume(id, { version: 1, steps: { a: 'retry', b: 'failed' } }, ana);
  expect(await statusesOf(house, id)).toEqual({ a: 'ready', b: 'failed', behind: 'skipped' });
  await checkPlan(house.db.query, id);
  executor.leases.stop();
});
