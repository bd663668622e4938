// Plans in which a failure stops everything not begun.
import { expect, test } from 'vitest';
import { draftStep } from '../../fixtures/steps.ts';
import { noop } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import {
  claimReady,
  makeExecutor,
  outcomeOf,
  settleOutcomes,
  startBy,
  statusesOf,
} from './bench.ts';

const instance = useInstance({ work: false, settings: { executor: { on_failure: 'stop_all' } } });
const { resume } = readsOf(() => instance);

const task = (id: string) => draftStep(id, 'Look at it', 'human_task', { question: 'Is it good?' });

async function ask(title: string) {
  const executor = makeExecutor(instance);
  const steps = [task('t'), noop('free'), noop('behind', 'free')];
  const { id } = await startBy(executor, instance, { title, steps });
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
  await resume(id, { steps: { t: 'failed' }, answer: 'No.' });
  expect(await statusesOf(instance, id)).toEqual({
    t: 'failed',
    free: 'running',
    behind: 'skipped',
  });
  await settleOutcomes(
    executor,
    id,
    running.map((step) => outcomeOf(step, 'succeeded')),
  );
  expect((await instance.service.getPlan(id)).status).toBe('failed');
  await checkPlan(instance.db.query, id);
  executor.leases.stop();
});

test('goes on when what failed is said to be done, and not while another failure stands', async () => {
  const { executor, id, running } = await ask('Two failures');
  await resume(id, { steps: { t: 'failed' }, answer: 'No.' });
  await settleOutcomes(
    executor,
    id,
    running.map((step) => outcomeOf(step, 'failed')),
  );
  await resume(id, { steps: { free: 'done' }, answer: 'Done.' });
  expect(await statusesOf(instance, id)).toEqual({
    t: 'failed',
    free: 'succeeded',
    behind: 'skipped',
  });
  await resume(id, { steps: { t: 'done' }, answer: 'Done.' });
  expect(await statusesOf(instance, id)).toEqual({
    t: 'succeeded',
    free: 'succeeded',
    behind: 'ready',
  });
  await checkPlan(instance.db.query, id);
  executor.leases.stop();
});

test('what is to be tried again by the word that calls another step failed is not stopped with the rest', async () => {
  const executor = makeExecutor(instance);
  const steps = [noop('a'), noop('b'), noop('behind', 'b')];
  const { id } = await startBy(executor, instance, steps);
  const claimed = await claimReady(executor, id, 2);
  await settleOutcomes(
    executor,
    id,
    claimed.steps.map((step) => outcomeOf(step, 'unknown', { question: 'Did it happen?' })),
  );
  await resume(id, { steps: { a: 'retry', b: 'failed' } });
  expect(await statusesOf(instance, id)).toEqual({ a: 'ready', b: 'failed', behind: 'skipped' });
  await checkPlan(instance.db.query, id);
  executor.leases.stop();
});
