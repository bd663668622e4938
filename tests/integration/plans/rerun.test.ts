// Stale and rerun steps, as sets, leave the content unchanged.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { BuildChange } from '#domain/service.ts';
import { createGates } from '../../fixtures/gates.ts';
import { refusalCode } from '../../fixtures/refusal.ts';
import { draftStep, gateStep, holdStep } from '../../fixtures/steps.ts';
import { ana, noop, reach, runPlan, runUntilHeld, settleAsRead } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const gates = createGates();
const writes = createGates('write');
const instance = useInstance({
  extraOperations: [gates.operation, writes.operation],
  settings: { executor: { replan: 'on_request' } },
});
const { approve } = readsOf(() => instance);

const failing = (id: string, ...after: string[]) =>
  draftStep(id, 'Fail', 'workspace_read', { path: `${id}.md` }, ...after);

const held = (steps: PlanDraft['steps']) => runUntilHeld(instance, { steps });

async function patch(id: string, ...operations: PatchOperation[]) {
  const { revision } = await instance.service.overview(id);
  return instance.service.patch(id, { base_revision: revision, operations }, ana);
}

const rerun = (...ids: string[]): PatchOperation => ({ op: 'rerun_steps', steps: { ids } });

async function stepsOf(id: string) {
  const { steps } = await instance.service.listSteps(id, { limit: 100 });
  return new Map(steps.map((step) => [step.id, step]));
}

async function statusesOf(id: string): Promise<Record<string, string>> {
  return Object.fromEntries([...(await stepsOf(id))].map(([step, { status }]) => [step, status]));
}

const raise = (id: string, step_id: string) =>
  instance.service.raiseFinding(
    id,
    { severity: 'ERROR', category: 'source_changed', message: 'Changed.', evidence: [], step_id },
    ana,
  );

const check = (id: string) => checkPlan(instance.db.query, id);

