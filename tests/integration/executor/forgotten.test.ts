// Rounds find plans whose job or notification was lost.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeBackend } from '#db/backends.ts';
import { findDeserted, findPlansFor } from '#db/sql/lanes.ts';
import { findUnstartedPlans } from '#db/sql/recover.ts';
import { missDeadBackends } from '#executor/backends.ts';
import { createSearch, recover } from '#executor/recover.ts';
import { serves } from '#plans/content/serve-lanes.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  noop,
  openTestInstance,
  reach,
  runPlan,
  type TestInstance,
} from '../../setup/instance.ts';
import { makeExecutor, startBy } from '../plans/bench.ts';

const database = useDatabase();
let instance: TestInstance;

beforeAll(async () => {
  instance = await openTestInstance(database.url, { work: false });
});
afterAll(() => instance.close());

describe('an approved plan', () => {
  const findUnstarted = async () => await findUnstartedPlans(instance.db.query, 3, 1000);
  // `heardAt`: seconds since the worker's heartbeat.
  const leave = (id: string, state: string, heardAt: number | null = null) =>
    instance.db.query.execute(sql`
      update pgboss.job set state = ${state}::pgboss.job_state, started_on = now() - interval '1 hour',
        heartbeat_on = now() - make_interval(secs => ${heardAt}::float8)
      where name = 'execute' and singleton_key = ${id}`);

  test('is started by a job of its own again once nobody is about to start it, and not before', async () => {
    const { id } = await runPlan(instance, [noop('1')]);
    const age = (seconds: number) =>
      instance.db.query.execute(sql`
        update countersign.plans set updated_at = clock_timestamp() - make_interval(secs => ${seconds}) where id = ${id}`);
    await age(60);
    expect(await findUnstarted()).toEqual([]);
    await leave(id, 'retry');
    expect(await findUnstarted()).toEqual([]);
    await leave(id, 'active', 9);
    expect(await findUnstarted()).toEqual([]);
    await leave(id, 'active', 11);
    expect(await findUnstarted()).toEqual([id]);
    await leave(id, 'active');
    expect(await findUnstarted()).toEqual([id]);
    for (const state of ['completed', 'failed', 'cancelled']) {
      await leave(id, state);
      expect(await findUnstarted()).toEqual([id]);
    }
    await age(2);
    expect(await findUnstarted()).toEqual([]);
    await age(4);
    const sent: unknown[] = [];
    const executor = makeExecutor(instance, {
      enqueue: async (_tx, name, payload, options) => void sent.push({ name, payload, options }),
    });
    await recover(executor);
    executor.leases.stop();
    expect(sent).toEqual([{ name: 'execute', payload: { plan_id: id }, options: { key: id } }]);
    await instance.service.cancel(id, { version: 1 }, ana);
  });
});

describe('a back end that looks for work', () => {
  const needing = (...capabilities: string[]) => ({ ...noop('1'), capabilities });
  let old: string[] = [];
  let last = '';
  let executor: ReturnType<typeof makeExecutor>;

  beforeAll(async () => {
    executor = makeExecutor(instance);
    executor.leases.stop();
    const start = async (step: ReturnType<typeof needing>) =>
      (await startBy(executor, instance, [step])).id;
    old = [await start(needing('gpu')), await start(needing('gpu', 'cpu')), await start(needing())];
    await instance.db.query.execute(
      sql`update countersign.step_states set available_at = now() + interval '1 hour' where plan_id = ${old[2]}`,
    );
    last = await start(needing('cpu'));
  });

  test('finds its own behind any number of plans that it cannot serve or whose time has not come', async () => {
    const offer = { operations: ['control_noop'], capabilities: ['cpu'] };
    expect(await findPlansFor(instance.db.query, offer, 1, null)).toEqual([last]);
  });

  test('is found a plan for by the same rule as lanes are served by', async () => {
    const lane = (capabilities: string[]) => ({
      tool: 'control',
      operation: 'noop',
      capabilities,
    });
    const wanted: [string, string[]][] = [
      [old[0] ?? '', ['gpu']],
      [old[1] ?? '', ['gpu', 'cpu']],
      [last, ['cpu']],
    ];
    for (const operations of [[], ['control_noop'], ['control_wait', 'control_noop'], ['noop']]) {
      for (const capabilities of [[], ['cpu'], ['gpu'], ['cpu', 'gpu'], ['gpu', 'x', 'cpu']]) {
        const offer = { operations, capabilities };
        const served = wanted.filter(([, needs]) => serves(offer, lane(needs))).map(([id]) => id);
        expect(await findPlansFor(instance.db.query, offer, 10, null)).toEqual(served);
        const deserted = wanted.map(([id]) => id).filter((id) => !served.includes(id));
        const all = [{ operations: ['control_noop'], capabilities: ['cpu', 'gpu'] }];
        expect(await findDeserted(instance.db.query, all, [offer], 10)).toEqual(deserted);
      }
    }
  });

  test('goes on from where it was, and begins anew after the end', async () => {
    const backend = { ...executor.backend, capabilities: ['cpu', 'gpu'] };
    const search = createSearch({ ...executor, backend }, 2);
    expect(await search()).toEqual([old[0], old[1]]);
    expect(await search()).toEqual([last]);
    expect(await search()).toEqual([old[0], old[1]]);
    // The round's cursor is at an ended plan.
    await instance.service.cancel(old[1] ?? '', { version: 1 }, ana);
    expect(await search()).toEqual([last]);
    expect(await search()).toEqual([old[0], last]);
    expect(await search()).toEqual([]);
    expect(await search()).toEqual([old[0], last]);
  });

  test('leaves plans that say so when it is gone, behind any number that others serve', async () => {
    const manifest = instance.registry.list();
    const operations = manifest.map(({ name }) => name);
    const store = (id: string, ...capabilities: string[]) =>
      storeBackend(instance.db.query, {
        id,
        name: id,
        concurrency: 1,
        capabilities,
        operations,
        manifest,
      });
    await store('left', 'gpu');
    await store('gone', 'cpu', 'gpu');
    await instance.db.query.execute(
      sql`update countersign.backends set seen_at = seen_at - interval '1 minute' where id = 'gone'`,
    );
    await missDeadBackends(executor);
    const notices = async (id: string) =>
      (await instance.service.overview(id)).recent_events.some(({ kind }) => kind === 'blocked');
    expect([await notices(last), await notices(old[0] ?? '')]).toEqual([true, false]);
  });
});

test('a plan whose job was lost, and the word of it too, is worked on by whoever comes', async () => {
  const executor = makeExecutor(instance);
  executor.leases.stop();
  const steps = [noop('1'), noop('2', '1')];
  const { id } = await startBy(executor, instance, steps);
  const { rows } = await instance.db.query.execute(
    sql`select 1 from pgboss.job where name = 'step' and singleton_key = ${id}`,
  );
  expect(rows).toEqual([]);
  const worker = await openTestInstance(database.url);
  await reach(worker, id, 'completed');
  await worker.close();
});
