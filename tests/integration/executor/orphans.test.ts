// Reservations and steps left by a crash or manual change.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { recover } from '#executor/recover.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { noop } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { claimReady, makeExecutor, startBy } from '../plans/bench.ts';

const instance = useInstance({ work: false, settings: { resourcePools: { desk: 4 } } });

test('what is held for a step that does not run is given back', async () => {
  const executor = makeExecutor(instance);
  const { id } = await startBy(executor, instance, [{ ...noop('a'), resources: { desk: 2 } }]);
  const { steps } = await claimReady(executor, id, 1);
  const readInUse = async () => {
    const { rows } = await instance.db.query.execute<{ n: number }>(
      sql`select in_use::int as n from countersign.resource_pools where name = 'desk'`,
    );
    return rows[0]?.n;
  };
  expect(steps).toHaveLength(1);
  expect(await readInUse()).toBe(2);
  await instance.db.query.execute(
    sql`update countersign.step_states set status = 'succeeded', lease_until = null where plan_id = ${id}`,
  );
  await recover(executor);
  expect(await readInUse()).toBe(0);
  executor.leases.stop();
});

test('steps of a lost worker are taken back, and the log says how many and for whom', async () => {
  const executor = makeExecutor(instance);
  const args = { method: 'POST', url: 'https://example.com/hook' };
  const { id } = await startBy(executor, instance, [
    noop('a'),
    draftStep('b', 'Post', 'http_request', args),
  ]);
  expect((await claimReady(executor, id, 2)).steps).toHaveLength(2);
  executor.leases.stop();
  await instance.db.query.execute(sql`
    update countersign.step_states set lease_until = clock_timestamp() - interval '1 second',
      called_at = clock_timestamp() where plan_id = ${id}`);
  await recover(executor);
  expect(executor.warnings).toEqual([
    `2 steps of ${id} recovered from a lost worker. A person must decide the outcome of 1 step.`,
  ]);
});
