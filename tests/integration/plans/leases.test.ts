// Leases: slow or dead processes repeat and lose no call.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockPlan } from '#db/plans/plans.ts';
import { markCalling } from '#db/sql/leases.ts';
import { readLostSteps, settleLostSteps } from '#db/sql/recover.ts';
import { createMarker } from '#executor/claim.ts';
import { createPlanWorker } from '#executor/crew.ts';
import type { ExecutorContext, Mark } from '#executor/executor-context.ts';
import { decideRecovery, reportNotCalled } from '#executor/outcomes.ts';
import { recover } from '#executor/recover.ts';
import { runStep } from '#executor/run-step.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  noop,
  openTestInstance,
  type TestInstance,
  withOpened,
} from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { waitFor } from '../../wait.ts';
import {
  claimReady,
  expireLeases,
  flaky,
  haveWorkedFor,
  makeExecutor,
  mayCall,
  outcomeOf,
  settleOutcomes,
  startBy,
  statusesOf,
} from './bench.ts';

const database = useDatabase();
let instance: TestInstance;
const executors: ExecutorContext[] = [];

function executorFor(overrides: Partial<ExecutorContext> = {}) {
  const executor = makeExecutor(instance, overrides);
  executors.push(executor);
  return executor;
}

beforeAll(async () => {
  instance = await openTestInstance(database.url, { work: false });
});
afterAll(async () => {
  for (const { leases } of executors) leases.stop();
  await instance.close();
});

// Not repeatable.
const move = (id: string, ...after: string[]) =>
  draftStep(id, 'Move a file', 'workspace_move', { from: 'from.md', to: `${id}.md` }, ...after);

async function claimOne(executor: ExecutorContext, planId: string) {
  const { plan, steps } = await claimReady(executor, planId, 1);
  const [step] = steps;
  if (step === undefined) throw new Error('nothing was ready');
  return { plan, step, lease: { plan_id: planId, position: step.position, attempt: step.attempt } };
}

describe('a worker that is slow but alive', () => {
  test('cannot call what recovery is just giving to somebody else', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, [move('m')]);
    const { lease } = await claimOne(executor, id);
    await expireLeases(instance, id);
    const { marking } = await instance.db.transaction(async (tx) => {
      await lockPlan(tx, id);
      const lost = await readLostSteps(tx, id);
      // Between decision and storage. Not awaited: it may wait for our lock.
      const marking = markCalling(instance.db.query, executor.worker, [lease], 2);
      await Promise.race([marking, waitForBlocked()]);
      await settleLostSteps(
        tx,
        id,
        lost.map((step) => decideRecovery(step, true)),
      );
      return { marking };
    });
    expect(await marking).toEqual([]);
    expect(await statusesOf(instance, id)).toEqual({ m: 'ready' });
  });

  test('cannot call once its lease has run out, even before anybody noticed', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, { title: 'Late', steps: [move('m')] });
    const { lease } = await claimOne(executor, id);
    await expireLeases(instance, id);
    expect(await markCalling(instance.db.query, executor.worker, [lease], 2)).toEqual([]);
  });

  test('cannot call an attempt that it lost with the mark of the one it took afterwards', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, [move('m')]);
    const { lease: lost } = await claimOne(executor, id);
    await expireLeases(instance, id);
    await recover(executor);
    const { lease } = await claimOne(executor, id);
    expect(lease).toMatchObject({ position: lost.position, attempt: 2 });
    const mark = createMarker(executor);
    const permits = await Promise.all([mark(lost), mark(lease)]);
    expect(permits.map((permit) => permit !== null)).toEqual([false, true]);
  });
});

