// A plan's transactions and wakeups while others run.
import { expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { createPlanWorker } from '#executor/crew.ts';
import type { ExecutorContext } from '#executor/executor-context.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, noop } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { makeExecutor, startBy } from '../plans/bench.ts';

const instance = useInstance({ work: false });
const plans = 12;
const waits = 3;

test('chains that run together settle a step and start the next in one turn, and leave connections to others', async () => {
  let turns = 0;
  let atOnce = 0;
  let most = 0;
  const transaction: Database['transaction'] = async (work, options = {}) => {
    if (options.planOnce !== true) return instance.db.transaction(work, options);
    turns += 1;
    atOnce += 1;
    most = Math.max(most, atOnce);
    return instance.db.transaction(work, options).finally(() => {
      atOnce -= 1;
    });
  };
  const executor = makeExecutor(instance, {
    db: { ...instance.db, transaction },
  });
  const steps = Array.from({ length: waits }, (_, at) =>
    draftStep(
      `${at}`,
      'Wait',
      'control_wait',
      { seconds: 0.5 },
      ...(at === 0 ? [] : [`${at - 1}`]),
    ),
  );
  const started = [];
  for (let at = 0; at < plans; at += 1) started.push(await startBy(executor, instance, steps));
  const worker = createPlanWorker(executor);
  await Promise.all(started.map(({ id }) => worker.work(id)));
  executor.leases.stop();
  for (const { id } of started)
    expect(await instance.service.getPlan(id)).toMatchObject({ status: 'completed' });

  expect(turns / plans).toBeLessThan(1 + waits * 1.1);
  expect(most).toBeLessThan(instance.db.pool.options.max);
});

test('workers are woken by a notification alone', async () => {
  const sent: string[] = [];
  const enqueue: ExecutorContext['enqueue'] = async (_tx, name) => void sent.push(name);
  const executor = makeExecutor(instance, { enqueue });
  executor.leases.stop();
  const woken = Promise.withResolvers<string>();
  const off = instance.listener.on('work', woken.resolve);
  const { id } = await startBy(executor, instance, [noop('1')]);
  expect(await woken.promise).toBe(`work:${id}`);
  off();
  expect(sent).not.toContain('step');
  await instance.service.cancel(id, { version: 1 }, ana);
});
