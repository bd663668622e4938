// Work that can't run is reported with a reason.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storeBackend } from '#db/backends.ts';
import { storePools } from '#db/sql/resources.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { recover } from '#executor/recover.ts';
import { runStep } from '#executor/run-step.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  noop,
  openTestInstance,
  reach,
  runPlan,
  type TestInstance,
  withOpened,
} from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { claimReady, makeExecutor, mayCall, startBy } from '../plans/bench.ts';

const database = useDatabase();
let instance: TestInstance;
let idle: TestInstance;

const settings = {
  executor: { lease_seconds: 2, stall_minutes: 0.01 },
  resourcePools: { desk: 8 },
  backends: { small: { capabilities: ['cpu'] } },
};

beforeAll(async () => {
  idle = await openTestInstance(database.url, { work: false, settings });
});
afterAll(async () => {
  await instance?.close();
  await idle.close();
});

const viewer = { user: 'ana', timezone: 'UTC' };
const needing = (id: string, ...capabilities: string[]) => ({ ...noop(id), capabilities });
const draft = (...steps: PlanDraft['steps']): PlanDraft => ({ title: 'Blocked', steps });

describe('while no worker runs', () => {
  test('a card says so before the approval and after it', async () => {
    const plan = await idle.service.propose(draft(noop('1'), noop('2')), { user: 'ana' }, ana);
    const { blocked } = await idle.service.card(plan.id, viewer);
    expect(blocked).toEqual([
      {
        kind: 'worker',
        step_ids: ['1', '2'],
        count: 2,
        needs: ['control_noop'],
        reason: 'no worker is running. Start one: `countersign worker`.',
      },
    ]);
    await idle.service.cancel(plan.id, { version: 1 }, ana);
    expect((await idle.service.overview(plan.id)).blocked).toEqual([]);
  });

  test('counts many steps only as far as a thousand', async () => {
    const many = Array.from({ length: 1100 }, (_, i) => noop(`${i}`));
    const plan = await idle.service.propose(draft(...many), { user: 'ana' }, ana);
    const { blocked } = await idle.service.overview(plan.id);
    expect(blocked).toMatchObject([{ step_ids: ['0', '1', '2'], count: 1001 }]);
  });
});

describe('a back end that was not heard of', () => {
  test('is removed, and the plans that only it could go on with say so, once', async () => {
    const executor = makeExecutor(idle);
    const manifest = idle.registry.list();
    const operations = manifest.map(({ name }) => name);
    const gone = { id: 'gone/big', name: 'big', capabilities: ['gpu'], concurrency: 1 };
    await storeBackend(idle.db.query, { ...gone, operations, manifest });
    const left = { id: 'left/small', name: 'small', capabilities: [], concurrency: 1 };
    await storeBackend(idle.db.query, { ...left, operations, manifest });
    const plan = await startBy(executor, idle, draft(needing('1', 'gpu')));
    expect((await idle.service.overview(plan.id)).blocked).toEqual([]);
    await idle.db.query.execute(
      sql`update countersign.backends set seen_at = seen_at - interval '1 minute' where id = ${gone.id}`,
    );
    await Promise.all([recover(executor), recover(executor), recover(executor)]);
    const { recent_events, blocked } = await idle.service.overview(plan.id);
    expect(blocked).toMatchObject([{ needs: ['gpu'], step_ids: ['1'] }]);
    expect(recent_events.filter(({ kind }) => kind === 'blocked')).toMatchObject([
      {
        detail:
          'Step 1 waits: no worker offers the capability gpu. Start a worker whose countersign.json lists it under backends.',
      },
    ]);
    const { rows } = await idle.db.query.execute(sql`select id from countersign.backends`);
    expect(rows).toEqual([{ id: left.id }]);
    await idle.db.query.execute(sql`delete from countersign.backends`);
    await idle.service.cancel(plan.id, { version: 1 }, ana);
    executor.leases.stop();
  });
});

describe('a pool that became smaller than a step needs', () => {
  test('is named, and the step keeps nobody else from it', async () => {
    const executor = makeExecutor(idle);
    const desk = (id: string, amount: number) => ({ ...noop(id), resources: { desk: amount } });
    const large = await startBy(executor, idle, draft(desk('1', 7)));
    const small = await startBy(executor, idle, draft(desk('1', 3)));
    const manifest = idle.registry.list();
    const operations = manifest.map(({ name }) => name);
    const row = { id: 'some/one', name: 'one', capabilities: [], concurrency: 1 };
    await storeBackend(idle.db.query, { ...row, operations, manifest });
    await idle.db.query.execute(sql`insert into countersign.resource_waits (pool, plan_id, position, amount, since)
      values ('desk', ${large.id}, 1, 7, clock_timestamp() - interval '1 hour')`);
    await storePools(idle.db.query, { desk: { capacity: 4, headroom: 1 } });
    expect((await claimReady(executor, large.id, 1)).steps).toEqual([]);
    expect((await claimReady(executor, small.id, 1)).steps).toHaveLength(1);
    const { blocked } = await idle.service.overview(large.id);
    expect(blocked[0]).toMatchObject({
      kind: 'resource',
      needs: ['desk'],
      reason: 'for 7 of desk, which has only 3. Raise resourcePools.desk in countersign.json.',
    });
    await storePools(idle.db.query, { desk: { capacity: 8, headroom: 0 } });
    await idle.db.query.execute(sql`delete from countersign.backends`);
    for (const { id } of [large, small]) await idle.service.cancel(id, { version: 1 }, ana);
    executor.leases.stop();
  });
});