describe('a worker that stands still between its mark and its call', () => {
  // The mark was answered `passedMs` ago by the wall clock.
  async function standStill(passedMs: number) {
    let calls = 0;
    let standing = 0;
    const real = instance.registry.of(null).get('workspace_move');
    if (real === undefined) throw new Error('workspace_move is gone');
    const call = async () => {
      calls++;
      return { summary: 'Moved.', data: null };
    };
    const executor = executorFor({
      registry: withOpened(instance.registry, () => ({ get: () => ({ ...real, call }) })),
      clock: { now: () => new Date(Date.now() + standing) },
    });
    const { id } = await startBy(executor, instance, { title: 'Still', steps: [move('m')] });
    const { plan, step, lease } = await claimOne(executor, id);
    await instance.db.query.execute(
      sql`update countersign.step_states set lease_until = clock_timestamp() + interval '100 ms' where plan_id = ${id}`,
    );
    const ask = createMarker(executor);
    const mark: Mark = async (lease) => {
      const permit = await ask(lease);
      standing = passedMs;
      return permit;
    };
    const { signal } = new AbortController();
    const run = { context: executor, plan, step, lease, signal, mark };
    const outcome = await runStep({ ...run, cutOff: () => {}, mayBegin: () => true });
    const { rows } = await instance.db.query.execute<{ renewed: boolean }>(sql`
      select lease_until > clock_timestamp() + interval '1 second' as renewed from countersign.step_states
      where plan_id = ${id}`);
    return { calls, outcome, renewed: rows[0]?.renewed };
  }

  test('makes no call when most of its lease has passed', async () => {
    const { calls, outcome } = await standStill(1400);
    expect(calls).toBe(0);
    expect(outcome).toMatchObject({ status: 'cancelled', question: null });
    expect(outcome.error?.message).toContain('stood still');
  });

  test('makes it when little has passed: the mark renewed the lease', async () => {
    const { calls, outcome, renewed } = await standStill(500);
    expect(calls).toBe(1);
    expect(outcome.status).toBe('succeeded');
    expect(renewed).toBe(true);
  });
});

