// Calls that are made ahead of what is stored: each step is called once and after what it needs, and what is stored is what
// ordinary turns would have stored; whoever changes something meanwhile is heard.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CountersignError } from '#contracts/errors.ts';
import type { PlanDraft, StepDraft } from '#contracts/plan.ts';
import type { Operation, ToolRegistry } from '#contracts/tool.ts';
import { recover } from '#executor/recover.ts';
import { takeTurn } from '#executor/turn.ts';
import { type AheadSuccess, type GoingAhead, takeTurnAtOnce } from '#executor/turn-at-once.ts';
import { createPlanWorker } from '#executor/work-on-plan.ts';
import type { Database } from '#store/database.ts';
import { useDatabase } from '#tests/setup/database.ts';
import { ana, noop, openTestHouse, type TestHouse } from '#tests/setup/house.ts';
import { checkPlan } from '#tests/setup/invariants.ts';
import {
  claimReady,
  expireLeases,
  makeExecutor,
  outcomeOf,
  startBy,
  statusesOf,
} from '../plans/bench.ts';

const database = useDatabase();
let house: TestHouse;

beforeAll(async () => {
  house = await openTestHouse(database.url, {
    work: false,
    settings: { executor: { batch: 40, concurrency: 8 } },
  });
});
afterAll(() => house.close());

type Result = ReturnType<Operation['call']>;
type Behave = (stepId: string, real: () => Result) => Result;

/** The house's tools, whose calls are written down and made as `behave` says. */
function watchCalls(behave: Behave = (_, real) => real()) {
  const calls: string[] = [];
  const registry: ToolRegistry = {
    ...house.registry,
    get(name) {
      const operation = house.registry.get(name);
      if (operation === undefined) return undefined;
      return {
        ...operation,
        async call(args, context) {
          const stepId = context.stepId ?? '';
          calls.push(stepId);
          return await behave(stepId, () => operation.call(args, context));
        },
      };
    },
  };
  return { calls, registry };
}

/** A worker's executor; `sent` counts what it sends at once, and `granted` what of it was granted to it. */
function watchTurns(
  registry: ToolRegistry,
  before: (nth: number) => Promise<void> = async () => {},
) {
  const turns: { sent: number; ahead: number }[] = [];
  const atOnce: Database['atOnce'] = async (statements) => {
    await before(turns.length);
    const values = statements.at(-1)?.values ?? {};
    const [sent, ahead] = [values.positions, values.ahead].map((list) =>
      Array.isArray(list) ? list.length : 0,
    );
    turns.push({ sent: sent ?? 0, ahead: ahead ?? 0 });
    return (await house.db.atOnce(statements)) as never;
  };
  return { turns, executor: makeExecutor(house, { registry, db: { ...house.db, atOnce } }) };
}

const chain = (length: number, from = 's'): StepDraft[] =>
  Array.from({ length }, (_, i) => noop(`${from}${i}`, ...(i === 0 ? [] : [`${from}${i - 1}`])));

async function refusalsOf(id: string) {
  const audit = await house.service.audit(id, { limit: 1000 });
  return audit.filter(({ action }) => action === 'settle_refused').map(({ data }) => data);
}

/** That a call was allowed is said before it is made; here: at all, for each that was stored. */
async function checkAllowed(id: string): Promise<void> {
  const audit = await house.service.audit(id, { limit: 1000 });
  const allowed = new Set(
    audit
      .filter(({ action }) => action === 'call_allowed')
      .flatMap(({ data }) => (Array.isArray(data?.steps) ? data.steps : [])),
  );
  const { rows } = await house.db.query.execute<{ step_id: string }>(sql`
    select distinct s.step_id from countersign.step_attempts a
    join countersign.step_states s using (plan_id, position) where a.plan_id = ${id}`);
  for (const { step_id } of rows) expect(allowed, step_id).toContain(step_id);
}

function checkOrder(calls: string[], steps: PlanDraft['steps']): void {
  const at = new Map(calls.map((id, i) => [id, i]));
  for (const { id = '', after = [] } of steps) {
    for (const one of after) {
      const before = typeof one === 'string' ? one : one.id;
      const [mine, its] = [at.get(id), at.get(before)];
      if (mine !== undefined) expect(its, `${before} before ${id}`).toBeLessThan(mine);
    }
  }
}