describe('steps that need more than their pool has, since it became smaller', () => {
  // Earlier tests leave claimed steps.
  beforeEach(async () => {
    await idle.db.query.execute(sql`delete from countersign.reservations`);
    await idle.db.query.execute(sql`update countersign.resource_pools set in_use = 0`);
  });

  test('keep no others of their plan from starting, however many and however urgent they are', async () => {
    const executor = makeExecutor(idle);
    const desk = (id: string, amount: number, priority: number) => ({
      ...noop(id),
      resources: { desk: amount },
      priority,
    });
    const large = Array.from({ length: 70 }, (_, at) => desk(`large${at}`, 7, 5));
    const plan = await startBy(executor, idle, draft(...large, desk('small', 1, 0)));
    await storePools(idle.db.query, { desk: { capacity: 4, headroom: 0 } });
    const { steps } = await claimReady(executor, plan.id, 2);
    expect(steps.map(({ step_id }) => step_id)).toEqual(['small']);
    await storePools(idle.db.query, { desk: { capacity: 8, headroom: 0 } });
    const { steps: then } = await claimReady(executor, plan.id, 2);
    expect(then.map(({ step_id }) => step_id)).toEqual(['large0']);
    await idle.service.cancel(plan.id, { version: 1 }, ana);
    executor.leases.stop();
  });

  test('find the headroom kept free, by steps of one plan and of two', async () => {
    const executor = makeExecutor(idle);
    const desk = (id: string) => ({ ...noop(id), resources: { desk: 1 } });
    const plan = await startBy(executor, idle, draft(...['1', '2', '3', '4'].map(desk)));
    const other = await startBy(executor, idle, draft(desk('1')));
    await storePools(idle.db.query, { desk: { capacity: 4, headroom: 1 } });
    expect((await claimReady(executor, plan.id, 10)).steps).toHaveLength(3);
    expect((await claimReady(executor, other.id, 10)).steps).toEqual([]);
    await storePools(idle.db.query, { desk: { capacity: 8, headroom: 0 } });
    expect((await claimReady(executor, other.id, 10)).steps).toHaveLength(1);
    for (const { id } of [plan, other]) await idle.service.cancel(id, { version: 1 }, ana);
    executor.leases.stop();
  });

  test('are looked past by what fits, though only one more may start', async () => {
    const executor = makeExecutor(idle);
    const desk = (id: string, amount: number) => ({ ...noop(id), resources: { desk: amount } });
    const plan = await startBy(
      executor,
      idle,
      draft(desk('first', 5), desk('large', 7), desk('small', 2)),
    );
    const started = async () => {
      const { steps } = await claimReady(executor, plan.id, 1);
      return steps.map(({ step_id }) => step_id);
    };
    expect(await started()).toEqual(['first']);
    // Seven don't fit next to five of eight; two do.
    expect(await started()).toEqual(['small']);
    await idle.service.cancel(plan.id, { version: 1 }, ana);
    executor.leases.stop();
  });
});

describe('a worker whose operation does more than was approved', () => {
  test('refuses the call, on the record', async () => {
    const executor = makeExecutor(idle);
    const plan = await startBy(executor, idle, draft(noop('1')));
    const turn = await claimReady(executor, plan.id, 1);
    const [step] = turn.steps;
    if (step === undefined) throw new Error('nothing was ready');
    let calls = 0;
    const registry = withOpened(executor.registry, (tools) => ({
      get(name) {
        const operation = tools.get(name);
        if (operation === undefined) return undefined;
        const call: typeof operation.call = async () => {
          calls++;
          return { summary: 'called', data: null };
        };
        return { ...operation, effect: 'write', call };
      },
    }));
    const lease = { plan_id: plan.id, position: step.position, attempt: step.attempt };
    const outcome = await runStep({
      context: { ...executor, registry },
      plan: turn.plan,
      step,
      lease,
      signal: AbortSignal.timeout(10_000),
      mark: mayCall,
      mayBegin: () => true,
      cutOff: () => false,
    });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'digest_mismatch' } });
    expect(outcome.error?.message).toContain('control_noop');
    expect(calls).toBe(0);
    const audit = await idle.service.audit(plan.id, { limit: 100 });
    expect(audit.filter(({ action }) => action === 'call_refused')).toHaveLength(1);
    await idle.service.cancel(plan.id, { version: 1 }, ana);
    executor.leases.stop();
  });
});

describe('a plan whose capability nobody offers', () => {
  test('says so, however long, and goes on by itself when a worker has it', async () => {
    const patient = { ...settings, executor: { lease_seconds: 2, stall_minutes: 0.5 } };
    instance = await openTestInstance(database.url, { settings: patient });
    const plan = await runPlan(
      instance,
      draft(noop('1'), needing('2', 'gpu'), needing('3', 'gpu')),
    );
    const blocked = await waitFor('the first step to be done', async () => {
      const overview = await instance.service.overview(plan.id);
      return overview.counts.succeeded === 1 ? overview.blocked : null;
    });
    expect(blocked).toMatchObject([{ step_ids: ['2', '3'], count: 2, needs: ['gpu'] }]);
    await instance.db.query.execute(
      sql`update countersign.plans set updated_at = updated_at - interval '1 day' where id = ${plan.id}`,
    );
    const executor = makeExecutor(instance);
    await recover(executor);
    executor.leases.stop();
    expect((await instance.service.getPlan(plan.id)).status).toBe('executing');
    const able = await openTestInstance(database.url, {
      settings: { ...patient, backends: { big: { capabilities: ['gpu'] } } },
    });
    await reach(instance, plan.id, 'completed');
    await able.close();
    await waitFor('the worker that stopped to be forgotten', async () => {
      const { rows } = await instance.db.query.execute(
        sql`select name from countersign.backends where id <> 'workspace'`,
      );
      return rows.length === 1 && rows[0]?.name === 'small';
    });
  });
});