function waitForBlocked(): Promise<unknown> {
  return waitFor('a blocked session', async () => {
    const { rows } = await instance.db.query.execute<{ n: number }>(sql`
      select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return (rows[0]?.n ?? 0) > 0;
  });
}

describe('a database that goes away for a moment', () => {
  test('between the claim and the call fails no step', async () => {
    const db = flaky(instance.db);
    const executor = executorFor({ db });
    const { id } = await startBy(executor, instance, [
      noop('1'),
      { ...noop('2', '1'), args: { from: { $from: '1' } } },
    ]);
    const first = await claimOne(executor, id);
    await settleOutcomes(executor, id, [outcomeOf(first.step, 'succeeded', { output: 'x' })]);
    const { plan, step, lease } = await claimOne(executor, id);
    const { signal } = new AbortController();
    db.fail('before', 2);
    const outcome = await runStep({
      context: executor,
      plan,
      step,
      lease,
      signal,
      mark: mayCall,
      cutOff: () => {},
      mayBegin: () => true,
    });
    expect(outcome).toMatchObject({ status: 'succeeded', error: null });
  });

  test.each(['before', 'after'] as const)(
    'makes the mark of a call again when its connection was lost %s it was written',
    async (when) => {
      const db = flaky(instance.db);
      const executor = executorFor({ db });
      const { id } = await startBy(executor, instance, { title: 'Mark', steps: [move('m')] });
      const { lease } = await claimOne(executor, id);
      db.fail(when);
      expect(await createMarker(executor)(lease)).not.toBeNull();
    },
  );

  test('keeps the lease of a step whose outcome is not stored yet', async () => {
    const db = flaky(instance.db);
    const executor = executorFor({ db });
    const { id } = await startBy(executor, instance, [noop('1')]);
    const heldWhileSettling: number[] = [];
    const transaction = db.transaction;
    let claims = 0;
    db.transaction = (work) => {
      claims++;
      if (claims === 2) heldWhileSettling.push(executor.leases.held());
      return transaction(work);
    };
    await createPlanWorker(executor).work(id);
    expect(heldWhileSettling).toEqual([1]);
    expect(executor.leases.held()).toBe(0);
    expect((await instance.service.getPlan(id)).status).toBe('completed');
  });
});

describe('an outcome that Postgres refuses', () => {
  test('does not take the outcomes of its neighbours with it', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, [
      noop('good'),
      noop('poison'),
      noop('after', 'good'),
    ]);
    await instance.db.query.execute(sql`
      create function refuse_poison() returns trigger language plpgsql as
        $$ begin if new.step_id = 'poison' and new.status = 'succeeded' then raise exception 'refused'; end if; return new; end $$`);
    await instance.db.query.execute(sql`
      create trigger refuse_poison before update on countersign.step_states for each row execute function refuse_poison()`);
    try {
      await createPlanWorker(executor).work(id);
    } finally {
      await instance.db.query.execute(sql`drop function refuse_poison() cascade`);
    }
    expect(await statusesOf(instance, id)).toEqual({
      good: 'succeeded',
      poison: 'failed',
      after: 'succeeded',
    });
    expect((await instance.service.getPlan(id)).result_summary).toMatch(/couldn't be stored/);
  });

  test('because of what it would have started is taken by itself', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, [noop('one'), noop('next', 'one')]);
    await instance.db.query.execute(sql`
      create function refuse_start() returns trigger language plpgsql as
        $$ begin if old.status = 'pending' and new.status = 'running' then raise exception 'refused'; end if; return new; end $$`);
    await instance.db.query.execute(sql`
      create trigger refuse_start before update on countersign.step_states for each row execute function refuse_start()`);
    try {
      await createPlanWorker(executor).work(id);
    } finally {
      await instance.db.query.execute(sql`drop function refuse_start() cascade`);
    }
    expect(await statusesOf(instance, id)).toEqual({ one: 'succeeded', next: 'succeeded' });
  });
});

describe('a call', () => {
  test('is not made when its plan was cancelled while it waited for its turn', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, [
      draftStep('w', 'Write', 'workspace_write', { path: 'never.md', content: 'x' }),
    ]);
    let called = false;
    const real = instance.registry.of(null).get('workspace_write');
    if (real === undefined) throw new Error('workspace_write is gone');
    const call = async () => {
      called = true;
      return { summary: 'Wrote.', data: null };
    };
    const registry = withOpened(instance.registry, () => ({ get: () => ({ ...real, call }) }));
    const { plan, step, lease } = await claimOne(executor, id);
    const signal = AbortSignal.abort(new Error('a person cancelled the plan'));
    const context = { ...executor, registry };
    const outcome = await runStep({
      context,
      plan,
      step,
      lease,
      signal,
      mark: mayCall,
      cutOff: () => {},
      mayBegin: () => true,
    });
    expect(called).toBe(false);
    expect(outcome.status).toBe('cancelled');
  });
});

describe('steps whose worker was lost', () => {
  test('of a stalled plan run again once it is resumed', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, [noop('1'), noop('2', '1')]);
    await claimOne(executor, id);
    await instance.db.query.execute(
      sql`update countersign.plans set status = 'stalled' where id = ${id}`,
    );
    await expireLeases(instance, id);
    await recover(executor);
    expect(await statusesOf(instance, id)).toEqual({ 1: 'ready', 2: 'pending' });
    await instance.service.resume(id, { version: 1 }, ana);
    await createPlanWorker(executor).work(id);
    expect((await instance.service.getPlan(id)).status).toBe('completed');
  });

  test('are given up for the workers they took down, not for how often a person ran them', () => {
    const step = {
      position: 1,
      step_id: '1',
      tool: 'control',
      operation: 'noop',
      target: null,
      effect: 'read' as const,
    };
    expect(decideRecovery({ ...step, attempt: 9, losses: 1, called: false }, true).status).toBe(
      'ready',
    );
    expect(decideRecovery({ ...step, attempt: 5, losses: 5, called: false }, true).status).toBe(
      'failed',
    );
  });

  test('have as many chances again once a person has had them run', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, [noop('1')]);
    const lose = async () => {
      await claimOne(executor, id);
      await expireLeases(instance, id);
      await recover(executor);
      return (await statusesOf(instance, id))['1'];
    };
    const first: unknown[] = [];
    for (let loss = 0; loss < 5; loss++) first.push(await lose());
    expect(first).toEqual(['ready', 'ready', 'ready', 'ready', 'failed']);
    await instance.service.retry(id, { version: 1 }, ana);
    const second: unknown[] = [];
    for (let loss = 0; loss < 5; loss++) second.push(await lose());
    expect(second).toEqual(first);
  });

  test('are counted however often they were handed back in between', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, [noop('1')]);
    const seen: unknown[] = [];
    for (let loss = 0; loss < 5; loss++) {
      for (let times = 0; times < 3; times++) {
        const { step } = await claimOne(executor, id);
        await settleOutcomes(executor, id, [reportNotCalled(step, 'its plan was paused')]);
      }
      await claimOne(executor, id);
      await expireLeases(instance, id);
      await recover(executor);
      seen.push((await statusesOf(instance, id))['1']);
    }
    expect(seen).toEqual(['ready', 'ready', 'ready', 'ready', 'failed']);
  });

  test.each([
    ['succeeded', { summary: 'Moved.' }, 'says that it succeeded: Moved.'],
    ['failed', {}, 'says that it failed: it broke'],
    ['unknown', {}, 'says that it does not know either.'],
  ] as const)(
    'tell whoever is asked what their worker says when it comes back: %s',
    async (status, rest, report) => {
      const executor = executorFor();
      const { id } = await startBy(executor, instance, { title: 'Late', steps: [move('m')] });
      const { step, lease } = await claimOne(executor, id);
      await markCalling(instance.db.query, executor.worker, [lease], 2);
      await expireLeases(instance, id);
      await recover(executor);
      const outcome = outcomeOf(step, status, rest);
      const { revision } = await instance.service.getPlan(id);
      for (let times = 0; times < 2; times++) await settleOutcomes(executor, id, [outcome]);
      const { steps } = await instance.service.listSteps(id, { limit: 1 });
      expect(steps[0]?.status).toBe('unknown');
      expect(steps[0]?.question?.split('Its worker came back').length).toBe(2);
      expect(steps[0]?.question?.endsWith(report)).toBe(true);
      const audit = await instance.service.audit(id, { limit: 100 });
      const refused = audit.filter(({ action }) => action === 'settle_refused');
      expect(refused[0]?.data).toMatchObject({ attempt: 1, status });
      const { changes } = await instance.service.diff(id, revision, 100);
      expect(changes.map(({ kind }) => kind)).toEqual(['late_outcome']);
      await instance.service.resume(id, { version: 1, steps: { m: 'done' } }, ana);
      await settleOutcomes(executor, id, [outcome]);
      expect((await instance.service.listSteps(id, { limit: 1 })).steps[0]?.question).toBe(null);
    },
  );

  test('of one plan are recovered although another plan cannot be', async () => {
    const executor = executorFor();
    const bad = await startBy(executor, instance, [noop('bad')]);
    const good = await startBy(executor, instance, [noop('good')]);
    for (const { id } of [bad, good]) {
      await claimOne(executor, id);
      await expireLeases(instance, id);
    }
    await instance.db.query.execute(sql`
      create function refuse_bad() returns trigger language plpgsql as
        $$ begin if new.step_id = 'bad' then raise exception 'refused'; end if; return new; end $$`);
    await instance.db.query.execute(sql`
      create trigger refuse_bad before update on countersign.step_states for each row execute function refuse_bad()`);
    try {
      await recover(executor);
    } finally {
      await instance.db.query.execute(sql`drop function refuse_bad() cascade`);
    }
    expect(await statusesOf(instance, good.id)).toEqual({ good: 'ready' });
    expect(executor.warnings.join()).toContain(bad.id);
  });
});

test('a step whose worker was lost keeps no lease, and its attempt tells who had it', async () => {
  const executor = executorFor();
  const { id } = await startBy(executor, instance, { title: 'Lost', steps: [move('m')] });
  const { lease } = await claimOne(executor, id);
  await markCalling(instance.db.query, executor.worker, [lease], 2);
  await expireLeases(instance, id);
  await recover(executor);
  expect(await statusesOf(instance, id)).toEqual({ m: 'unknown' });
  await checkPlan(instance.db.query, id);
  const { rows } = await instance.db.query.execute(
    sql`select status, worker from countersign.step_attempts where plan_id = ${id}`,
  );
  expect(rows).toEqual([{ status: 'unknown', worker: executor.worker }]);
});

describe('a stalled plan', () => {
  test('whose last step ended meanwhile ends when it is resumed', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, [noop('1')]);
    const { step } = await claimOne(executor, id);
    await instance.db.query.execute(
      sql`update countersign.plans set status = 'stalled' where id = ${id}`,
    );
    await settleOutcomes(executor, id, [outcomeOf(step, 'succeeded')]);
    expect((await instance.service.resume(id, { version: 1 }, ana)).status).toBe('completed');
  });

  test('is not made of one that was paused or went on in the same moment', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, [noop('1')]);
    await instance.db.query.execute(
      sql`update countersign.plans set updated_at = now() - interval '1 day' where id = ${id}`,
    );
    await instance.db.query.execute(
      sql`update countersign.step_states set available_at = now() - interval '1 day' where plan_id = ${id}`,
    );
    await haveWorkedFor(instance, 1);
    const round = await instance.db.transaction(async (tx) => {
      await lockPlan(tx, id);
      const round = recover(executor);
      await waitForBlocked();
      await tx.execute(
        sql`update countersign.plans set updated_at = clock_timestamp() where id = ${id}`,
      );
      return { round };
    });
    await round.round;
    expect((await instance.service.getPlan(id)).status).toBe('executing');
  });
});

describe('a cancelled plan', () => {
  test('asks nobody what became of a call it cut off, and keeps that it is not known', async () => {
    const executor = executorFor();
    const { id } = await startBy(executor, instance, [move('m')]);
    const { step } = await claimOne(executor, id);
    await instance.service.cancel(id, { version: 1 }, ana);
    await settleOutcomes(executor, id, [outcomeOf(step, 'unknown')]);
    expect(await statusesOf(instance, id)).toEqual({ m: 'cancelled' });
    const log: string[] = [];
    for await (const chunk of instance.service.exportLog(id)) log.push(chunk);
    expect(JSON.parse(log.join(''))).toMatchObject({ step: 'm', status: 'unknown' });
  });
});
