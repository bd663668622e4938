// When steps begin: lags, dates, failures, concurrent plans.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlanWorker } from '#executor/crew.ts';
import { recover } from '#executor/recover.ts';
import { draftStep } from '../../fixtures/steps.ts';
import {
  ana,
  noop,
  openTestInstance,
  reach,
  runPlan,
  type TestInstance,
} from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { waitFor } from '../../wait.ts';
import {
  claimReady,
  crowdedSlots,
  expireLeases,
  outcomeOf,
  settleOutcomes,
  startBy,
  statusesOf,
  useExecutor,
} from './bench.ts';

const { instance, executor } = useExecutor({ settings: { resourcePools: { desk: 100 } } });

const edge = (id: string, type: 'FS' | 'SS' | 'FF' | 'SF') => ({ id, type, lag_minutes: 0 });
const waitStep = (id: string, seconds: number) =>
  draftStep(id, `Wait ${seconds} s`, 'control_wait', { seconds });

describe('of steps that are ready', () => {
  test.each([
    ['in a plan that reserves nothing', {}],
    ['in a plan that shares a pool', { resources: { desk: 1 } }],
  ])(
    'the most urgent is claimed first, then the one most wait for, then the oldest, %s',
    async (_where, shared) => {
      // Reverse positions, which decide last.
      const then = (id: string, after: string) => ({ ...noop(id, after), ...shared });
      const { id } = await startBy(executor, instance, [
        ...['third', 'second', 'first'].map((root) => ({ ...noop(root), ...shared })),
        then('youngest', 'third'),
        then('wanted', 'third'),
        { ...then('urgent', 'third'), priority: 1 },
        then('younger', 'second'),
        then('oldest', 'first'),
        then('last', 'wanted'),
      ]);
      const { steps: roots } = await claimReady(executor, id, 3);
      for (const name of ['first', 'second', 'third']) {
        const ended = roots.filter(({ step_id }) => step_id === name);
        await settleOutcomes(
          executor,
          id,
          ended.map((step) => outcomeOf(step, 'succeeded')),
        );
      }
      const order: string[] = [];
      for (let turn = 0; turn < 5; turn++) {
        order.push(...(await claimReady(executor, id, 1)).steps.map(({ step_id }) => step_id));
      }
      expect(order).toEqual(['urgent', 'wanted', 'oldest', 'younger', 'youngest']);
    },
  );

  test('one that was handed back waits behind those that were ready before', async () => {
    const { id } = await startBy(executor, instance, [noop('1'), noop('2')]);
    const [first] = (await claimReady(executor, id, 1)).steps;
    if (first === undefined) throw new Error('a step should have been ready');
    await settleOutcomes(executor, id, [outcomeOf(first, 'cancelled')]);
    const { steps } = await claimReady(executor, id, 2);
    expect(steps.map(({ step_id }) => step_id)).toEqual(['2', '1']);
  });
});

describe('a start edge', () => {
  test('is met once, however often its predecessor is started', async () => {
    const { id } = await startBy(executor, instance, [
      noop('a'),
      noop('b'),
      { ...noop('c'), after: [edge('a', 'SS'), edge('b', 'FS')] },
    ]);
    await claimReady(executor, id, 2);
    await expireLeases(instance, id);
    await recover(executor);
    const { steps } = await claimReady(executor, id, 2);
    expect(await statusesOf(instance, id)).toMatchObject({ c: 'pending' });
    const b = steps.find(({ step_id }) => step_id === 'b');
    if (b === undefined) throw new Error('b was not claimed again');
    await settleOutcomes(executor, id, [outcomeOf(b, 'succeeded')]);
    expect(await statusesOf(instance, id)).toMatchObject({ a: 'running', c: 'ready' });
  });

  test('that is met already does not carry a failure on', async () => {
    const { id } = await startBy(executor, instance, [
      noop('a'),
      { ...noop('b'), after: [edge('a', 'SS')] },
      noop('c', 'b'),
      noop('d', 'a'),
    ]);
    const [a] = (await claimReady(executor, id, 1)).steps;
    const [b] = (await claimReady(executor, id, 1)).steps;
    if (a === undefined || b === undefined) throw new Error('a and b should have been ready');
    await settleOutcomes(executor, id, [outcomeOf(a, 'failed')]);
    expect(await statusesOf(instance, id)).toEqual({
      a: 'failed',
      b: 'running',
      c: 'pending',
      d: 'skipped',
    });
    await settleOutcomes(executor, id, [outcomeOf(b, 'succeeded')]);
    expect(await statusesOf(instance, id)).toMatchObject({ c: 'ready' });
  });
});

const types = ['FS', 'SS', 'FF', 'SF'] as const;
const lags = [-30, 0, 30];
const named = (type: string, lag: number) => `${type}${lag}`;