describe('a worker on a plan of quick steps that only read', () => {
  test('settles many steps of a chain with one turn, each called once and in order', async () => {
    const { calls, registry } = watchCalls();
    const { turns, executor } = watchTurns(registry);
    const steps = chain(300);
    const { id } = await startBy(executor, house, { title: 'Long', steps });
    await createPlanWorker(executor).work(id);
    executor.leases.stop();
    expect(await house.service.getPlan(id)).toMatchObject({ status: 'completed' });
    expect(calls).toEqual(steps.map((step) => step.id));
    expect(turns.length).toBeLessThan(15);
    expect(Math.max(...turns.map(({ ahead }) => ahead))).toBeGreaterThan(20);
    expect(executor.leases.held()).toBe(0);
    expect(await refusalsOf(id)).toEqual([]);
    await checkAllowed(id);
    await checkPlan(house.db.query, id);
  });

  test('calls each once and after what it needs, whatever fails, in plans of any shape', async () => {
    const graph = fc
      .array(
        fc.record({
          backs: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }),
          fails: fc.integer({ min: 0, max: 11 }).map((n) => n === 0),
          slow: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
          writes: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
        }),
        { minLength: 10, maxLength: 60 },
      )
      .map((rows) =>
        rows.map((row, at) => ({
          ...row,
          after: [...new Set(row.backs.filter((n) => n <= at).map((n) => `s${at - n}`))],
        })),
      );
    const worked = fc.asyncProperty(graph, async (rows) => {
      const { calls, registry } = watchCalls(async (stepId, real) => {
        const row = rows[Number(stepId.slice(1))];
        if (row?.slow === true) for (let i = 0; i < 5; i++) await nextTurn();
        if (row?.fails === true) throw new CountersignError('tool_failed', 'it broke');
        return real();
      });
      const { executor } = watchTurns(registry);
      const steps = rows.map(({ after, writes }, at): StepDraft => {
        const read = noop(`s${at}`, ...after);
        if (!writes) return read;
        const args = { path: `ahead/${at}.txt`, content: 'x' };
        return { ...read, tool: 'workspace', operation: 'write', args };
      });
      const { id } = await startBy(executor, house, { title: 'Any shape', steps });
      await createPlanWorker(executor).work(id);
      executor.leases.stop();
      expect(new Set(calls).size).toBe(calls.length);
      checkOrder(calls, steps);
      const stored = await checkPlan(house.db.query, id);
      const called = stored.filter(({ attempts }) => attempts > 0).map(({ step_id }) => step_id);
      expect(new Set(calls)).toEqual(new Set(called));
      for (const { step_id, status } of stored) {
        const fails = rows[Number(step_id.slice(1))]?.fails === true;
        expect(['succeeded', 'failed', 'skipped']).toContain(status);
        if (status !== 'skipped') expect(status).toBe(fails ? 'failed' : 'succeeded');
      }
      expect(executor.leases.held()).toBe(0);
      expect(await refusalsOf(id)).toEqual([]);
      await checkAllowed(id);
    });
    await fc.assert(worked, { numRuns: 25, endOnFailure: true });
  });

  test('never calls ahead what writes or refers to an output', async () => {
    const { registry } = watchCalls();
    const ahead = new Set<number>();
    const atOnce: Database['atOnce'] = async (statements) => {
      for (const position of Object(statements.at(-1)?.values.ahead)) ahead.add(position);
      return (await house.db.atOnce(statements)) as never;
    };
    const executor = makeExecutor(house, { registry, db: { ...house.db, atOnce } });
    const steps = Array.from({ length: 20 }, (_, at): StepDraft[] => {
      const path = `ahead/only-${at}.txt`;
      const file = { tool: 'workspace', operation: 'write', args: { path, content: 'x' } };
      const read = {
        tool: 'workspace',
        operation: 'read',
        args: { path: { $from: `w${at}`, path: '/path' } },
      };
      return [
        noop(`n${at}`, ...(at === 0 ? [] : [`r${at - 1}`])),
        { ...noop(`w${at}`, `n${at}`), ...file },
        { ...noop(`r${at}`, `w${at}`), ...read },
      ];
    }).flat();
    const { id } = await startBy(executor, house, { title: 'In turns', steps });
    await createPlanWorker(executor).work(id);
    executor.leases.stop();
    expect((await house.service.getPlan(id)).status).toBe('completed');
    const rows = await checkPlan(house.db.query, id);
    const named = rows.filter(({ position }) => ahead.has(position)).map(({ step_id }) => step_id);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((step) => !step.startsWith('n'))).toEqual([]);
  });

  test('settles as its attempt a call that was still under way when its step started', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { calls, registry } = watchCalls(async (stepId, real) => {
      if (stepId === 's9') await held;
      return real();
    });
    const { executor } = watchTurns(registry);
    const { id } = await startBy(executor, house, { title: 'One is slow', steps: chain(12) });
    const working = createPlanWorker(executor).work(id);
    await expect
      .poll(async () => (await statusesOf(house, id)).s9, { timeout: 10_000 })
      .toBe('running');
    release();
    await working;
    executor.leases.stop();
    expect(calls.filter((step) => step === 's9')).toEqual(['s9']);
    expect((await house.service.getPlan(id)).status).toBe('completed');
    expect(await refusalsOf(id)).toEqual([]);
    await checkPlan(house.db.query, id);
  });

  test('goes on after an answer that was lost, and calls nothing refused that was stored', async () => {
    const { calls, registry } = watchCalls();
    let lost = false;
    const atOnce: Database['atOnce'] = async (statements) => {
      const rows = await house.db.atOnce(statements);
      const { ahead } = statements.at(-1)?.values ?? {};
      if (!lost && Array.isArray(ahead) && ahead.length > 0) {
        lost = true;
        throw Object.assign(new Error('Connection terminated unexpectedly'), {
          code: 'ECONNRESET',
        });
      }
      return rows as never;
    };
    const executor = makeExecutor(house, { registry, db: { ...house.db, atOnce } });
    const { id } = await startBy(executor, house, { title: 'Lost', steps: chain(100) });
    await createPlanWorker(executor).work(id);
    expect(lost).toBe(true);
    await expireLeases(house, id);
    await recover(executor);
    await createPlanWorker(executor).work(id);
    executor.leases.stop();
    expect((await house.service.getPlan(id)).status).toBe('completed');
    const refused = await refusalsOf(id);
    expect(refused.every((data) => data?.ahead === true)).toBe(true);
    // What was stored by the turn whose answer was lost is not among what was given up.
    const rows = await checkPlan(house.db.query, id);
    expect(calls.length).toBe(rows.length + refused.length);
  });
});

