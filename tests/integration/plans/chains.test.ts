// Steps freed by a turn start in it if nothing blocks them.
import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import type { Outcome } from '#db/sql/settle.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { createPlanWorker } from '#executor/crew.ts';
import { takeTurn } from '#executor/turn.ts';
import { ana, noop } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { claimReady, makeExecutor, outcomeOf, startBy, statusesOf, useExecutor } from './bench.ts';

const { instance, executor } = useExecutor({
  settings: { resourcePools: { cpu: { capacity: 2 } } },
});

async function begin(steps: PlanDraft['steps']) {
  const { id, version } = await startBy(executor, instance, steps);
  const { steps: held } = await claimReady(executor, id, 100);
  const end = (status: Outcome['status'] = 'succeeded') =>
    held.map((step) => outcomeOf(step, status));
  return { id, version, held, end };
}

const named = (steps: { step_id: string }[]) => steps.map(({ step_id }) => step_id);

test('the next step of a chain starts in the turn that settles the one before', async () => {
  const { id, end } = await begin([noop('a'), noop('b', 'a'), noop('c', 'b')]);
  const { steps, more } = await takeTurn(executor, id, end(), 10, null);
  expect(steps).toMatchObject([
    { step_id: 'b', attempt: 1, tries: 1, tool: 'control', operation: 'noop', args: {} },
  ]);
  expect(more).toBe(false);
  expect(await statusesOf(instance, id)).toEqual({ a: 'succeeded', b: 'running', c: 'pending' });
  const { changes } = await instance.service.diff(id, 0, 100);
  expect(changes.filter(({ step_id }) => step_id === 'b').map(({ kind }) => kind)).toEqual([
    'step_started',
  ]);
  const audit = await instance.service.audit(id, { limit: 100 });
  const allowed = audit.filter(({ action }) => action === 'call_allowed');
  expect(allowed.map(({ data }) => data)).toEqual([
    { operation: 'control_noop', attempt: 1, steps: ['a'] },
    { operation: 'control_noop', attempt: 1, steps: ['b'] },
  ]);
  await checkPlan(instance.db.query, id);
});

test('no more start than there is room for, the most urgent first, and the rest are ready', async () => {
  const { id, end } = await begin([
    noop('a'),
    noop('low', 'a'),
    { ...noop('high', 'a'), priority: 5 },
    noop('wanted', 'a'),
    noop('last', 'wanted'),
  ]);
  const turn = await takeTurn(executor, id, end(), 2, null);
  expect(named(turn.steps)).toEqual(['high', 'wanted']);
  expect(turn.more).toBe(true);
  expect(await statusesOf(instance, id)).toMatchObject({ low: 'ready', last: 'pending' });
  await checkPlan(instance.db.query, id);
});

test('a step that waits for another one as well, or for its time, does not start', async () => {
  const { id, held } = await begin([
    noop('a'),
    noop('b'),
    noop('both', 'a', 'b'),
    { ...noop('later'), after: [{ id: 'a', type: 'FS', lag_minutes: 60 }] },
    { ...noop('dated', 'a'), not_before: '2999-01-01T00:00:00Z' },
    noop('next', 'a'),
  ]);
  const a = held.filter(({ step_id }) => step_id === 'a').map((s) => outcomeOf(s, 'succeeded'));
  const { steps, nextInMs } = await takeTurn(executor, id, a, 10, null);
  expect(named(steps)).toEqual(['next']);
  expect(nextInMs).toBeGreaterThan(59 * 60_000);
  expect(await statusesOf(instance, id)).toMatchObject({
    both: 'pending',
    later: 'ready',
    dated: 'ready',
  });
  await checkPlan(instance.db.query, id);
});

test('what is ready already is not overtaken', async () => {
  const { id, held } = await begin([noop('a'), { ...noop('x'), priority: 1 }, noop('b', 'a')]);
  const [x, a] = held;
  if (x === undefined || a === undefined) throw new Error('two steps should have been ready');
  // x is ready again, ahead of b.
  await takeTurn(executor, id, [outcomeOf(x, 'ready')], 0, null);
  const { steps } = await takeTurn(executor, id, [outcomeOf(a, 'succeeded')], 1, null);
  expect(named(steps)).toEqual(['x']);
  expect(await statusesOf(instance, id)).toMatchObject({ b: 'ready' });
});

test('what this back end cannot run stays ready, and what it can starts', async () => {
  const { id, end } = await begin([
    noop('a'),
    { ...noop('b', 'a'), capabilities: ['elsewhere'] },
    noop('c', 'a'),
  ]);
  const { steps, others } = await takeTurn(executor, id, end(), 10, null);
  expect(named(steps)).toEqual(['c']);
  expect(others).toBe(true);
  expect(await statusesOf(instance, id)).toMatchObject({ b: 'ready' });
});

