// Plans in which each step needs its own confirmation.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import { person } from '#domain/people/actor.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, noop, reach, runPlan, scriptedPlanner, settleAsRead } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance({
  planner: scriptedPlanner(() => ({ kind: 'answer', text: 'no' })),
  settings: { executor: { lease_seconds: 2, max_attempts: 1 } },
});

const strict = (...steps: StepDraft[]): PlanDraft => ({
  title: 'Ask me each time',
  steps,
  step_approval: 'each',
});

const { stepOf, becomes, approve } = readsOf(() => instance);

const say = (planId: string, steps: Record<string, 'retry' | 'done' | 'failed'>, actor = ana) =>
  settleAsRead(instance, planId, steps, actor);

const write = (id: string, path: string, content: string, ...after: string[]): StepDraft =>
  draftStep(id, `Write ${path}`, 'workspace_write', { path, content }, ...after);

describe('a plan in which each step asks', () => {
  test('runs nothing on its approval, and each step on its own word, once, in order', async () => {
    const plan = await runPlan(instance, strict(write('a', 'a.md', 'one'), noop('b', 'a')));
    const asked = await becomes(plan.id, 'a', 'waiting');
    expect(asked.question).toMatch(/^Run this now\? Writes a\.md/);
    expect(asked.final_args).toEqual({ path: 'a.md', content: 'one' });
    await expect(readFile(join(instance.workspace, 'a.md'))).rejects.toThrow('ENOENT');
    expect((await stepOf(plan.id, 'b')).status).toBe('pending');
    await say(plan.id, { a: 'retry' });
    await becomes(plan.id, 'b', 'waiting');
    expect(await readFile(join(instance.workspace, 'a.md'), 'utf8')).toBe('one');
    expect(await stepOf(plan.id, 'a')).toMatchObject({ status: 'succeeded', attempt: 2 });
    await expect(say(plan.id, { a: 'retry' })).rejects.toThrow('already asked');
    await say(plan.id, { b: 'retry' });
    await reach(instance, plan.id, 'completed');
    const words = (await instance.service.audit(plan.id, { limit: 200 })).filter(
      ({ action }) => action === 'settle_retry',
    );
    expect(words.map(({ actor, actor_kind, data }) => [actor, actor_kind, data?.step])).toEqual([
      ['ana', 'person', 'a'],
      ['ana', 'person', 'b'],
    ]);
    await checkPlan(instance.db.query, plan.id);
  });

  test('may have several steps that wait at once, answered in any order', async () => {
    const plan = await runPlan(instance, strict(noop('a'), noop('b'), noop('c')));
    await Promise.all(['a', 'b', 'c'].map((id) => becomes(plan.id, id, 'waiting')));
    await say(plan.id, { c: 'retry' });
    await becomes(plan.id, 'c', 'succeeded');
    expect((await stepOf(plan.id, 'a')).status).toBe('waiting');
    await say(plan.id, { a: 'retry', b: 'retry' });
    await reach(instance, plan.id, 'completed');
  });

  test('does not ask whether a person’s own task may begin', async () => {
    const plan = await runPlan(
      instance,
      strict(draftStep('ask', 'Ask Ana', 'human_task', { question: 'Which room?' })),
    );
    const step = await becomes(plan.id, 'ask', 'waiting');
    expect(step.question).toBe('Which room?');
    await say(plan.id, { ask: 'done' });
    await reach(instance, plan.id, 'completed');
  });

  test('skips a step that a person said no to and what waits for it, and is completed with the rest', async () => {
    const plan = await runPlan(
      instance,
      strict(
        write('a', 'no.md', 'x'),
        noop('b', 'a'),
        noop('c', 'b'),
        draftStep('d', 'Use what it put out', 'workspace_write', {
          path: 'used.md',
          content: { $from: 'a', path: '/path' },
        }),
        { ...noop('e'), when: { step: 'a', path: '/path', is: 'exists' } },
        noop('free'),
      ),
    );
    const viewer = { user: 'ana', timezone: 'UTC' };
    await becomes(plan.id, 'a', 'waiting');
    const [ask] = viewPlan(await instance.service.card(plan.id, viewer)).asks;
    expect(ask?.known.at(-1)).toBe('If No: steps 2a, 2b, 2c and 3 are not run either.');
    await becomes(plan.id, 'free', 'waiting');
    await say(plan.id, { a: 'failed' });
    await say(plan.id, { free: 'retry' });
    const done = await reach(instance, plan.id, 'completed');
    expect(done.result_summary).toBe(
      '1 step done, 5 steps skipped. Step 1a was skipped: ana said no. ' +
        'Step 2a was skipped: It waits for what was not done: ana said no to step 1a. ' +
        'Step 3 was skipped: It waits for step 2a, which was skipped: ana said no to step 1a. And 2 more.',
    );
    expect(await stepOf(plan.id, 'a')).toMatchObject({
      status: 'skipped',
      final_args: null,
      result_summary: 'ana said no.',
      error: { message: 'ana said no.', questions: ['a'] },
    });
    for (const id of ['b', 'c', 'd', 'e'])
      expect((await stepOf(plan.id, id)).status).toBe('skipped');
    for (const path of ['no.md', 'used.md'])
      await expect(readFile(join(instance.workspace, path))).rejects.toThrow('ENOENT');
    const entry = (await instance.service.audit(plan.id, { limit: 200 })).find(
      ({ action }) => action === 'settle_failed',
    );
    expect(entry).toMatchObject({
      actor: 'ana',
      data: { step: 'a', answer: 'No', yes_or_no: true },
    });
    expect(viewPlan(await instance.service.card(plan.id, viewer)).sentence).toContain(
      'Step 1a was skipped: ana said no.',
    );
    await checkPlan(instance.db.query, plan.id);
  });

  test('keeps the reason of a No, takes it once, and asks again only where a change has the step run', async () => {
    const plan = await runPlan(instance, strict(write('a', 'again.md', 'x')));
    await becomes(plan.id, 'a', 'waiting');
    const no = {
      version: 1,
      steps: { a: 'failed' as const },
      answers: { a: 'not today' },
      about: { a: { attempt: 1, status: 'waiting' as const } },
    };
    const both = await Promise.allSettled([
      instance.service.resume(plan.id, no, ana),
      instance.service.resume(plan.id, no, ana),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const done = await reach(instance, plan.id, 'completed');
    expect(done.result_summary).toBe(
      'Nothing was done, 1 step skipped. Step 1 was skipped: ana said no: “not today”',
    );
    await expect(say(plan.id, { a: 'retry' })).rejects.toThrow(
      'Step 1 was already answered by ana: “No”. Your answer was not stored.',
    );
    const { revision } = await instance.service.overview(plan.id);
    const rerun = { op: 'rerun_steps' as const, steps: { ids: ['a'] } };
    const change = { base_revision: revision, operations: [rerun] };
    const { version, digest } = await instance.service.patch(plan.id, change, ana);
    await instance.service.approve(plan.id, { version, digest }, ana);
    await becomes(plan.id, 'a', 'waiting');
    await expect(readFile(join(instance.workspace, 'again.md'))).rejects.toThrow('ENOENT');
  });

  test('takes a person’s “retry” of a failed step for their word, and asks again after one for the whole plan', async () => {
    const read: StepDraft = draftStep('r', 'Read it', 'workspace_read', { path: 'missing.md' });
    const plan = await runPlan(instance, strict(read));
    await becomes(plan.id, 'r', 'waiting');
    await say(plan.id, { r: 'retry' });
    await reach(instance, plan.id, 'failed');
    await say(plan.id, { r: 'retry' });
    await becomes(plan.id, 'r', 'failed');
    expect((await stepOf(plan.id, 'r')).attempt).toBe(3);
    await reach(instance, plan.id, 'failed');
    await instance.service.retry(plan.id, { version: 1 }, ana);
    await becomes(plan.id, 'r', 'waiting');
  });

  test('asks about values that an earlier step has put out, as they are', async () => {
    await reach(
      instance,
      (await runPlan(instance, [write('w', 'source.md', 'hello')])).id,
      'completed',
    );
    const plan = await runPlan(
      instance,
      strict(
        draftStep('r', 'Read', 'workspace_read', { path: 'source.md' }),
        draftStep('w', 'Copy', 'workspace_write', {
          path: 'copy.md',
          content: { $from: 'r', path: '/text' },
        }),
      ),
    );
    await becomes(plan.id, 'r', 'waiting');
    await say(plan.id, { r: 'retry' });
    expect((await becomes(plan.id, 'w', 'waiting')).final_args).toEqual({
      path: 'copy.md',
      content: 'hello',
    });
  });

  test('takes the word of those who may approve it only', async () => {
    const plan = await instance.service.propose(
      { ...strict(noop('a')), approvers: { kind: 'named', people: ['ben'] } },
      { user: 'ana' },
      ana,
    );
    const ben = person('ben', 'api');
    await approve(plan, ben);
    await becomes(plan.id, 'a', 'waiting');
    await expect(say(plan.id, { a: 'retry' })).rejects.toThrow('Only ben');
    await expect(
      say(plan.id, { a: 'retry' }, { kind: 'model', id: 'm', via: 'api' }),
    ).rejects.toThrow('Only a person');
    await say(plan.id, { a: 'retry' }, ben);
    await reach(instance, plan.id, 'completed');
  });

  test('says so on its card, with the buttons of any call that asks', async () => {
    const plan = await instance.service.propose(strict(noop('a')), { user: 'ana' }, ana);
    const viewer = { user: 'ana', timezone: 'UTC' };
    const proposed = viewPlan(await instance.service.card(plan.id, viewer));
    expect(proposed.sections.find(({ kind }) => kind === 'terms')?.lines[0]?.text).toBe(
      'Each step asks before it runs.',
    );
    await approve(plan);
    await becomes(plan.id, 'a', 'waiting');
    const [ask] = viewPlan(await instance.service.card(plan.id, viewer)).asks;
    expect(ask).toMatchObject({
      kind: 'confirm',
      label: 'Step 1 · It asks before it runs',
      text: 'Does nothing',
    });
    expect(ask?.buttons.map(({ label }) => label)).toEqual(['Yes', 'No']);
  });
});