test('a fan-out larger than what may start at once is called once', async () => {
  const { calls, registry } = watchCalls(async (_, real) => {
    await pause(5);
    return real();
  });
  const { executor } = watchTurns(registry);
  const leaves = Array.from({ length: 120 }, (_, i) => noop(`leaf${i}`, 's19'));
  const { id } = await startBy(executor, house, { title: 'Fan', steps: [...chain(20), ...leaves] });
  await createPlanWorker(executor).work(id);
  executor.leases.stop();
  expect((await house.service.getPlan(id)).status).toBe('completed');
  expect(calls.length).toBe(140);
  expect(await refusalsOf(id)).toEqual([]);
  await checkPlan(house.db.query, id);
});

test('two edges between the same steps keep nothing from being stored', async () => {
  const { registry } = watchCalls();
  const { turns, executor } = watchTurns(registry);
  const twice = chain(60).map((step) => {
    const before = (step.after ?? []).flatMap((one) => (typeof one === 'string' ? [one] : []));
    const after = before.flatMap((id) => [
      { id, type: 'FS' as const, lag_minutes: 0 },
      { id, type: 'FF' as const, lag_minutes: 0 },
    ]);
    return { ...step, after };
  });
  const { id } = await startBy(executor, house, { title: 'Twice', steps: twice });
  await createPlanWorker(executor).work(id);
  executor.leases.stop();
  expect((await house.service.getPlan(id)).status).toBe('completed');
  expect(turns.length).toBeLessThan(10);
  await checkPlan(house.db.query, id);
});