test('a step that is started meets the start edges of others', async () => {
  const { id, end } = await begin([
    noop('a'),
    noop('b', 'a'),
    { ...noop('with'), after: [{ id: 'b', type: 'SS', lag_minutes: 0 }] },
  ]);
  const { steps, more } = await takeTurn(executor, id, end(), 1, null);
  expect(named(steps)).toEqual(['b']);
  expect(more).toBe(true);
  expect(await statusesOf(instance, id)).toMatchObject({ with: 'ready' });
  await checkPlan(instance.db.query, id);
});

describe('nothing starts', () => {
  test('in a plan that is paused', async () => {
    const { id, version, end } = await begin([noop('a'), noop('b', 'a')]);
    await instance.service.pause(id, { version }, ana);
    expect((await takeTurn(executor, id, end(), 10, null)).steps).toEqual([]);
    expect(await statusesOf(instance, id)).toEqual({ a: 'succeeded', b: 'ready' });
  });

  test('in a plan that was cancelled', async () => {
    const { id, version, end } = await begin([noop('a'), noop('b', 'a')]);
    await instance.service.cancel(id, { version }, ana);
    expect((await takeTurn(executor, id, end(), 10, null)).steps).toEqual([]);
    expect(await statusesOf(instance, id)).toMatchObject({ b: 'cancelled' });
  });

  test('of what needs a pool, before there is room in it', async () => {
    const { id, end } = await begin([
      noop('a'),
      { ...noop('big', 'a'), resources: { cpu: 2 } },
      { ...noop('small', 'a'), resources: { cpu: 1 } },
    ]);
    const { steps } = await takeTurn(executor, id, end(), 10, null);
    expect(steps).toHaveLength(1);
    const { rows } = await instance.db.query.execute<{ in_use: number }>(
      sql`select in_use::int as in_use from countersign.resource_pools where name = 'cpu'`,
    );
    expect(rows).toEqual([{ in_use: steps[0]?.step_id === 'big' ? 2 : 1 }]);
    await checkPlan(instance.db.query, id);
  });

  test('of a plan that is not the one that was approved', async () => {
    const { id, end } = await begin([noop('a'), noop('b', 'a')]);
    await instance.db.query.execute(
      sql`update countersign.plans set digest = ${'0'.repeat(64)} where id = ${id}`,
    );
    expect((await takeTurn(executor, id, end(), 10, null)).steps).toEqual([]);
    expect((await instance.service.getPlan(id)).status).toBe('failed');
    expect(await statusesOf(instance, id)).toMatchObject({ a: 'succeeded', b: 'ready' });
  });

  test('when another step of the batch failed and stops it', async () => {
    const stopping = makeExecutor(instance, {
      settings: { ...instance.config.settings.executor, on_failure: 'stop_all' },
    });
    try {
      const { id } = await startBy(stopping, instance, [noop('a'), noop('x'), noop('b', 'a')]);
      const { steps: held } = await claimReady(stopping, id, 10);
      const outcomes = held.map((step) =>
        outcomeOf(step, step.step_id === 'x' ? 'failed' : 'succeeded'),
      );
      expect((await takeTurn(stopping, id, outcomes, 10, null)).steps).toEqual([]);
      expect(await statusesOf(instance, id)).toEqual({ a: 'succeeded', x: 'failed', b: 'skipped' });
    } finally {
      stopping.leases.stop();
    }
  });
});

test('an outcome whose lease was lost starts nothing', async () => {
  const { id, held } = await begin([noop('a'), noop('b', 'a')]);
  const late = held.map((step) => outcomeOf({ ...step, attempt: step.attempt + 1 }, 'succeeded'));
  expect((await takeTurn(executor, id, late, 10, null)).steps).toEqual([]);
  expect(await statusesOf(instance, id)).toEqual({ a: 'running', b: 'pending' });
});

test('a worker that is woken begins no transaction when nothing is ready, and takes no more slots than it may need', async () => {
  const { id, end } = await begin([noop('a'), noop('b', 'a')]);
  const began = vi.fn(instance.db.transaction);
  const admit = vi.fn(executor.slots.admit);
  const woken = {
    ...executor,
    slots: { ...executor.slots, admit },
    db: { ...instance.db, transaction: began as typeof instance.db.transaction },
  };
  const worker = createPlanWorker(woken);
  await worker.work(id);
  expect(began).toHaveBeenCalledTimes(0);
  await takeTurn(executor, id, end(), 0, null);
  await worker.work(id);
  expect(await statusesOf(instance, id)).toEqual({ a: 'succeeded', b: 'succeeded' });
  expect(Math.max(...admit.mock.calls.map(([, wanted]) => wanted))).toBe(2);
});
