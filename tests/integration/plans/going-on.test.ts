// Continuing a plan: an approved change replaces failed steps.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { lockPlan } from '#db/plans/plans.ts';
import { changeSteps } from '#db/steps/accounting.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { refusal, refusalCode } from '../../fixtures/refusal.ts';
import { expectSoundPlan } from '../../fixtures/sound-plan.ts';
import { draftStep, readStep, writeStep } from '../../fixtures/steps.ts';
import { ana, noop, reach, runPlan } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance();

const copy = (id: string, from: string) => ({
  ...writeStep(id, `${id}.txt`, from),
  args: { path: `${id}.txt`, content: { $from: from, path: '/text' } },
});

async function patch(id: string, operations: PatchOperation[]) {
  const { revision } = await instance.service.overview(id);
  return instance.service.patch(id, { base_revision: revision, operations }, ana);
}
const approve = (
  id: string,
  { version, digest }: { version: number; digest: string },
  actor = ana,
) => instance.service.approve(id, { version, digest }, actor);

const { statusesOf } = readsOf(() => instance);

async function failed(steps: PlanDraft['steps'], title = 'Failed') {
  const plan = await runPlan(instance, { title, steps });
  return reach(instance, plan.id, 'failed');
}
const attemptsOf = async (id: string) => {
  const { rows } = await instance.db.query.execute<{ step: string; n: number }>(sql`
    select s.step_id as step, count(*)::int as n from countersign.step_attempts a
    join countersign.step_states s using (plan_id, position) where a.plan_id = ${id} group by 1 order by 1`);
  return Object.fromEntries(rows.map(({ step, n }) => [step, n]));
};