// `in 30` is in 30 minutes.
async function lookAt(planId: string): Promise<Record<string, string>> {
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
  const steps = [
    noop('a'),
    ...types.flatMap((type) =>
      lags.map((lag) => ({
        ...noop(named(type, lag)),
        after: [{ id: 'a', type, lag_minutes: lag }],
      })),
    ),
  ];
  const { id } = await startBy(executor, instance, steps);
  const each = (of: readonly string[], status: (lag: number) => string) =>
    of.flatMap((type) => lags.map((lag) => [named(type, lag), status(lag)]));
  const due = (lag: number) => (lag > 0 ? `in ${lag}` : 'now');
  const pending = () => 'pending';
  expect(await lookAt(id)).toEqual({ a: 'now', ...Object.fromEntries(each(types, pending)) });
  const { steps: claimed } = await claimReady(executor, id, 1);
  expect(await lookAt(id)).toEqual({
    a: 'running',
    ...Object.fromEntries([...each(['FS', 'FF'], pending), ...each(['SS', 'SF'], due)]),
  });
  await settleOutcomes(
    executor,
    id,
    claimed.map((step) => outcomeOf(step, 'succeeded')),
  );
  expect(await lookAt(id)).toEqual({ a: 'succeeded', ...Object.fromEntries(each(types, due)) });
  await checkPlan(instance.db.query, id);
});

test('a step that waits for a start begins while its predecessor still runs', async () => {
  const { id } = await startBy(executor, instance, [
    waitStep('long', 50),
    { ...noop('b'), after: [edge('long', 'SS')] },
  ]);
  const working = createPlanWorker(executor).work(id);
  await waitFor('the successor', async () => (await statusesOf(instance, id)).b === 'succeeded');
  expect(await statusesOf(instance, id)).toMatchObject({ long: 'running' });
  await instance.service.cancel(id, { version: 1 }, ana);
  executor.leases.abortPlan(id, new Error('a person cancelled the plan'));
  await working;
  expect(await statusesOf(instance, id)).toMatchObject({ long: 'cancelled' });
});

test('what a stopping process has not begun is handed back with a job', async () => {
  const sent: string[] = [];
  const enqueue: typeof executor.enqueue = async (_tx, name) => void sent.push(name);
  const stopping = { ...executor, enqueue, slots: crowdedSlots(1) };
  const { id } = await startBy(executor, instance, [
    waitStep('first', 0.3),
    noop('second'),
    noop('third', 'first'),
  ]);
  const worker = createPlanWorker(stopping);
  const working = worker.work(id);
  await waitFor('both', async () => (await statusesOf(instance, id)).second === 'running');
  await worker.stop();
  await working;
  expect(await statusesOf(instance, id)).toEqual({
    first: 'succeeded',
    second: 'ready',
    third: 'ready',
  });
  expect(sent).toContain('step');
  await instance.service.cancel(id, { version: 1 }, ana);
});

describe('a not-before time', () => {
  test('holds for a step that waits for another one', async () => {
    const { id } = await startBy(executor, instance, [
      noop('a'),
      { ...noop('b', 'a'), not_before: '2999-01-01T00:00:00Z' },
    ]);
    const [a] = (await claimReady(executor, id, 1)).steps;
    if (a === undefined) throw new Error('a was not ready');
    await settleOutcomes(executor, id, [outcomeOf(a, 'succeeded')]);
    expect((await claimReady(executor, id, 1)).steps).toEqual([]);
  });

  test('outside the years of the calendar is refused', async () => {
    for (const not_before of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-14:00']) {
      await expect(
        runPlan(instance, { title: 'When', steps: [{ ...noop('a'), not_before }] }),
      ).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });
});

describe('with a worker of two slots', () => {
  let working: TestInstance;
  beforeAll(async () => {
    working = await openTestInstance(instance.config.env.DATABASE_URL ?? '', {
      settings: { executor: { concurrency: 2, batch: 2, lease_seconds: 2 } },
    });
  });
  afterAll(() => working.close());

  test('a not-before time is kept when another step is under way for longer', async () => {
    const soon = new Date(Date.now() + 2000).toISOString();
    const steps = [waitStep('long', 20), { ...noop('soon'), not_before: soon }];
    const plan = await working.service.propose({ title: 'Meanwhile', steps }, {}, ana);
    // May have passed on a busy machine.
    const { version, digest } = plan;
    await working.service.approve(plan.id, { version, digest, passed: soon }, ana);
    await waitFor(
      'the timed step',
      async () => (await statusesOf(working, plan.id)).soon === 'succeeded',
    );
    expect(await statusesOf(working, plan.id)).toMatchObject({ long: 'running' });
    await working.service.cancel(plan.id, { version: 1 }, ana);
    await reach(working, plan.id, 'cancelled');
  });

  test('a small plan does not wait for a large one to end', async () => {
    const large = await runPlan(
      working,
      Array.from({ length: 400 }, (_, n) => waitStep(`w${n}`, 0.03)),
    );
    await waitFor(
      'the large plan',
      async () => (await working.service.overview(large.id)).counts.succeeded > 20,
    );
    const small = await runPlan(working, [noop('1')]);
    await reach(working, small.id, 'completed');
    expect((await working.service.getPlan(large.id)).status).toBe('executing');
    await working.service.cancel(large.id, { version: 1 }, ana);
  });
});
