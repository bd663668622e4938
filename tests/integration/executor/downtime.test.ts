// Time without a capable worker doesn't count towards stalls.
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { removeBackends, renewBackend, storeBackend } from '#db/backends.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { recover } from '#executor/recover.ts';
import { startPlan } from '#executor/turn.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { noop, openTestInstance, reach, runPlan, withOpened } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { claimReady, startBy, useExecutor } from '../plans/bench.ts';

const { instance, executor } = useExecutor();
beforeEach(async () => {
  await instance.db.query.execute(sql`delete from countersign.backends`);
});

// Moves stored times back.
async function pass(minutes: number): Promise<void> {
  const ago = sql`make_interval(mins => ${minutes})`;
  await instance.db.query.execute(sql`update countersign.plans
    set updated_at = updated_at - ${ago}, decided_at = decided_at - ${ago}`);
  await instance.db.query.execute(sql`update countersign.step_states
    set available_at = available_at - ${ago}, lease_until = lease_until - ${ago}, started_at = started_at - ${ago}`);
  await instance.db.query.execute(sql`update countersign.backends
    set seen_at = seen_at - ${ago}, since_at = since_at - ${ago}`);
}

async function passWith(minutes: number, ...ids: string[]): Promise<void> {
  await pass(minutes);
  for (const id of ids)
    await instance.db.query.execute(
      sql`update countersign.backends set seen_at = clock_timestamp() where id = ${id}`,
    );
}

const operations = () => instance.registry.list().map(({ name }) => name);

function store(id: string, capabilities: string[] = [], offered = operations()): Promise<void> {
  const manifest = instance.registry.list();
  const row = { id, name: id, concurrency: 1, capabilities, operations: offered, manifest };
  return storeBackend(instance.db.query, row);
}

const draft = (...steps: PlanDraft['steps']): PlanDraft => ({ title: 'Night', steps });
const needing = (id: string, ...capabilities: string[]) => ({ ...noop(id), capabilities });

async function statusAfterRound(id: string): Promise<string> {
  await recover(executor);
  return (await instance.service.getPlan(id)).status;
}

describe('a plan in which nothing happens', () => {
  test('is not stalled by a night without workers, and is by half an hour with one', async () => {
    await store('one');
    const { id } = await startBy(executor, instance, draft(noop('1')));
    await removeBackends(instance.db.query, ['one']);
    await pass(12 * 60);
    expect(await statusAfterRound(id)).toBe('executing');
    await store('two');
    expect(await statusAfterRound(id)).toBe('executing');
    await passWith(29, 'two');
    expect(await statusAfterRound(id)).toBe('executing');
    await passWith(2, 'two');
    expect(await statusAfterRound(id)).toBe('stalled');
    expect((await instance.service.getPlan(id)).result_summary).toBe(
      'Nothing has happened for 30 minutes.',
    );
  });

  test('is stalled where one of several workers has died and another could have gone on', async () => {
    await store('one');
    await store('dead');
    const { id } = await startBy(executor, instance, draft(noop('1')));
    await passWith(31, 'one');
    expect(await statusAfterRound(id)).toBe('stalled');
  });

  test('is not stalled while the only worker that could go on is away, and is once it was back for half an hour', async () => {
    await store('small');
    await store('big', ['gpu']);
    const { id } = await startBy(executor, instance, draft(needing('1', 'gpu')));
    await removeBackends(instance.db.query, ['big']);
    await passWith(12 * 60, 'small');
    expect(await statusAfterRound(id)).toBe('executing');
    expect((await instance.service.overview(id)).blocked).toMatchObject([{ needs: ['gpu'] }]);
    await store('big', ['gpu']);
    expect(await statusAfterRound(id)).toBe('executing');
    await passWith(31, 'small', 'big');
    expect(await statusAfterRound(id)).toBe('stalled');
  });

  test('is not stalled by the time that its machine slept', async () => {
    await store('one');
    const { id } = await startBy(executor, instance, draft(noop('1')));
    await pass(12 * 60);
    expect(await renewBackend(instance.db.query, 'one')).toBe(true);
    expect(await statusAfterRound(id)).toBe('executing');
  });

  test('is not stalled by the time in which its tool was down, but by that in which another was', async () => {
    const fewer = operations().filter((name) => name !== 'control_noop');
    await store('one', [], fewer);
    const { id } = await startBy(executor, instance, draft(noop('1')));
    await passWith(12 * 60, 'one');
    await store('one');
    expect(await statusAfterRound(id)).toBe('executing');
    await passWith(31, 'one');
    await store('one', [], ['control_noop']);
    expect(await statusAfterRound(id)).toBe('stalled');
  });

  test('is not stalled in the moment in which its hour comes', async () => {
    await store('one');
    const not_before = new Date(Date.now() + 2 * 3_600_000).toISOString();
    const { id } = await startBy(executor, instance, draft({ ...noop('1'), not_before }));
    await passWith(121, 'one');
    expect(await statusAfterRound(id)).toBe('executing');
    await passWith(31, 'one');
    expect(await statusAfterRound(id)).toBe('stalled');
  });
});

test('an approved plan whose tool is not there yet still waits for it after a night', async () => {
  await store('one');
  const { id } = await runPlan(instance, draft(noop('1')));
  await pass(12 * 60);
  await store('two');
  const starting = {
    ...executor,
    catalogue: withOpened(executor.catalogue, () => ({ get: () => undefined })),
  };
  await startPlan(starting, id, { approvers: [], guardedApprovers: {} });
  expect((await instance.service.getPlan(id)).status).toBe('approved');
  await passWith(31, 'two');
  await startPlan(starting, id, { approvers: [], guardedApprovers: {} });
  expect((await instance.service.getPlan(id)).status).toBe('failed');
});

test('twelve plans that were under way when all stopped are done after twelve hours off, each step once', async () => {
  await store('stopped');
  const file = (id: string, ...after: string[]) =>
    draftStep(id, 'Write a note', 'workspace_write', { path: `${id}.md`, content: 'x' }, ...after);
  const due = new Date(Date.now() + 6 * 3_600_000).toISOString();
  const kinds = [
    draft(noop('1'), noop('2', '1')),
    // Claimed, not called.
    draft(file('n'), noop('2', 'n')),
    // Due during the outage.
    draft({ ...noop('1'), not_before: due }, noop('2', '1')),
    draft(noop('1'), { ...noop('2', '1'), not_before: due }),
  ];
  const ids: string[] = [];
  for (const [index, kind] of Array.from({ length: 3 }, () => kinds)
    .flat()
    .entries()) {
    const { id } = await startBy(executor, instance, kind);
    ids.push(id);
    if (index % 4 === 1) expect((await claimReady(executor, id, 1)).steps).toHaveLength(1);
  }
  await removeBackends(instance.db.query, ['stopped']);
  await pass(12 * 60);
  // A gateway's rounds may precede any worker.
  await recover(executor);
  const started = await openTestInstance(instance.config.env.DATABASE_URL ?? '', {
    workspace: instance.workspace,
  });
  // Concurrent requests would slow the work down.
  const ends: string[] = [];
  for (const id of ids)
    ends.push((await reach(started, id, 'completed', 'failed', 'stalled')).status);
  expect(ends).toEqual(ids.map(() => 'completed'));
  for (const [index, id] of ids.entries()) {
    const [first, second] = await checkPlan(instance.db.query, id);
    expect([first?.attempt, second?.attempt]).toEqual([index % 4 === 1 ? 2 : 1, 1]);
  }
  await started.close();
});
