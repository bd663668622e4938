// Lags of all four kinds of edges: when what they lead to may begin, counted from the start or the end before it.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { claimReady, makeExecutor, outcomeOf, settleOutcomes, startBy } from './bench.ts';

const database = useDatabase();
let instance: TestInstance;

beforeAll(async () => {
  instance = await openTestInstance(database.url, { work: false });
});
afterAll(() => instance.close());

const types = ['FS', 'SS', 'FF', 'SF'] as const;
const lags = [-30, 0, 30];
const named = (type: string, lag: number) => `${type}${lag}`;

/** How each step stands: `now` could be claimed, `in 30` could be in 30 minutes. */
async function look(planId: string): Promise<Record<string, string>> {
  const { rows } = await instance.db.query.execute<{
    id: string;
    status: string;
    wait: number;
  }>(sql`
    select step_id as id, status, ceil(extract(epoch from available_at - clock_timestamp()) / 60)::int as wait
    from countersign.step_states where plan_id = ${planId} order by position`);
  return Object.fromEntries(
    rows.map(({ id, status, wait }) => {
      if (status !== 'ready') return [id, status];
      return [id, wait > 0 ? `in ${wait}` : 'now'];
    }),
  );
}

test('a step is free when its lag has passed since the end of the edge that it hangs on', async () => {
  const executor = makeExecutor(instance);
  const steps = [
    noop('a'),
    ...types.flatMap((type) =>
      lags.map((lag) => ({
        ...noop(named(type, lag)),
        after: [{ id: 'a', type, lag_minutes: lag }],
      })),
    ),
  ];
  const { id } = await startBy(executor, instance, { title: 'Lags', steps });
  const each = (of: readonly string[], status: (lag: number) => string) =>
    of.flatMap((type) => lags.map((lag) => [named(type, lag), status(lag)]));
  const due = (lag: number) => (lag > 0 ? `in ${lag}` : 'now');
  const pending = () => 'pending';
  expect(await look(id)).toEqual({ a: 'now', ...Object.fromEntries(each(types, pending)) });
  const { steps: claimed } = await claimReady(executor, id, 1);
  expect(await look(id)).toEqual({
    a: 'running',
    ...Object.fromEntries([...each(['FS', 'FF'], pending), ...each(['SS', 'SF'], due)]),
  });
  await settleOutcomes(
    executor,
    id,
    claimed.map((step) => outcomeOf(step, 'succeeded')),
  );
  expect(await look(id)).toEqual({ a: 'succeeded', ...Object.fromEntries(each(types, due)) });
  await checkPlan(instance.db.query, id);
  executor.leases.stop();
});