test('a plan that is paused is not read on to its end', async () => {
  let id = '';
  const { calls, registry } = watchCalls(async (stepId, real) => {
    await pause(20);
    if (stepId === 's20') {
      const { version } = await house.service.getPlan(id);
      await house.service.pause(id, { version }, ana);
    }
    return real();
  });
  const { executor } = watchTurns(registry);
  const plan = await startBy(executor, house, { title: 'Paused', steps: chain(100) });
  id = plan.id;
  await createPlanWorker(executor).work(id);
  executor.leases.stop();
  expect(calls.length).toBeLessThan(30);
  expect(executor.leases.held()).toBe(0);
  const rows = await checkPlan(house.db.query, id);
  const stored = rows.filter(({ status }) => status === 'succeeded');
  expect(stored.length + (await refusalsOf(id)).length).toBe(calls.length);
});

describe('what others do meanwhile', () => {
  /** Works on two chains; before the turn that would store successes ahead, `change` happens. */
  async function disturb(change: (id: string) => Promise<unknown>) {
    const { calls, registry } = watchCalls();
    let id = '';
    let done = false;
    const atOnce: Database['atOnce'] = async (statements) => {
      const { ahead } = statements.at(-1)?.values ?? {};
      if (!done && Array.isArray(ahead) && ahead.length > 0) {
        done = true;
        await change(id);
      }
      return (await house.db.atOnce(statements)) as never;
    };
    const executor = makeExecutor(house, { registry, db: { ...house.db, atOnce } });
    const plan = await startBy(executor, house, {
      title: 'Disturbed',
      steps: [...chain(40, 'a'), ...chain(40, 'b')],
    });
    id = plan.id;
    await createPlanWorker(executor).work(id);
    expect(done).toBe(true);
    expect(executor.leases.held()).toBe(0);
    executor.leases.stop();
    return { id, calls, version: plan.version, executor };
  }

  test('a plan that is cancelled takes no success of a step that had not started, and the audit names them', async () => {
    const { id, calls } = await disturb(async (id) => {
      const { version } = await house.service.getPlan(id);
      await house.service.cancel(id, { version }, ana);
    });
    const rows = await checkPlan(house.db.query, id);
    const called = rows.filter(({ attempts }) => attempts > 0).length;
    expect(rows.filter(({ status }) => status === 'pending')).toEqual([]);
    const refused = await refusalsOf(id);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every((data) => data?.ahead === true)).toBe(true);
    expect(called + refused.length).toBe(calls.length);
  });

  test('a plan that is paused goes on where it stood', async () => {
    const { id, version, executor } = await disturb(async (id) => {
      const { version } = await house.service.getPlan(id);
      await house.service.pause(id, { version }, ana);
    });
    await checkPlan(house.db.query, id);
    const before = await statusesOf(house, id);
    expect(Object.values(before)).toContain('pending');
    await house.service.resume(id, { version }, ana);
    const again = makeExecutor(house);
    await createPlanWorker(again).work(id);
    again.leases.stop();
    executor.leases.stop();
    expect((await house.service.getPlan(id)).status).toBe('completed');
    await checkPlan(house.db.query, id);
  });

  test('a step whose lease was lost takes with it what was called because of it', async () => {
    const { id } = await disturb(async (id) => {
      await house.db.query.execute(sql`
        update countersign.step_states set lease_owner = 'another', lease_until = clock_timestamp() - interval '1 second'
        where plan_id = ${id} and status = 'running'
          and position = (select min(position) from countersign.step_states where plan_id = ${id} and status = 'running')`);
    });
    const refused = await refusalsOf(id);
    expect(refused.some((data) => data?.ahead !== true)).toBe(true);
    expect(refused.some((data) => data?.ahead === true)).toBe(true);
    const other = makeExecutor(house);
    await recover(other);
    await createPlanWorker(other).work(id);
    other.leases.stop();
    expect((await house.service.getPlan(id)).status).toBe('completed');
    await checkPlan(house.db.query, id);
  });
});

