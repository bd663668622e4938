// A worker that claimed too much hands it back.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createPlanWorker } from '#executor/crew.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { noop } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';
import { makeExecutor, startBy } from '../plans/bench.ts';

const instance = useInstance({
  work: false,
  settings: { executor: { batch: 200, concurrency: 4, lease_seconds: 30 } },
});

const quick = Array.from({ length: 300 }, (_, i) => noop(`quick${i}`));
const slow = Array.from({ length: 80 }, (_, i) =>
  draftStep(`slow${i}`, 'Take a while', 'control_wait', { seconds: 0.4 }, 'last'),
);
const steps = [...quick, noop('last', ...quick.map(({ id }) => id)), ...slow];

type Attempt = { step_id: string; attempt: number; status: string; worker: string };

async function readAttempts(id: string): Promise<Attempt[]> {
  const { rows } = await instance.db.query.execute<Attempt>(sql`
    select s.step_id, a.attempt, a.status, a.worker from countersign.step_attempts a
    join countersign.step_states s on s.plan_id = a.plan_id and s.position = a.position
    where a.plan_id = ${id} and s.step_id like 'slow%'`);
  return rows;
}

test('what waits for a slot longer than it should is run by another, once, and is no failed try', async () => {
  const first = makeExecutor(instance);
  const second = makeExecutor(instance);
  const { id } = await startBy(first, instance, steps);
  const work = createPlanWorker(first).work(id);
  await waitFor('the first to have taken the slow steps', async () => {
    const { rows } = await instance.db.query.execute<{ n: number }>(sql`
      select count(*)::int as n from countersign.step_states
      where plan_id = ${id} and step_id like 'slow%' and lease_owner = ${first.worker}`);
    return (rows[0]?.n ?? 0) > 40;
  });
  const other = createPlanWorker(second);
  await waitFor(
    'the other to have done something',
    async () => {
      await other.work(id);
      return (await readAttempts(id)).some(
        ({ worker, status }) => worker === second.worker && status === 'succeeded',
      );
    },
    { timeoutMs: 20_000 },
  );
  await Promise.all([work, other.work(id)]);
  first.leases.stop();
  second.leases.stop();
  expect(await instance.service.getPlan(id)).toMatchObject({ status: 'completed' });
  const attempts = await readAttempts(id);
  const done = attempts.filter(({ status }) => status === 'succeeded');
  expect(new Set(done.map(({ step_id }) => step_id)).size).toBe(slow.length);
  expect(done).toHaveLength(slow.length);
  const shareOfSecond = done.filter(({ worker }) => worker === second.worker).length;
  expect(shareOfSecond).toBeGreaterThan(slow.length / 5);
  const back = attempts.filter(({ status }) => status !== 'succeeded');
  expect(back.length).toBeGreaterThan(20);
  expect(new Set(back.map(({ status, worker }) => `${status} ${worker}`))).toEqual(
    new Set([`cancelled ${first.worker}`]),
  );
  await checkPlan(instance.db.query, id);
});