describe('steps that run again', () => {
  test('run as they stand, with what used their output, in the version that was approved', async () => {
    const plan = await held([noop('a'), noop('b', 'a'), holdStep('c'), noop('d', 'c', 'b')]);
    const outcome = await patch(plan.id, rerun('a', 'b'));
    expect(outcome).toMatchObject({
      status: 'applied',
      version: 1,
      digest: plan.digest,
      widening: [],
      rerun: 2,
      changes: ['Runs steps 1a and 2 again.'],
    });
    await waitFor('both to be done again', async () => {
      const steps = await stepsOf(plan.id);
      return ['a', 'b'].every(
        (id) => steps.get(id)?.attempt === 2 && steps.get(id)?.status === 'succeeded',
      );
    });
    expect(await statusesOf(plan.id)).toMatchObject({ c: 'waiting', d: 'pending' });
    await check(plan.id);
    await settleAsRead(instance, plan.id, { c: 'done' });
    await reach(instance, plan.id, 'completed');
    await check(plan.id);
  });

  test('are refused while something that used their output is not among them', async () => {
    const plan = await held([noop('a'), noop('b', 'a'), holdStep('c')]);
    expect(await refusalCode(patch(plan.id, rerun('a')))).toBe('steps_missing');
    expect(await refusalCode(patch(plan.id, rerun('c')))).toBe('patch_conflict');
    expect(await refusalCode(patch(plan.id, rerun('x')))).toBe('unknown_step');
    await check(plan.id);
  });

  test('are stale no more, and neither is what waits for them', async () => {
    const plan = await held([noop('a'), noop('b', 'a'), holdStep('c', 'b'), noop('d', 'c')]);
    const finding = await raise(plan.id, 'a');
    await patch(plan.id, rerun('a', 'b', 'c', 'd'));
    await waitFor('c to ask again', async () => {
      const c = (await stepsOf(plan.id)).get('c');
      return c?.status === 'waiting' && c.attempt === 2;
    });
    const steps = await stepsOf(plan.id);
    expect(steps.get('a')).toMatchObject({ status: 'succeeded', attempt: 2, error: null });
    expect(steps.get('d')).toMatchObject({ status: 'pending', error: null });
    await instance.service.settleFinding(plan.id, finding.id, 'dismiss', ana);
    expect((await stepsOf(plan.id)).get('c')?.status).toBe('waiting');
    await check(plan.id);
  });

  test('stay stale for another finding whose steps do not run again', async () => {
    const plan = await held([noop('a'), noop('b'), noop('c', 'a', 'b'), holdStep('h')]);
    await raise(plan.id, 'a');
    const other = await raise(plan.id, 'b');
    await patch(plan.id, rerun('a', 'c'));
    await waitFor('a to be done again', async () => {
      const a = (await stepsOf(plan.id)).get('a');
      return a?.attempt === 2 && a.status === 'succeeded';
    });
    const c = (await stepsOf(plan.id)).get('c');
    expect(c).toMatchObject({ status: 'stale', error: { finding: other.id } });
    expect(c?.error).not.toHaveProperty('others');
    await check(plan.id);
    await instance.service.settleFinding(plan.id, other.id, 'proceed', ana);
    await waitFor('c to be done again', async () => {
      const again = (await stepsOf(plan.id)).get('c');
      return again?.attempt === 2 && again.status === 'succeeded';
    });
    await check(plan.id);
  });

  test('that failed take along what was skipped behind them', async () => {
    const plan = await held([failing('f'), noop('g', 'f'), noop('i', 'g'), holdStep('h')]);
    expect(await statusesOf(plan.id)).toMatchObject({ f: 'failed', g: 'skipped', i: 'skipped' });
    await patch(plan.id, rerun('f'));
    await waitFor('f to fail again', async () => {
      const f = (await stepsOf(plan.id)).get('f');
      return f?.attempt === 2 && f.status === 'failed';
    });
    expect(await statusesOf(plan.id)).toMatchObject({ g: 'skipped', i: 'skipped' });
    await check(plan.id);
  });

  test('wait for approval where a call that must not be repeated was made', async () => {
    const name = 'sent';
    writes.open(name);
    const steps = [{ ...gateStep('send', name), operation: 'write' }, holdStep('h')];
    const plan = await held(steps);
    const outcome = await patch(plan.id, rerun('send'));
    expect(outcome).toMatchObject({
      status: 'needs_approval',
      version: 2,
      widening: ['Runs step 1a again: gate_write, which was already called.'],
    });
    expect(writes.came(name)).toBe(1);
    await approve({ id: plan.id, ...outcome });
    await waitFor('it to be called again', () => writes.came(name) === 2);
    await waitFor('it to be done', async () => (await statusesOf(plan.id)).send === 'succeeded');
    expect((await instance.service.getPlan(plan.id)).version).toBe(2);
    await check(plan.id);
  });

  test('are not those whose calls were made after the change was shown', async () => {
    const [first, later] = ['eu-1', 'eu-2'];
    writes.open(first);
    writes.open(later);
    const send = (id: string, ...after: string[]) => ({
      ...gateStep(id, id, ...after),
      operation: 'write',
      partition: 'eu',
    });
    const plan = await held([send(first), holdStep('h'), send(later, 'h')]);
    const all: PatchOperation = { op: 'rerun_steps', steps: { partition: 'eu' } };
    const shown = await patch(plan.id, all);
    expect(shown.widening).toEqual([
      expect.stringMatching(/^Runs step \d[a-z]? again: gate_write, which was already called\.$/),
    ]);
    await settleAsRead(instance, plan.id, { h: 'done' });
    await waitFor('the later one', async () => (await statusesOf(plan.id))[later] === 'succeeded');
    const approval = approve({ id: plan.id, ...shown });
    expect(await refusalCode(approval)).toBe('patch_conflict');
    await reach(instance, plan.id, 'completed');
    expect([writes.came(first), writes.came(later)]).toEqual([1, 1]);
    await check(plan.id);
  });

  test('are not those that a change would give up once they have failed', async () => {
    const plan = await held([
      holdStep('h'),
      { ...failing('f', 'h'), partition: 'eu' },
      gateStep('g', 'end', 'h'),
    ]);
    const shown = await patch(
      plan.id,
      { op: 'remove_steps', steps: { partition: 'eu' } },
      { op: 'add_step', step: noop('more', 'h') },
    );
    expect(shown.widening).toEqual([expect.stringMatching(/^Adds step 3: control_noop/)]);
    await settleAsRead(instance, plan.id, { h: 'done' });
    await waitFor('it to fail', async () => (await statusesOf(plan.id)).f === 'failed');
    const approval = approve({ id: plan.id, ...shown });
    expect(await refusalCode(approval)).toBe('patch_conflict');
    gates.open('end');
    await reach(instance, plan.id, 'failed');
    expect(await statusesOf(plan.id)).toMatchObject({ f: 'failed', g: 'succeeded' });
    await check(plan.id);
  });

  test('of a plan that has ended wait for approval, and it goes on', async () => {
    const plan = await runPlan(instance, [noop('a'), noop('b', 'a')]);
    await reach(instance, plan.id, 'completed');
    await raise(plan.id, 'a');
    const outcome = await patch(plan.id, rerun('a', 'b'));
    expect(outcome.status).toBe('needs_approval');
    await approve({ id: plan.id, ...outcome });
    await waitFor(
      'both to be done again',
      async () => (await stepsOf(plan.id)).get('b')?.attempt === 2,
    );
    await reach(instance, plan.id, 'completed');
    await check(plan.id);
  });

  test('are meant in bulk by partition or tag, without those that have not run', async () => {
    const plan = await held([
      { ...noop('a'), partition: 'eu' },
      { ...noop('b', 'a'), partition: 'eu', tags: ['t'] },
      { ...holdStep('h', 'b'), partition: 'us' },
      { ...noop('z', 'h'), partition: 'eu' },
    ]);
    expect(
      await refusalCode(patch(plan.id, { op: 'rerun_steps', steps: { partition: 'eu' } })),
    ).toBe('steps_missing');
    await raise(plan.id, 'a');
    const outcome = await patch(
      plan.id,
      { op: 'rerun_steps', steps: { partition: 'eu' } },
      { op: 'rerun_steps', steps: { ids: ['h'] } },
    );
    expect(outcome).toMatchObject({ status: 'applied', rerun: 4 });
    await waitFor('h to ask again', async () => {
      const h = (await stepsOf(plan.id)).get('h');
      return h?.attempt === 2 && h.status === 'waiting';
    });
    expect((await stepsOf(plan.id)).get('b')?.attempt).toBe(2);
    await check(plan.id);
  });
});

