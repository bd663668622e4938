// Plans in overview: groups, their links, and deciding steps.
import { describe, expect, test } from 'vitest';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, reach } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance({ work: true });

const write = (n: number, more: Partial<StepDraft> = {}): StepDraft => ({
  ...draftStep(`s${n}`, `Write ${n}`, 'workspace_write', {
    path: `groups/${n}.txt`,
    content: String(n),
  }),
  ...more,
});
const list = (id: string, more: Partial<StepDraft> = {}): StepDraft => ({
  ...draftStep(id, 'Look', 'workspace_list', {}),
  ...more,
});

async function propose(steps: StepDraft[], more: Partial<PlanDraft> = {}) {
  return instance.service.propose({ title: 'Groups', steps, ...more }, {}, ana);
}

describe('a plan of several partitions', () => {
  const steps = Array.from({ length: 60 }, (_, n) =>
    write(n, { partition: `batch ${Math.floor(n / 20)}`, after: n < 20 ? [] : [`s${n - 20}`] }),
  );

  test('is grouped by them, with how many steps of each wait for one of another', async () => {
    const plan = await propose([...steps, list('end', { after: ['s59', 's58'] })]);
    const groups = await instance.service.groups(plan.id, { times: true });
    expect(groups).toMatchObject({
      by: 'partition',
      choices: ['partition', 'operation', 'stage'],
      rest: { groups: 0, steps: 0 },
      edges_total: 3,
    });
    expect(groups.groups.map(({ key, steps: count }) => [key, count])).toEqual([
      ['batch 0', 20],
      ['batch 1', 20],
      ['batch 2', 20],
      ['', 1],
    ]);
    expect(groups.edges).toEqual([
      { from: 'batch 0', to: 'batch 1', dependencies: 20 },
      { from: 'batch 1', to: 'batch 2', dependencies: 20 },
      { from: 'batch 2', to: '', dependencies: 2 },
    ]);
    expect(groups.groups[0]?.counts.pending).toBe(20);
    expect(groups.groups.map(({ critical }) => critical)).toEqual([1, 1, 1, 1]);
    const { steps: rest } = await instance.service.listSteps(plan.id, {
      unpartitioned: true,
      limit: 10,
    });
    expect(rest.map(({ id }) => id)).toEqual(['end']);
  });

  test('counts what has become of each group once it runs', async () => {
    const plan = await propose(steps);
    await instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    await reach(instance, plan.id, 'completed');
    const { groups } = await instance.service.groups(plan.id, { times: true });
    expect(groups.map(({ counts }) => counts.succeeded)).toEqual([20, 20, 20]);
    expect(groups.every(({ started_at, ended_at }) => (started_at ?? '9') < (ended_at ?? ''))).toBe(
      true,
    );
    expect(groups.every(({ expected }) => expected === null)).toBe(true);
  });
});

