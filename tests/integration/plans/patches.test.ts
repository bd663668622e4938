// Plan changes: narrowing ones apply at once, others need approval.
import { and, eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { readPatch } from '#db/plans/patches.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { planPatches, planVersions } from '#db/schema.ts';
import { iterateContents } from '#db/steps/versions.ts';
import { CountersignError } from '#domain/errors.ts';
import { person } from '#domain/people/actor.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { PatchOutcome } from '#domain/plan/patch-outcome.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import { digestOfOperations } from '#plans/change/waiting.ts';
import { digestPlan } from '#plans/content/digests.ts';
import { headerOf, readVersion } from '#plans/content/preflight.ts';
import { refusal } from '../../fixtures/refusal.ts';
import { expectSoundPlan } from '../../fixtures/sound-plan.ts';
import { draftStep, holdStep, writeStep } from '../../fixtures/steps.ts';
import { ana, ben, noop, reach, runPlan } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance({
  settings: {
    resourcePools: { cpu: { capacity: 8 } },
    guardedTools: ['workspace_delete'],
  },
});

// Keeps later steps from starting.
const hold = holdStep();
async function patch(id: string, operations: PatchOperation[], base?: number, actor = ana) {
  const { revision } = await instance.service.overview(id);
  return instance.service.patch(id, { base_revision: base ?? revision, operations }, actor);
}

async function held(steps: PlanDraft['steps'], extra: Partial<PlanDraft> = {}): Promise<Plan> {
  const plan = await runPlan(instance, { title: 'Held', steps: [hold, ...steps], ...extra });
  return waitFor(`${plan.id} to wait`, async () => {
    const now = await instance.service.getPlan(plan.id);
    return now.counts.waiting === 1 ? now : null;
  });
}

async function resume(id: string): Promise<void> {
  const { version } = await instance.service.getPlan(id);
  await instance.service.resume(id, { version, steps: { hold: 'done' }, answer: 'yes' }, ana);
}

const { statusesOf } = readsOf(() => instance);

// The former digest covered only operations.
async function storeAsBefore(planId: string, { patch_id, version }: PatchOutcome, whole: boolean) {
  const { query } = instance.db;
  const row = await readPlanRow(query, planId);
  const digest = digestOfOperations(row, await readPatch(query, patch_id), {});
  await query.execute(
    sql`delete from countersign.past_steps where plan_id = ${planId} and since = ${version}`,
  );
  await query.execute(
    sql`delete from countersign.plan_versions where plan_id = ${planId} and version = ${version}`,
  );
  await query.execute(
    sql`update countersign.plan_patches set whole_arguments = ${whole}, digest = ${digest} where id = ${patch_id}`,
  );
  return { version, digest };
}

const expectSound = (id: string) => expectSoundPlan(instance, id);

describe('a patch that narrows an approved plan', () => {
  test('is applied at once, in a version of its own', async () => {
    const plan = await held([
      { ...noop('a', 'hold'), partition: 'eu' },
      { ...noop('b', 'a'), partition: 'eu' },
      noop('c', 'hold'),
    ]);
    const outcome = await patch(plan.id, [
      { op: 'remove_steps', steps: { partition: 'eu' } },
      { op: 'update_steps', steps: { ids: ['c'] }, set: { priority: 9 } },
    ]);
    expect(outcome).toMatchObject({
      status: 'applied',
      version: 2,
      widening: [],
      removed: 2,
      changed: 1,
    });
    const now = await instance.service.getPlan(plan.id);
    expect(now).toMatchObject({ version: 2, digest: outcome.digest, decided_by: 'ana' });
    expect(await statusesOf(plan.id)).toMatchObject({
      a: 'cancelled',
      b: 'cancelled',
      c: 'pending',
    });
    await expectSound(plan.id);
    const diff = await instance.service.versionDiff(plan.id, 1, 2);
    expect(diff.removed.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(diff.changed).toMatchObject([{ id: 'c', fields: ['priority'] }]);
    expect(diff.total).toEqual({ from: 4, to: 2 });
    const { changes } = await instance.service.diff(plan.id, plan.revision, 100);
    expect(changes.map(({ kind }) => kind)).toEqual([
      'step_left_out',
      'step_left_out',
      'step_changed',
      'patch_applied',
    ]);
    const auditEntry = (await instance.service.audit(plan.id, { limit: 100 })).find(
      ({ action }) => action === 'patch_applied',
    );
    expect(auditEntry).toMatchObject({
      actor: 'ana',
      version: 2,
      data: { base_digest: plan.digest },
    });
    await resume(plan.id);
    const done = await reach(instance, plan.id, 'completed');
    expect(done.result_summary).toBe('2 steps done, 2 steps not run.');
    expect(await instance.service.simulate(plan.id, {}, ana)).toMatchObject({ problems: [] });
  });

  test('frees and holds steps as their prerequisites come and go', async () => {
    const plan = await held([
      noop('done'),
      noop('behind', 'hold'),
      { ...noop('timed', 'hold'), not_before: '2026-01-01T00:00:00Z' },
    ]);
    await waitFor('step done', async () =>
      (await statusesOf(plan.id)).done === 'succeeded' ? true : null,
    );
    const added = await patch(plan.id, [
      { op: 'add_step', step: { ...noop('after-done', 'done'), args: {} } },
      { op: 'add_step', step: { ...noop('after-hold', 'hold', 'after-done'), args: {} } },
    ]);
    expect(added).toMatchObject({ status: 'needs_approval', added: 2 });
    const { version, digest } = added;
    await instance.service.approve(plan.id, { version, digest }, ana);
    await waitFor('the new step', async () =>
      (await statusesOf(plan.id))['after-done'] === 'succeeded' ? true : null,
    );
    expect(await statusesOf(plan.id)).toMatchObject({ 'after-hold': 'pending', behind: 'pending' });
    await patch(plan.id, [
      {
        op: 'update_steps',
        steps: { ids: ['timed'] },
        set: { not_before: '2026-01-02T00:00:00Z' },
      },
    ]);
    await expectSound(plan.id);
    await resume(plan.id);
    await reach(instance, plan.id, 'completed');
  });

  test('ends the plan when it removes the last step that was open', async () => {
    const plan = await runPlan(instance, [
      noop('now'),
      { ...noop('late'), not_before: '2999-01-01T00:00:00Z' },
    ]);
    await waitFor('step now', async () =>
      (await statusesOf(plan.id)).now === 'succeeded' ? true : null,
    );
    await patch(plan.id, [{ op: 'remove_steps', steps: { ids: ['late'] } }]);
    expect(await instance.service.getPlan(plan.id)).toMatchObject({
      status: 'completed',
      version: 2,
    });
  });
});

describe('a patch is refused as a whole', () => {
  const cases: [string, string, PatchOperation[], RegExp][] = [
    [
      'when it removes what others need',
      'steps_missing',
      [{ op: 'remove_steps', steps: { ids: ['a'] } }],
      /remove b too/,
    ],
    [
      'when steps would wait for each other',
      'dependency_cycle',
      [{ op: 'add_dependency', step: 'a', after: { id: 'c', type: 'FS', lag_minutes: 0 } }],
      /a → |c → /,
    ],
    [
      'when a circle goes through a new step',
      'dependency_cycle',
      [
        { op: 'add_step', step: noop('n', 'c') },
        { op: 'add_dependency', step: 'a', after: { id: 'n', type: 'FS', lag_minutes: 0 } },
      ],
      /wait for each other/,
    ],
    [
      'when it touches a step that has begun',
      'patch_conflict',
      [
        { op: 'update_steps', steps: { ids: ['c'] }, set: { priority: 5 } },
        { op: 'update_steps', steps: { ids: ['hold'] }, set: { priority: 5 } },
      ],
      /Step hold \(waiting\) has begun/,
    ],
    [
      'when a selector means nothing',
      'unknown_step',
      [{ op: 'remove_steps', steps: { tag: 'none' } }],
      /tagged none/,
    ],
    [
      'when it names a step that is not there',
      'unknown_step',
      [{ op: 'remove_steps', steps: { ids: ['zzz'] } }],
      /"zzz" is not in the plan/,
    ],
    [
      'when the id is taken',
      'duplicate_step',
      [{ op: 'add_step', step: noop('a') }],
      /has a step "a" already/,
    ],
    [
      'when an operation does not exist',
      'unknown_operation',
      [{ op: 'add_step', step: { ...noop('n'), operation: 'nothing' } }],
      /control_nothing/,
    ],
    [
      'when a step would pass for an occurrence of a series',
      'reserved_id',
      [{ op: 'add_step', step: noop('a#2026-05-06') }],
      /“#” is kept for the occurrences of a series/,
    ],
    [
      'when a pool has less than is asked for',
      'invalid_request',
      [{ op: 'update_steps', steps: { ids: ['c'] }, set: { resources: { cpu: 9 } } }],
      /needs 9 of cpu/,
    ],
  ];
  let chain: Plan;
  beforeAll(async () => {
    chain = await held([noop('a', 'hold'), noop('b', 'a'), noop('c', 'b')]);
  });
  test.each(cases)('%s', async (_name, code, operations, sentence) => {
    const error = await refusal(patch(chain.id, operations));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(sentence);
    expect(await instance.service.getPlan(chain.id)).toEqual(chain);
  });

  test('when its operations mean the same many steps again and again', async () => {
    const steps = Array.from({ length: 1001 }, (_, i) => ({ ...noop(`${i}`), tags: ['all'] }));
    const plan = await instance.service.propose({ title: 'Many', steps }, { user: 'ana' }, ana);
    const again = (times: number) =>
      Array.from({ length: times }, (_, priority): PatchOperation => {
        return { op: 'update_steps', steps: { tag: 'all' }, set: { priority } };
      });
    expect(await refusal(patch(plan.id, again(500)))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('more than 500,000 steps'),
    });
    expect(await patch(plan.id, again(2))).toMatchObject({ status: 'applied', changed: 1001 });
  });

  test('when a step changed since it was read, or the revision is still to come', async () => {
    const plan = await held([noop('a', 'hold'), noop('b', 'hold')]);
    const change: PatchOperation[] = [
      { op: 'update_steps', steps: { ids: ['a'] }, set: { priority: 5 } },
    ];
    await patch(plan.id, change, plan.revision);
    const again = await refusal(patch(plan.id, change, plan.revision));
    expect(again).toMatchObject({
      code: 'patch_conflict',
      details: { current: { version: 2 }, steps: [{ id: 'a', status: 'pending' }] },
    });
    const future = await refusal(patch(plan.id, change, 1_000_000));
    expect(future.code).toBe('patch_conflict');
    const other: PatchOperation[] = [{ op: 'remove_steps', steps: { ids: ['b'] } }];
    expect(await patch(plan.id, other, plan.revision)).toMatchObject({ version: 3 });
    const twice = await refusal(patch(plan.id, other, plan.revision));
    expect(twice.code).toBe('patch_conflict');
    await instance.service.cancel(plan.id, { version: 3 }, ana);
  });

  test('when its author had seen a part only of what changed together', async () => {
    const plan = await held([noop('a', 'hold'), noop('b', 'hold')]);
    const both = { ids: ['a', 'b'] };
    await patch(plan.id, [{ op: 'update_steps', steps: both, set: { priority: 5 } }]);
    const { changes } = await instance.service.diff(plan.id, plan.revision, 100);
    const [first, second] = changes.filter(({ kind }) => kind === 'step_changed');
    if (first?.step_id == null || second?.step_id == null) throw new Error('two should differ');
    const lower = (id: string): PatchOperation[] => [
      { op: 'update_steps', steps: { ids: [id] }, set: { priority: 1 } },
    ];
    const late = await refusal(patch(plan.id, lower(second.step_id), first.revision));
    expect(late).toMatchObject({
      code: 'patch_conflict',
      details: { steps: [{ id: second.step_id }] },
    });
    expect(await patch(plan.id, lower(first.step_id), first.revision)).toMatchObject({
      version: 3,
    });
    await instance.service.cancel(plan.id, { version: 3 }, ana);
  });

  test('when somebody else sends it, or the plan is over', async () => {
    const plan = await held([noop('a', 'hold')]);
    const remove: PatchOperation[] = [{ op: 'remove_steps', steps: { ids: ['a'] } }];
    expect((await refusal(patch(plan.id, remove, undefined, ben))).code).toBe('not_allowed');
    await instance.service.cancel(plan.id, { version: 1 }, ana);
    const late = await refusal(patch(plan.id, remove));
    expect(late.code).toBe('invalid_transition');
    expect(late.message).toContain('cancelled');
  });
});

describe('a patch that widens an approved plan', () => {
  test('is every one that adds steps, were they 300 times what an approved step reads already', async () => {
    const list = (id: string) => draftStep(id, 'List', 'workspace_list', {}, 'hold');
    const plan = await held([list('a')]);
    const outcome = await patch(
      plan.id,
      Array.from({ length: 300 }, (_, i) => ({ op: 'add_step', step: list(`again-${i}`) })),
    );
    expect(outcome).toMatchObject({ status: 'needs_approval', added: 300 });
    expect(outcome.widening[0]).toBe(
      'Adds step 3: workspace_list, a call that has not been approved.',
    );
    expect((await instance.service.getPlan(plan.id)).total_steps).toBe(2);
    await instance.service.cancel(plan.id, { version: 1 }, ana);
  });

  const add: PatchOperation[] = [{ op: 'add_step', step: writeStep('w', 'widened.md') }];
  const keyOf = ({ version, digest }: { version: number; digest: string }) => ({ version, digest });

  test('waits for an approval of its own while the plan goes on, and then runs', async () => {
    const plan = await held([noop('a', 'hold')]);
    const outcome = await patch(plan.id, add);
    expect(outcome).toMatchObject({
      status: 'needs_approval',
      version: 2,
      widening: [
        'Adds step 3: workspace_write of widened.md, which the approved plan does not use.',
      ],
      changes: [
        'Adds step 3: workspace_write with arguments {"path":"widened.md","content":"w"}. Planner\'s reason: “Write widened.md”.',
      ],
    });
    const waiting = await instance.service.getPlan(plan.id);
    expect(waiting).toMatchObject({ version: 1, pending_patch: outcome });
    // For the previous release.
    const readMark = () =>
      instance.db.query.rows(
        sql`select pending_patch from countersign.plans where id = ${plan.id}`,
      );
    expect(await readMark()).toEqual([{ pending_patch: outcome.patch_id }]);
    expect(await instance.service.versionDiff(plan.id, 1, 2)).toMatchObject({
      added: [{ id: 'w' }],
      operations_added: ['workspace_write'],
      total: { from: 2, to: 3 },
    });
    await resume(plan.id);
    await waitFor('the rest to be done', async () =>
      (await instance.service.getPlan(plan.id)).counts.succeeded === 2 ? true : null,
    );
    expect((await instance.service.getPlan(plan.id)).status).toBe('executing');
    expect(await instance.service.approve(plan.id, keyOf(plan), ana)).toMatchObject({
      version: 1,
      status: 'executing',
    });
    const wrong = { version: 2, digest: plan.digest };
    expect((await refusal(instance.service.approve(plan.id, wrong, ana))).code).toBe(
      'digest_mismatch',
    );
    const stranger = await refusal(instance.service.approve(plan.id, keyOf(outcome), ben));
    expect(stranger.code).toBe('not_allowed');
    const model = { kind: 'model', id: 'planner', via: 'system' } as const;
    expect((await refusal(instance.service.approve(plan.id, keyOf(outcome), model))).code).toBe(
      'not_allowed',
    );
    expect((await instance.service.getPlan(plan.id)).version).toBe(1);
    const approved = await instance.service.approve(plan.id, keyOf(outcome), ana);
    expect(approved).toMatchObject({
      version: 2,
      digest: outcome.digest,
      pending_patch: null,
      tools_required: ['control_noop', 'human_task', 'workspace_write'],
      approvals: [{ by: 'ana' }],
    });
    expect(await readMark()).toEqual([{ pending_patch: null }]);
    const done = await reach(instance, plan.id, 'completed');
    expect(done.counts.succeeded).toBe(3);
    expect(await instance.service.listPatches(plan.id, { limit: 10 })).toMatchObject({
      patches: [{ patch_id: outcome.patch_id, status: 'applied' }],
      next_cursor: null,
    });
    const twice = await instance.service.approve(plan.id, keyOf(outcome), ana);
    expect(twice).toMatchObject({ version: 2, status: 'completed' });
    await expectSound(plan.id);
  });

  test('keeps every field of the steps it adds and changes until it is approved', async () => {
    const plan = await held([{ ...writeStep('a', 'a.md', 'hold'), tags: ['old'] }]);
    const all = {
      ...{ partition: 'eu', tags: ['x', 'y'], resources: { cpu: 2 }, capabilities: ['gpu'] },
      ...{ priority: 3, duration_minutes: 1.5, not_before: '2999-01-01T08:00:00+02:00' },
      ...{ ask_before: true, notes: { text: 'Ünï “code”', list: [1, 0.1, null] } },
      when: { step: 'hold', path: '/answer', is: 'equals' as const, value: 'yes' },
    };
    const outcome = await patch(plan.id, [
      { op: 'add_step', step: { ...writeStep('n', 'n.md', 'hold'), ...all } },
      { op: 'update_steps', steps: { tag: 'old' }, set: { ...all, not_before: null } },
      {
        op: 'add_dependency',
        step: 'n',
        after: { id: 'a', type: 'SS', lag_minutes: 7 },
      },
    ]);
    const approved = await instance.service.approve(plan.id, keyOf(outcome), ana);
    expect(approved).toMatchObject({ version: 2, digest: outcome.digest });
    const { steps } = await instance.service.listSteps(plan.id, { limit: 10 });
    const kept = { ...all, not_before: '2999-01-01T06:00:00.000Z', when: [all.when] };
    expect(steps[2]).toMatchObject({
      ...kept,
      after: [{ id: 'hold' }, { id: 'a', lag_minutes: 7 }],
    });
    expect(steps[1]).toMatchObject({ ...kept, not_before: null });
    await expectSound(plan.id);
    await instance.service.cancel(plan.id, { version: 2 }, ana);
  });

  test('is applied although the operations that it adds were reworded since', async () => {
    const { query } = instance.db;
    const plan = await held([]);
    const shown = await patch(plan.id, add);
    const row = await readPlanRow(query, plan.id);
    const version = await readVersion(query, { id: plan.id, version: 2 });
    const digests = Object.entries(version.operation_digests).map(([name, known]) => {
      const [code = '', , ...others] = known.split('.');
      return [name, name === 'workspace_write' ? [code, 'older', ...others].join('.') : known];
    });
    const operation_digests = Object.fromEntries(digests);
    const header = headerOf(row, { ...version, operation_digests });
    const digest = await digestPlan(header, iterateContents(query, plan.id, 2));
    await query
      .update(planVersions)
      .set({ operation_digests, digest })
      .where(and(eq(planVersions.plan_id, plan.id), eq(planVersions.version, 2)));
    await query.update(planPatches).set({ digest }).where(eq(planPatches.id, shown.patch_id));
    const approved = await instance.service.approve(plan.id, { version: 2, digest }, ana);
    expect(approved).toMatchObject({ version: 2, digest, pending_patch: null });
    expect(await readPlanRow(query, plan.id)).toMatchObject({ operation_digests });
    await instance.service.cancel(plan.id, { version: 2 }, ana);
  });

  test('has the steps that it reruns in its digest', async () => {
    const plan = await runPlan(instance, [noop('a'), noop('b')]);
    await reach(instance, plan.id, 'completed');
    const rerun = (id: string) => patch(plan.id, [{ op: 'rerun_steps', steps: { ids: [id] } }]);
    const [first, second] = [await rerun('a'), await rerun('b')];
    expect(first).toMatchObject({ status: 'needs_approval', version: 2 });
    expect(second).toMatchObject({ status: 'needs_approval', version: 2 });
    const late = await refusal(instance.service.approve(plan.id, keyOf(first), ana));
    expect(late.message).toContain('was overtaken');
    await instance.service.approve(plan.id, keyOf(second), ana);
    const done = await reach(instance, plan.id, 'completed');
    expect(done.version).toBe(2);
    const steps = await instance.service.listSteps(plan.id, { limit: 10 });
    expect(steps.steps.map(({ id, attempt }) => [id, attempt])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  test('is taken off the plan when its steps have gone on before it was approved', async () => {
    const plan = await held([noop('a', 'hold'), { ...hold, id: 'hold2', after: ['a'] }]);
    const outcome = await patch(plan.id, [
      { op: 'update_steps', steps: { ids: ['a'] }, set: { description: 'Do something else' } },
    ]);
    expect(outcome.widening).toEqual(['Changes the description of step 2.']);
    await resume(plan.id);
    await waitFor('step a', async () =>
      (await statusesOf(plan.id)).a === 'succeeded' ? true : null,
    );
    const error = await refusal(instance.service.approve(plan.id, keyOf(outcome), ana));
    expect(error).toMatchObject({
      code: 'patch_conflict',
      details: { steps: [{ id: 'a', status: 'succeeded' }] },
    });
    expect(await instance.service.getPlan(plan.id)).toMatchObject({
      version: 1,
      pending_patch: null,
    });
    await instance.service.cancel(plan.id, { version: 1 }, ana);
  });

  test.each([
    [false, { path: 'a.md', content: 'A', overwrite: true }],
    [true, { path: 'a.md', content: 'A' }],
  ])('from before arguments were merged (%s) keeps its meaning', async (whole, args) => {
    const before = { path: 'b.md', content: 'B', overwrite: true };
    const plan = await held([{ ...writeStep('a', 'b.md', 'hold'), args: before }]);
    const set = { args: { path: 'a.md', content: 'A' } };
    const outcome = await patch(plan.id, [{ op: 'update_steps', steps: { ids: ['a'] }, set }]);
    const key = await storeAsBefore(plan.id, outcome, whole);
    await instance.service.approve(plan.id, key, ana);
    const { steps } = await instance.service.listSteps(plan.id, { limit: 5 });
    expect(steps.find(({ id }) => id === 'a')?.args).toEqual(args);
    await instance.service.cancel(plan.id, { version: 2 }, ana);
  });

  test('is taken off the plan when the step it would follow has failed', async () => {
    const missing = { path: 'missing.md' };
    const read = draftStep('a', 'Read', 'workspace_read');
    const plan = await held([{ ...read, args: missing, after: ['hold'] }]);
    const outcome = await patch(plan.id, [{ op: 'add_step', step: writeStep('w', 'w.md', 'a') }]);
    await resume(plan.id);
    await waitFor('step a', async () => (await statusesOf(plan.id)).a === 'failed' || null);
    const error = await refusal(instance.service.approve(plan.id, keyOf(outcome), ana));
    expect(error).toMatchObject({
      code: 'patch_conflict',
      details: { steps: [{ id: 'a', status: 'failed' }] },
    });
    expect(error.message).toContain('The change was dropped.');
    await reach(instance, plan.id, 'failed');
    expect((await instance.service.getPlan(plan.id)).pending_patch).toBeNull();
  });

  test('gives way to the next one of its author and stands before everybody else’s', async () => {
    const plan = await held([noop('a', 'hold')], { approvers: { kind: 'anyone' } });
    const first = await patch(plan.id, add);
    const other = await refusal(patch(plan.id, add, undefined, ben));
    expect(other.code).toBe('patch_conflict');
    expect(other.message).toContain(first.patch_id);
    const second = await patch(plan.id, [{ op: 'add_step', step: writeStep('v', 'v.md') }]);
    expect(second).toMatchObject({ status: 'needs_approval', version: 2 });
    expect((await refusal(instance.service.approve(plan.id, keyOf(first), ana))).message).toContain(
      'was overtaken',
    );
    await instance.service.cancel(plan.id, { version: 1 }, ana);
    expect(await instance.service.getPlan(plan.id)).toMatchObject({
      status: 'cancelled',
      pending_patch: null,
    });
    const { patches } = await instance.service.listPatches(plan.id, { limit: 1 });
    expect(patches).toMatchObject([{ patch_id: second.patch_id, status: 'rejected' }]);
    expect((await refusal(instance.service.approve(plan.id, keyOf(second), ana))).code).toBe(
      'already_decided',
    );
  });

  test('needs as many approvals as the plan did, and those of one that was dropped do not count', async () => {
    const [ana, ben] = [person('ana', 'slack'), person('ben', 'slack')];
    const approvers = { kind: 'n_of', people: ['ana', 'ben'], n: 2 } as const;
    const draft = { title: 'Two', steps: [hold, noop('a', 'hold')], approvers: { ...approvers } };
    const proposed = await instance.service.propose(
      { ...draft, approvers: { kind: 'n_of', people: ['ana', 'ben'], n: 2 } },
      { user: 'ana' },
      ana,
    );
    await instance.service.approve(proposed.id, keyOf(proposed), ana);
    await instance.service.approve(proposed.id, keyOf(proposed), ben);
    await reach(instance, proposed.id, 'executing');
    const first = await patch(proposed.id, add);
    await instance.service.approve(proposed.id, keyOf(first), ana);
    expect((await instance.service.getPlan(proposed.id)).pending_patch).not.toBeNull();
    await instance.service.reject(proposed.id, { version: 2 }, ben);
    const second = await patch(proposed.id, [{ op: 'add_step', step: writeStep('v', 'v.md') }]);
    await instance.service.approve(proposed.id, keyOf(second), ben);
    expect((await instance.service.getPlan(proposed.id)).version).toBe(1);
    await instance.service.approve(proposed.id, keyOf(second), ana);
    expect(await instance.service.getPlan(proposed.id)).toMatchObject({
      version: 2,
      pending_patch: null,
    });
    await instance.service.cancel(proposed.id, { version: 2 }, ana);
  });
});

describe('a patch of a proposal', () => {
  test('makes its next version, which nobody has approved', async () => {
    const plan = await instance.service.propose(
      {
        title: 'Proposal',
        steps: [noop('a'), noop('b', 'a'), { ...writeStep('c', 'c.md', 'b'), partition: 'p' }],
      },
      { user: 'ana' },
      ana,
    );
    const outcome = await patch(plan.id, [
      { op: 'remove_steps', steps: { ids: ['c'] } },
      { op: 'add_step', step: { ...writeStep('d', 'd.md', 'b'), partition: 'p' } },
      { op: 'remove_dependency', step: 'b', after: { id: 'a', type: 'FS' } },
    ]);
    expect(outcome).toMatchObject({ status: 'applied', version: 2, widening: [] });
    await expectSound(plan.id);
    const old = await refusal(
      instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana),
    );
    expect(old).toMatchObject({ code: 'stale_version' });
    const diff = await instance.service.versionDiff(plan.id, 1, 2);
    expect(diff.counts).toEqual({ added: 1, removed: 1, changed: 1 });
    const now = await instance.service.getPlan(plan.id);
    expect(now).toMatchObject({ status: 'proposed', version: 2, total_steps: 3 });
    await instance.service.approve(plan.id, { version: 2, digest: now.digest }, ana);
    await reach(instance, plan.id, 'completed');
    expect(Object.keys(await statusesOf(plan.id))).toEqual(['a', 'b', 'd']);
    await expectSound(plan.id);
  });
});

describe('at the same moment', () => {
  test('of two patches of one step one is applied, and of different steps both', async () => {
    const plan = await held([noop('a', 'hold'), noop('b', 'hold'), noop('c', 'hold')]);
    const set = (id: string, priority: number) =>
      patch(
        plan.id,
        [{ op: 'update_steps', steps: { ids: [id] }, set: { priority } }],
        plan.revision,
      );
    const results = await Promise.allSettled([set('a', 1), set('a', 2), set('b', 3), set('c', 4)]);
    expect(results.map(({ status }) => status).filter((one) => one === 'rejected')).toHaveLength(1);
    expect((await instance.service.getPlan(plan.id)).version).toBe(4);
    await expectSound(plan.id);
    await resume(plan.id);
    await reach(instance, plan.id, 'completed');
  });

  test('a step that is claimed is not removed, and one that is removed is not run', async () => {
    const steps = Array.from({ length: 60 }, (_, i) => noop(`s${i}`));
    const plan = await runPlan(instance, steps);
    let applied = 0;
    for (let i = 59; i >= 0; i -= 3) {
      const result = await patch(plan.id, [
        { op: 'remove_steps', steps: { ids: [`s${i}`] } },
      ]).catch((error: unknown) => error);
      if (!(result instanceof CountersignError)) applied++;
      else expect(['patch_conflict', 'invalid_transition']).toContain(result.code);
    }
    const done = await reach(instance, plan.id, 'completed');
    expect(done.counts).toMatchObject({ cancelled: applied, succeeded: 60 - applied });
    await expectSound(plan.id);
    const { rows } = await instance.db.query.execute<{ n: number }>(
      sql`select count(*)::int as n from countersign.step_attempts where plan_id = ${plan.id}`,
    );
    expect(rows[0]?.n).toBe(60 - applied);
  });

  test('an approval and a cancellation leave one answer', async () => {
    const plan = await held([noop('a', 'hold')]);
    const { version, digest } = await patch(plan.id, [
      { op: 'add_step', step: writeStep('w', 'w.md', 'hold') },
    ]);
    await Promise.allSettled([
      instance.service.approve(plan.id, { version, digest }, ana),
      instance.service.cancel(plan.id, { version: 1 }, ana),
    ]);
    const now = await instance.service.getPlan(plan.id);
    expect(now.pending_patch).toBeNull();
    const { patches } = await instance.service.listPatches(plan.id, { limit: 1 });
    if (now.status === 'cancelled') expect(patches[0]?.status).toBe('rejected');
    else expect(patches[0]?.status).toBe('applied');
    await expectSound(plan.id);
    if (now.status !== 'cancelled') await instance.service.cancel(plan.id, { version: 2 }, ana);
  });
});

test('a step that was skipped behind a failure runs once it does not wait for it any more', async () => {
  const plan = await held([
    draftStep('gone', 'Read what is not there', 'workspace_read', { path: 'none.md' }),
    noop('x', 'gone'),
    noop('y', 'x'),
  ]);
  await waitFor('y to be skipped', async () =>
    (await statusesOf(plan.id)).y === 'skipped' ? true : null,
  );
  const outcome = await patch(plan.id, [
    { op: 'remove_dependency', step: 'x', after: { id: 'gone', type: 'FS' } },
  ]);
  expect(outcome.widening).toEqual(['Lets step 2 run without waiting for step 1b.']);
  const { version, digest } = outcome;
  await instance.service.approve(plan.id, { version, digest }, ana);
  await waitFor('y to run', async () =>
    (await statusesOf(plan.id)).y === 'succeeded' ? true : null,
  );
  await expectSound(plan.id);
  const added = await patch(plan.id, [{ op: 'add_step', step: noop('z', 'gone') }]);
  const dead = await refusal(
    instance.service.approve(plan.id, { version: added.version, digest: added.digest }, ana),
  );
  expect(dead).toMatchObject({ code: 'patch_conflict', details: { steps: [{ id: 'gone' }] } });
  await instance.service.cancel(plan.id, { version: 2 }, ana);
});

test('the card of a change shows the calls of the steps that it chooses by partition or tag', async () => {
  const plan = await held([
    { ...writeStep('a', 'a.md', 'hold'), partition: 'eu' },
    {
      ...writeStep('b', 'b.md', 'hold'),
      operation: 'delete',
      args: { path: 'b.md' },
      tags: ['old'],
    },
  ]);
  await patch(plan.id, [
    {
      op: 'update_steps',
      steps: { partition: 'eu' },
      set: { args: { path: 'c.md', content: '' } },
    },
    { op: 'update_steps', steps: { tag: 'old' }, set: { args: { path: 'payroll.csv' } } },
  ]);
  const facts = await instance.service.card(plan.id, { user: 'ana', timezone: 'UTC' });
  const text = drawText(viewPlan(facts));
  expect(text).toContain('~ Creates c.md · step 2a');
  expect(text).toContain('~ Permanently deletes payroll.csv · step 2b');
});

describe('a start that a change sets and that passes while it waits', () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const start = at(-1);
  const set = { not_before: start, args: { path: 'other.md', content: '' } };
  const table: [string, PatchOperation[], string[]][] = [
    [
      'of an added step',
      [{ op: 'add_step', step: { ...writeStep('w', 'w.md', 'hold'), not_before: start } }],
      ['3'],
    ],
    [
      'of a step in the place of another',
      [{ op: 'replace_step', step: 'a', by: { ...writeStep('w', 'w.md'), not_before: start } }],
      ['3'],
    ],
    ['of a step by its id', [{ op: 'update_steps', steps: { ids: ['a'] }, set }], ['2']],
    ['of a step by its tag', [{ op: 'update_steps', steps: { tag: 'late' }, set }], ['2']],
    ['of a step by its part', [{ op: 'update_steps', steps: { partition: 'eu' }, set }], ['2']],
  ];
  const step = { ...writeStep('a', 'a.md', 'hold'), tags: ['late'], partition: 'eu' };

  test.each(table)('is asked about first: %s', async (_, operations, labels) => {
    const plan = await held([step]);
    const { patch_id, version, digest } = await patch(plan.id, operations);
    const approve = (passed?: string) =>
      instance.service.approve(
        plan.id,
        { version, digest, ...(passed === undefined ? {} : { passed }) },
        ana,
      );
    await instance.db.query.execute(
      sql`update countersign.plan_patches set created_at = created_at - interval '1 hour' where id = ${patch_id}`,
    );
    expect(await refusal(approve())).toMatchObject({
      code: 'times_passed',
      details: { passed: start },
    });
    expect((await refusal(approve(at(-30)))).code).toBe('times_passed');
    const facts = await instance.service.card(plan.id, { user: 'ana', timezone: 'UTC' });
    expect(facts.patch?.passed).toMatchObject({ labels, more: 0, last: start });
    const [ask] = viewPlan(facts).asks;
    expect(ask?.known.join(' ')).toContain('has passed: step');
    const [button] = ask?.buttons ?? [];
    expect(button).toMatchObject({
      label: 'Approve the change · starts now',
      press: { passed: start },
    });
    expect(facts.plan.revision).toBeGreaterThan(plan.revision);
    expect(await approve(start)).toMatchObject({ version: 2, pending_patch: null });
    await instance.service.cancel(plan.id, { version: 2 }, ana);
  });

  test('is not asked about where it was past when the change was proposed', async () => {
    const plan = await held([step]);
    const { version, digest } = await patch(plan.id, [
      { op: 'add_step', step: { ...writeStep('w', 'w.md', 'hold'), not_before: start } },
    ]);
    const approved = await instance.service.approve(plan.id, { version, digest }, ana);
    expect(approved).toMatchObject({ version: 2 });
    await instance.service.cancel(plan.id, { version: 2 }, ana);
  });
});