describe('steps that a change makes stale', () => {
  test('are stale with what depends on them, for a finding that settles them', async () => {
    const plan = await held([
      { ...noop('a'), partition: 'eu' },
      noop('b', 'a'),
      holdStep('h'),
      noop('x'),
    ]);
    const outcome = await patch(plan.id, {
      op: 'invalidate_steps',
      steps: { partition: 'eu' },
      reason: 'The EU export is wrong',
    });
    expect(outcome).toMatchObject({
      status: 'applied',
      version: 1,
      invalidated: 2,
      changes: [
        'Makes the steps of partition eu stale, with what depends on them: “The EU export is wrong”.',
      ],
    });
    expect(await statusesOf(plan.id)).toMatchObject({ a: 'stale', b: 'stale', x: 'succeeded' });
    await check(plan.id);
    const { findings } = await instance.service.listFindings(plan.id, { limit: 1 });
    expect(findings).toMatchObject([
      { severity: 'ERROR', message: 'The EU export is wrong', partition: 'eu', stale_steps: 2 },
    ]);
    await instance.service.settleFinding(plan.id, findings[0]?.id ?? '', 'proceed', ana);
    expect(await statusesOf(plan.id)).toMatchObject({ a: 'succeeded', b: 'succeeded' });
    await check(plan.id);
  });

  test('may be stale where something else runs again', async () => {
    const plan = await held([noop('a'), noop('b', 'a'), noop('c', 'b'), holdStep('h')]);
    await patch(plan.id, { op: 'invalidate_steps', steps: { ids: ['b'] } }, rerun('a'));
    await waitFor('a to be done again', async () => {
      const a = (await stepsOf(plan.id)).get('a');
      return a?.attempt === 2 && a.status === 'succeeded';
    });
    expect(await statusesOf(plan.id)).toMatchObject({ b: 'stale', c: 'stale' });
    await check(plan.id);
  });

  test('hold what comes to wait for them', async () => {
    const plan = await held([noop('a'), holdStep('h'), noop('w', 'h'), noop('v', 'w')]);
    await patch(plan.id, { op: 'invalidate_steps', steps: { ids: ['a'] } });
    await patch(plan.id, {
      op: 'add_dependency',
      step: 'w',
      after: { id: 'a', type: 'FS', lag_minutes: 0 },
    });
    expect(await statusesOf(plan.id)).toMatchObject({ a: 'stale', w: 'stale', v: 'stale' });
    await check(plan.id);
    const { findings } = await instance.service.listFindings(plan.id, { limit: 1 });
    await instance.service.settleFinding(plan.id, findings[0]?.id ?? '', 'leave_out', ana);
    const { version } = await instance.service.getPlan(plan.id);
    await instance.service.resume(plan.id, { version, steps: { h: 'done' } }, ana);
    await reach(instance, plan.id, 'completed');
    expect(await statusesOf(plan.id)).toMatchObject({ w: 'cancelled', v: 'cancelled' });
    await check(plan.id);
  });
});