describe('successes that are sent ahead', () => {
  /** A chain of which the first step runs, and the next ones have been called. */
  async function begin() {
    const executor = makeExecutor(house);
    const { id, version } = await startBy(executor, house, {
      title: 'Sent ahead',
      steps: [noop('x'), ...chain(6), noop('both', 's5', 'x')],
    });
    const turn = await claimReady(executor, id, 100);
    const steps = (await house.service.listSteps(id, { limit: 100 })).steps;
    const positionOf = (step: string) => steps.find((one) => one.id === step)?.position ?? -1;
    const first = turn.steps.filter(({ step_id }) => step_id === 's0');
    /** Each is called when the one before has come back. */
    const timesOf = (position: number) => ({
      began_ms_ago: 100 - 2 * position,
      ended_ms_ago: 99 - 2 * position,
    });
    const success = (step: string, unmet: number): AheadSuccess => ({
      outcome: outcomeOf({ position: positionOf(step), attempt: 1 }, 'succeeded'),
      unmet,
      ...timesOf(positionOf(step)),
    });
    const send = (successes: AheadSuccess[], more: Partial<GoingAhead> = {}) =>
      takeTurnAtOnce(
        executor,
        id,
        first.map((step) => outcomeOf(step, 'succeeded')),
        10,
        turn.book,
        {
          successes,
          times: first.map(({ position }) => timesOf(position)),
          grants: 0,
          known: [],
          ...more,
        },
      );
    return { id, version, executor, send, success };
  }

  test('stand as if their steps had been started and settled in turn', async () => {
    const { id, executor, send, success } = await begin();
    const turn = await send([success('s1', 1), success('s2', 1)], { grants: 2 });
    expect(turn).toMatchObject({ ahead: true, rest: [], steps: [{ step_id: 's3' }] });
    expect(turn?.granted.toSorted((a, b) => a.position - b.position)).toMatchObject([
      { step_id: 's4', attempt: 1, tries: 1, tool: 'control', operation: 'noop' },
      { step_id: 's5' },
    ]);
    expect(await statusesOf(house, id)).toMatchObject({
      s0: 'succeeded',
      s1: 'succeeded',
      s2: 'succeeded',
      s3: 'running',
      s4: 'pending',
      x: 'running',
    });
    await checkPlan(house.db.query, id);
    executor.leases.stop();
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['a step that is not pending any more', (id) => set(id, 's2', sql`status = 'skipped'`)],
    ['a step that was begun before', (id) => set(id, 's2', sql`attempt = 1`)],
    ['a step that waits for more than is sent', (id) => set(id, 's2', sql`unmet = 2`)],
    ['a step whose time has not come', (id) => set(id, 's2', sql`available_at = 'infinity'`)],
    ['a step of a kind that is not served', (id) => set(id, 's2', sql`lane = 77`)],
    ['a prerequisite whose lease was lost', (id) => set(id, 's0', sql`lease_owner = 'another'`)],
    ['a prerequisite of a later attempt', (id) => set(id, 's0', sql`attempt = 2`)],
  ])('are not taken, and nothing with them, for %s', async (_, change) => {
    const { id, executor, send, success } = await begin();
    await change(id);
    const before = await statusesOf(house, id);
    expect(await send([success('s1', 1), success('s2', 1)])).toBeNull();
    expect(await statusesOf(house, id)).toEqual(before);
    executor.leases.stop();
  });

  test('are not taken where the plan would end with them', async () => {
    const { id, executor, send, success } = await begin();
    const successes = ['s1', 's2', 's3', 's4', 's5', 'both'].map((step) => success(step, 1));
    expect(await send(successes)).toBeNull();
    expect(await statusesOf(house, id)).toMatchObject({ s0: 'running', s1: 'pending' });
    executor.leases.stop();
  });

  test('are not granted where more than what is known holds them', async () => {
    const { id, executor, send } = await begin();
    const turn = await send([], { grants: 100 });
    // `both` waits for `x` as well, which this turn knows nothing of.
    expect(turn?.granted.map(({ step_id }) => step_id).toSorted()).toEqual([
      's2',
      's3',
      's4',
      's5',
    ]);
    const next = await takeTurn(executor, id, [], 0, null);
    expect(next.granted).toEqual([]);
    executor.leases.stop();
  });
});

async function set(id: string, step: string, change: ReturnType<typeof sql>): Promise<void> {
  await house.db.query.execute(sql`
    update countersign.step_states set ${change} where plan_id = ${id} and step_id = ${step}`);
}