describe('a step that failed', () => {
  test('is replaced, and what waited for it runs with what takes its place', async () => {
    const plan = await failed([
      writeStep('source', 'source.txt'),
      readStep('lost', 'lost.txt', 'source'),
      copy('use', 'lost'),
      noop('end', 'use'),
    ]);
    expect(await statusesOf(plan.id)).toMatchObject({ lost: 'failed', use: 'skipped' });
    const { after: _, ...found } = readStep('found', 'source.txt');
    const outcome = await patch(plan.id, [{ op: 'replace_step', step: 'lost', by: found }]);
    expect(outcome).toMatchObject({
      status: 'needs_approval',
      added: 1,
      changed: 1,
      removed: 1,
      widening: [
        expect.stringMatching(/^Gives up step \d[a-z]?, which failed; it can't be retried then\.$/),
        expect.stringMatching(
          /^Adds step \d: workspace_read of source\.txt, a call that has not been approved\.$/,
        ),
      ],
    });
    expect((await instance.service.getPlan(plan.id)).status).toBe('failed');
    await approve(plan.id, outcome);
    const done = await reach(instance, plan.id, 'completed');
    expect(done).toMatchObject({ version: 2, counts: { succeeded: 4, failed: 0, cancelled: 1 } });
    expect(await statusesOf(plan.id)).toEqual({
      source: 'succeeded',
      lost: 'cancelled',
      found: 'succeeded',
      use: 'succeeded',
      end: 'succeeded',
    });
    expect(await attemptsOf(plan.id)).toEqual({ source: 1, lost: 1, found: 1, use: 1, end: 1 });
    const [use, inPlace] = await instance.service.getSteps(plan.id, ['found', 'use']);
    expect(inPlace?.after).toMatchObject([{ id: 'source' }]);
    expect(use?.after).toMatchObject([{ id: 'found' }]);
    expect(use?.args.content).toEqual({ $from: 'found', path: '/text' });
    await expectSoundPlan(instance, plan.id);
    const { removed, added } = await instance.service.versionDiff(plan.id, 1, 2);
    expect([removed, added].map((steps) => steps.map(({ id }) => id))).toEqual([
      ['lost'],
      ['found'],
    ]);
  });

  test('that was replaced is not run by Retry, though others are', async () => {
    const plan = await failed([readStep('a', 'no-a.txt'), readStep('b', 'no-b.txt')]);
    const outcome = await patch(plan.id, [
      { op: 'replace_step', step: 'a', by: writeStep('a2', 'a2.txt') },
    ]);
    await approve(plan.id, outcome);
    const again = await reach(instance, plan.id, 'failed');
    expect(again.counts).toMatchObject({ succeeded: 1, failed: 1, cancelled: 1 });
    const stale = await refusal(instance.service.retry(plan.id, { version: 1 }, ana));
    expect(stale.code).toBe('stale_version');
    await instance.service.retry(plan.id, { version: 2 }, ana);
    await waitFor('b to fail again', async () =>
      (await attemptsOf(plan.id)).b === 2 ? true : null,
    );
    await reach(instance, plan.id, 'failed');
    expect(await attemptsOf(plan.id)).toEqual({ a: 1, a2: 1, b: 2 });
    await expectSoundPlan(instance, plan.id);
  });

  test('is left out, and what waited for it goes on without it', async () => {
    const plan = await failed([
      readStep('lost', 'lost.txt'),
      noop('next', 'lost'),
      noop('end', 'next'),
    ]);
    const steps = { ids: ['lost'] };
    const needed = await refusal(patch(plan.id, [{ op: 'remove_steps', steps }]));
    expect(needed).toMatchObject({ code: 'steps_missing', details: { missing: ['next'] } });
    const outcome = await patch(plan.id, [{ op: 'remove_steps', steps, release: true }]);
    expect(outcome).toMatchObject({
      status: 'needs_approval',
      widening: [
        expect.stringMatching(/^Gives up step \d[a-z]?, which failed; it can't be retried then\.$/),
        'Lets step 2 run without waiting for step 1.',
      ],
    });
    await approve(plan.id, outcome);
    expect((await reach(instance, plan.id, 'completed')).counts.succeeded).toBe(2);
    await expectSoundPlan(instance, plan.id);
  });

  test('cannot be left out while a step uses its output', async () => {
    const plan = await failed([readStep('lost', 'lost.txt'), copy('use', 'lost')]);
    const error = await refusal(
      patch(plan.id, [{ op: 'remove_steps', steps: { ids: ['lost'] }, release: true }]),
    );
    expect(error.message).toBe(
      'Step use uses the output of step "lost" and does not wait for it any more.',
    );
    const replaced = await patch(plan.id, [
      { op: 'remove_steps', steps: { ids: ['lost', 'use'] } },
      { op: 'add_step', step: noop('else') },
    ]);
    await approve(plan.id, replaced);
    await reach(instance, plan.id, 'completed');
  });
});

describe('a plan that is done', () => {
  test('goes on with steps that are approved, and ends once more', async () => {
    const { id } = await runPlan(instance, { title: 'Done', steps: [writeStep('a', 'done.txt')] });
    await reach(instance, id, 'completed');
    const outcome = await patch(id, [{ op: 'add_step', step: copy('b', 'r') }]).catch(
      (error: unknown) => error,
    );
    expect(outcome).toMatchObject({ code: 'unknown_step' });
    const added = await patch(id, [
      { op: 'add_step', step: readStep('r', 'done.txt', 'a') },
      { op: 'add_step', step: copy('b', 'r') },
    ]);
    expect(await instance.service.getPlan(id)).toMatchObject({
      status: 'completed',
      pending_patch: { patch_id: added.patch_id },
    });
    await approve(id, added);
    const done = await waitFor('the second end', async () => {
      const now = await instance.service.getPlan(id);
      return now.status === 'completed' && now.counts.succeeded === 3 ? now : null;
    });
    expect(done).toMatchObject({ version: 2, result_summary: '3 steps done.' });
    expect(await attemptsOf(id)).toEqual({ a: 1, b: 1, r: 1 });
    await expectSoundPlan(instance, id);
    const auditEntries = await instance.service.audit(id, { limit: 100 });
    const carriedOut = auditEntries
      .map(({ action }) => action)
      .filter((action) => action !== 'call_allowed');
    expect(carriedOut).toEqual([
      'propose',
      'approve',
      'start',
      'complete',
      'patch_proposed',
      'continue',
      'patch_applied',
      'complete',
    ]);
  });

  test('stays done when the change is rejected, and what was done is never removed', async () => {
    const { id } = await runPlan(instance, { title: 'Done', steps: [noop('a')] });
    await reach(instance, id, 'completed');
    const gone = await refusal(patch(id, [{ op: 'remove_steps', steps: { ids: ['a'] } }]));
    expect(gone).toMatchObject({ code: 'patch_conflict' });
    const outcome = await patch(id, [{ op: 'add_step', step: noop('b', 'a') }]);
    await instance.service.reject(id, { version: outcome.version }, ana);
    expect(await instance.service.getPlan(id)).toMatchObject({
      status: 'completed',
      version: 1,
      pending_patch: null,
    });
  });

  test('by a cancellation does not go on', async () => {
    const hold = draftStep('hold', 'Wait', 'human_task');
    const args = { question: 'Go on?', assignee: 'ana' };
    const { id } = await runPlan(instance, [{ ...hold, args }]);
    await reach(instance, id, 'executing');
    await instance.service.cancel(id, { version: 1 }, ana);
    const error = await refusal(patch(id, [{ op: 'add_step', step: noop('b') }]));
    expect(error.code).toBe('invalid_transition');
  });
});

describe('while a change waits', () => {
  test('a retry that does it after all leaves nothing to replace', async () => {
    const plan = await failed([readStep('late', 'late.txt')]);
    const outcome = await patch(plan.id, [
      { op: 'replace_step', step: 'late', by: writeStep('instead', 'instead.txt') },
    ]);
    await writeFile(join(instance.workspace, 'late.txt'), 'here');
    await instance.service.retry(plan.id, { version: 1 }, ana);
    await waitFor('the retry', async () =>
      (await statusesOf(plan.id)).late === 'succeeded' ? true : null,
    );
    const error = await refusal(approve(plan.id, outcome));
    expect(error).toMatchObject({
      code: 'patch_conflict',
      details: { steps: [{ id: 'late', status: 'succeeded' }] },
    });
    await reach(instance, plan.id, 'completed');
    expect((await attemptsOf(plan.id)).instead).toBeUndefined();
    await expectSoundPlan(instance, plan.id);
  });

  test('a retry that fails again makes the change one about something else', async () => {
    const plan = await failed([readStep('lost', 'never.txt')]);
    const outcome = await patch(plan.id, [
      { op: 'replace_step', step: 'lost', by: writeStep('instead', 'never-instead.txt') },
    ]);
    await instance.service.retry(plan.id, { version: 1 }, ana);
    await waitFor('the second failure', async () =>
      (await attemptsOf(plan.id)).lost === 2 ? true : null,
    );
    expect(await refusalCode(approve(plan.id, outcome))).toBe('patch_conflict');
    await reach(instance, plan.id, 'failed');
  });

  test('of Retry and Approve at the same moment one is carried out', async () => {
    for (let round = 0; round < 3; round++) {
      const plan = await failed([readStep('lost', `gone-${round}.txt`)]);
      const outcome = await patch(plan.id, [
        { op: 'replace_step', step: 'lost', by: writeStep('new', `new-${round}.txt`) },
      ]);
      const [approved, retried] = await Promise.allSettled([
        approve(plan.id, outcome),
        instance.service.retry(plan.id, { version: 1 }, ana),
      ]);
      expect([approved.status, retried.status].sort()).toEqual(['fulfilled', 'rejected']);
      if (approved.status === 'fulfilled') {
        await reach(instance, plan.id, 'completed');
        expect(await attemptsOf(plan.id)).toEqual({ lost: 1, new: 1 });
      } else {
        await waitFor('the second failure', async () =>
          (await attemptsOf(plan.id)).lost === 2 ? true : null,
        );
        // Either approval drops the earlier failure's change.
        const { code } = await refusal(approve(plan.id, outcome));
        expect(['patch_conflict', 'already_decided']).toContain(code);
        await reach(instance, plan.id, 'failed');
        expect(await attemptsOf(plan.id)).toEqual({ lost: 2 });
      }
      await expectSoundPlan(instance, plan.id);
    }
  });
});

test('a task that waits for an answer is given up, and an answer to it comes too late', async () => {
  const ask = draftStep('ask', 'Ask ana', 'human_task', {
    question: 'Which room?',
    assignee: 'ana',
  });
  const plan = await runPlan(instance, { title: 'Ask', steps: [ask, noop('end', 'ask')] });
  await waitFor('the question', async () =>
    (await instance.service.getPlan(plan.id)).counts.waiting === 1 ? true : null,
  );
  const outcome = await patch(plan.id, [
    { op: 'remove_steps', steps: { ids: ['ask'] }, release: true },
  ]);
  expect(outcome.widening[0]).toBe('Gives up step 1, which is waiting for an answer.');
  await approve(plan.id, outcome);
  expect((await reach(instance, plan.id, 'completed')).counts).toMatchObject({
    succeeded: 1,
    cancelled: 1,
  });
  const late = await refusal(
    instance.service.resume(plan.id, { version: 2, steps: { ask: 'done' }, answer: 'Blue' }, ana),
  );
  expect(late.code).toBe('invalid_transition');
  await expectSoundPlan(instance, plan.id);
});

test('a step of unknown outcome is replaced once, and what its worker says later counts no more', async () => {
  const slow = draftStep('slow', 'Take a while', 'control_wait', { seconds: 2 });
  const plan = await runPlan(instance, [slow, noop('end', 'slow')]);
  await waitFor('the call', async () =>
    (await statusesOf(plan.id)).slow === 'running' ? true : null,
  );
  await instance.db.transaction(async (tx) => {
    await lockPlan(tx, plan.id);
    await changeSteps(tx, plan.id, {
      from: ['running'],
      to: 'unknown',
      kind: 'step_unknown',
      set: sql`, lease_owner = null, lease_until = null`,
    });
  });
  const outcome = await patch(plan.id, [{ op: 'replace_step', step: 'slow', by: noop('quick') }]);
  expect(outcome.widening[0]).toBe(
    'Gives up step 1, whose outcome is unknown: its call may have been made.',
  );
  const card = await instance.service.card(plan.id, { user: 'ana', timezone: 'UTC' });
  expect(drawText(viewPlan(card))).toContain('− Waits 2 seconds · step 1');
  expect(drawText(viewPlan(card))).toContain('+ Does nothing · step 3');
  await approve(plan.id, outcome);
  await reach(instance, plan.id, 'completed');
  await waitFor('what the worker says', async () =>
    (await instance.service.audit(plan.id, { limit: 100 })).some(
      ({ action }) => action === 'settle_refused',
    )
      ? true
      : null,
  );
  expect(await statusesOf(plan.id)).toEqual({
    slow: 'cancelled',
    quick: 'succeeded',
    end: 'succeeded',
  });
  await expectSoundPlan(instance, plan.id);
});