test('a call that acts once a step acts again when the step is run again by an approved change', async () => {
  const { service } = instance;
  const conversation = 'again';
  const post = draftStep('post', 'Say it', 'chat_post', { text: 'The report is out.' });
  const draft = { title: 'Post', steps: [post, holdStep('wait')] };
  const plan = await service.propose(draft, { user: 'ana', conversation }, ana);
  await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
  const posts = async () =>
    (await service.messages(conversation, { limit: 50 })).filter(
      ({ text }) => text === 'The report is out.',
    ).length;
  await waitFor('the post', async () => (await statusesOf(plan.id)).post === 'succeeded');
  expect(await posts()).toBe(1);
  const again = await patch(plan.id, rerun('post'));
  expect(again).toMatchObject({
    status: 'needs_approval',
    widening: ['Runs step 1a again: chat_post, which was already called; it posts again.'],
  });
  expect(await posts()).toBe(1);
  await service.approve(plan.id, { version: again.version, digest: again.digest }, ana);
  await waitFor('another post', async () => (await posts()) === 2);
});

describe('a failed step with another argument', () => {
  const failOn = async (path: string) => {
    const steps = [draftStep('a', 'Read', 'workspace_read', { path }), noop('b', 'a')];
    const plan = await runPlan(instance, { title: 'Read', steps });
    await reach(instance, plan.id, 'failed');
    const viewer = { user: 'ana', timezone: 'UTC' };
    const act = (...changes: BuildChange[]) =>
      instance.service.changeStepEdit(plan.id, { step: 'a' }, changes, viewer, ana);
    const enter = (path: string) =>
      act({ kind: 'fill', entries: { '/path': path } }, { kind: 'add' });
    return { plan, open: () => act({ kind: 'edit', step: 'a' }), enter };
  };

  test('is one change, whose diff shows the argument, and runs once it is approved', async () => {
    await writeFile(join(instance.workspace, 'there.md'), 'yes');
    const { plan, open, enter } = await failOn('nowhere.md');
    await open();
    expect((await enter('nowhere.md')).problems).toHaveLength(1);
    expect(await enter('there.md')).toMatchObject({ problems: [], step: null });
    const [change] = (await instance.service.listPatches(plan.id, { limit: 1 })).patches;
    expect(change).toMatchObject({ status: 'needs_approval', changed: 1, rerun: 1, added: 0 });
    const { digest = '', version = 0 } = change ?? {};
    await instance.service.approve(plan.id, { version, digest }, ana);
    await reach(instance, plan.id, 'completed');
    const { changed } = await instance.service.versionDiff(plan.id, 1, 2);
    expect(JSON.stringify(changed[0])).toContain('there.md');
    expect((await stepsOf(plan.id)).get('a')).toMatchObject({ attempt: 2, status: 'succeeded' });
    await expect(open()).rejects.toMatchObject({ code: 'invalid_transition' });
    await checkPlan(instance.db.query, plan.id);
  });

  test('stays as it is unless it runs again', async () => {
    const { plan } = await failOn('nowhere.md');
    const set = { args: { path: 'there.md' } };
    const update = { op: 'update_steps' as const, steps: { ids: ['a'] }, set };
    await expect(patch(plan.id, update)).rejects.toMatchObject({ code: 'patch_conflict' });
  });

  test('waits for no step that its change removes, and says so', async () => {
    await writeFile(join(instance.workspace, 'there.md'), 'yes');
    const after = [{ id: 's', type: 'SS' as const, lag_minutes: 0 }];
    const steps = [failing('s'), { ...failing('t'), after }, noop('u')];
    const { id } = await runPlan(instance, { title: 'Read', steps });
    await reach(instance, id, 'failed');
    const set = { args: { path: 'there.md' } };
    const change = (release: boolean) =>
      patch(
        id,
        { op: 'remove_steps', steps: { ids: ['s'] }, release },
        { op: 'update_steps', steps: { ids: ['t'] }, set },
        rerun('t'),
      );
    expect(await refusalCode(change(false))).toBe('steps_missing');
    const { version, digest } = await change(true);
    await instance.service.approve(id, { version, digest }, ana);
    await reach(instance, id, 'completed');
    expect((await stepsOf(id)).get('t')).toMatchObject({ status: 'succeeded', after: [] });
    await check(id);
  });
});
