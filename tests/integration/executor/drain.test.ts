// Reopening a worker during calls: unrepeatable ones finish, others are released.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPlanWorker } from '#executor/crew.ts';
import { createGates } from '../../fixtures/gates.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { noop } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';
import { makeExecutor, startBy, statusesOf } from '../plans/bench.ts';

const reads = createGates('read');
const writes = createGates('write');
const instance = useInstance({
  work: false,
  extraOperations: [reads.operation, writes.operation],
});

test('a drained worker lets writes end, hands reads back and claims nothing more', async () => {
  const name = randomUUID();
  const executor = makeExecutor(instance);
  const { id } = await startBy(executor, instance, [
    draftStep('write', 'Change it', 'gate_write', { name }),
    draftStep('read', 'Look at it', 'gate_read', { name }),
    noop('after', 'write'),
  ]);
  const worker = createPlanWorker(executor, 50);
  const worked = worker.work(id);
  await waitFor('both calls', () => writes.came(name) + reads.came(name) === 2);
  const drained = worker.drain();
  await waitFor('the read to be handed back', async () => {
    const { read } = await statusesOf(instance, id);
    return read === 'ready';
  });
  await worker.work(id);
  expect(await statusesOf(instance, id)).toMatchObject({ write: 'running', read: 'ready' });
  writes.open(name);
  await Promise.all([drained, worked]);
  expect(await statusesOf(instance, id)).toEqual({
    write: 'succeeded',
    read: 'ready',
    after: 'ready',
  });
  executor.leases.stop();
  const next = makeExecutor(instance);
  reads.open(name);
  await createPlanWorker(next).work(id);
  next.leases.stop();
  expect(await instance.service.getPlan(id)).toMatchObject({ status: 'completed' });
  expect([writes.came(name), reads.came(name)]).toEqual([1, 2]);
  await checkPlan(instance.db.query, id);
});