describe('a plan without partitions', () => {
  test('is grouped by operation, and each group lists its own steps by page', async () => {
    const steps = [list('look'), ...Array.from({ length: 40 }, (_, n) => write(n))].map(
      (step, n) => (n === 0 ? step : { ...step, after: ['look'] }),
    );
    const { id } = await propose(steps);
    const found = await instance.service.groups(id, { times: false });
    expect(found).toMatchObject({ by: 'operation', choices: ['operation', 'stage'] });
    expect(found.groups.map(({ key, steps: count }) => [key, count])).toEqual([
      ['workspace_list', 1],
      ['workspace_write', 40],
    ]);
    const first = await instance.service.listSteps(id, { operation: 'workspace_write', limit: 25 });
    const cursor = String(first.next_cursor);
    const rest = await instance.service.listSteps(id, {
      operation: 'workspace_write',
      limit: 25,
      cursor,
    });
    expect([...first.steps, ...rest.steps]).toHaveLength(40);
    expect(rest.next_cursor).toBeNull();
  });

  test('with one operation is grouped by the stages of its order', async () => {
    const steps = Array.from({ length: 45 }, (_, n) =>
      write(n, { after: n < 15 ? [] : [`s${n - 15}`], duration_minutes: n % 15 === 3 ? 30 : 1 }),
    );
    const { id } = await propose(steps);
    const found = await instance.service.groups(id, { times: true });
    expect(found.by).toBe('stage');
    expect(found.groups.map(({ key, steps: count, critical }) => [key, count, critical])).toEqual([
      ['1', 15, 1],
      ['2', 15, 1],
      ['3', 15, 1],
    ]);
    expect(found.edges.map(({ dependencies }) => dependencies)).toEqual([15, 15]);
    const page = await instance.service.listSteps(id, { stage: 2, limit: 10 });
    expect(page.steps.map(({ id: step }) => step)).toEqual(
      Array.from({ length: 10 }, (_, n) => `s${n + 15}`),
    );
    const cursor = String(page.next_cursor);
    const rest = await instance.service.listSteps(id, { stage: 2, limit: 10, cursor });
    expect(rest.steps).toHaveLength(5);
    const { critical, steps: timed } = await instance.service.forecast(id, ['s18']);
    expect(critical).toMatchObject({ basis: 'durations', total: 3, minutes: 90, left_out: null });
    expect(critical.steps.map(({ id: step }) => step)).toEqual(['s3', 's18', 's33']);
    expect(timed).toHaveLength(1);
  });

  test('and with one step of unknown length counts only the lengths that are stated', async () => {
    const steps = [write(0), write(1, { after: ['s0'], duration_minutes: 30 })];
    const { id } = await propose(steps);
    const { critical } = await instance.service.forecast(id, []);
    expect(critical).toMatchObject({ basis: 'durations', total: 2, minutes: 30 });
  });

  test('and without order is one group', async () => {
    const { id } = await propose(Array.from({ length: 35 }, (_, n) => write(n)));
    const found = await instance.service.groups(id, { times: false });
    expect(found.choices).toEqual(['operation']);
    expect(found.groups).toHaveLength(1);
    const { critical } = await instance.service.forecast(id, []);
    expect(critical).toMatchObject({ basis: 'order', total: 1, minutes: null });
  });
});

test('a plan of more groups than are shown counts the rest', async () => {
  const steps = Array.from({ length: 460 }, (_, n) => write(n, { partition: `p${n % 230}` }));
  const { id } = await propose(steps);
  const found = await instance.service.groups(id, { by: 'partition', times: false });
  expect(found.groups).toHaveLength(200);
  expect(found.rest).toEqual({ groups: 30, steps: 60 });
  expect((await instance.service.groups(id, { times: false })).by).toBe('partition');
});

describe('a search among the steps', () => {
  test('finds steps that say all of the words, in any order and case, and tells where they are', async () => {
    const steps = Array.from({ length: 60 }, (_, n) =>
      write(n, { partition: `north-${n % 3}`, description: `Write to customer ${n}` }),
    );
    const { id } = await propose(steps);
    const found = async (words: string) =>
      (await instance.service.listSteps(id, { words, limit: 100 })).steps.map((step) => step.id);
    expect(await found('GROUPS/41.txt customer')).toEqual(['s41']);
    expect(await found('customer 100%')).toEqual([]);
    expect(await found('workspace_write')).toHaveLength(60);
    expect(await found('north-2 s5')).toEqual(['s5', 's50', 's53', 's56', 's59']);
    // A number matches steps too.
    expect(await found('7')).toContain('s6');
    expect(await instance.service.findSteps(id, 'customer 4')).toEqual({
      total: 15,
      partitions: [
        { name: 'north-1', steps: 6 },
        { name: 'north-0', steps: 5 },
        { name: 'north-2', steps: 4 },
      ],
      partitions_total: 3,
    });
    expect(await instance.service.findSteps(id, 'zebra')).toMatchObject({ total: 0 });
  });
});
