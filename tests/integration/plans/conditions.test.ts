// Conditional steps run or are skipped by an earlier output.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { boundsOf } from '#cards/calls.ts';
import { notesOf } from '#cards/step-lines.ts';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { carryOutPress } from '#conversation/press.ts';
import { bare } from '#domain/chat/press.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { readDraft } from '#domain/plan/templates.ts';
import { exportMarkdown, readMarkdown } from '#plans/views/markdown.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, noop, reach, runPlan, settleAsRead } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance({ settings: { executor: { max_attempts: 1 } } });

const read = (id: string, path: string): StepDraft =>
  draftStep(id, `Read ${path}`, 'workspace_read', { path });

const write = (id: string, more: Partial<StepDraft> = {}): StepDraft => ({
  ...draftStep(id, `Write ${id}`, 'workspace_write', { path: `${id}.md`, content: id }),
  ...more,
});

const when = (
  step: string,
  path: string,
  is: 'equals' | 'not_equals',
  value: string,
): Pick<StepDraft, 'when'> => ({ when: { step, path, is, value } });

const plan = (...steps: StepDraft[]): PlanDraft => ({ title: 'On conditions', steps });

const { stepOf, becomes, resume } = readsOf(() => instance);

const isThere = (path: string) =>
  readFile(join(instance.workspace, path)).then(
    () => true,
    () => false,
  );

async function exportOf(planId: string): Promise<string> {
  const parts: string[] = [];
  for await (const part of exportMarkdown(instance.db.query, planId)) parts.push(part);
  return parts.join('');
}

test('a failed step is skipped without which the plan continues, and the steps that need its output are named and skipped', async () => {
  const { id } = await runPlan(
    instance,
    plan(
      read('lost', 'lost.txt'),
      write('uses', { args: { path: 'uses.md', content: { $from: 'lost', path: '/text' } } }),
      write('too', { when: [{ step: 'uses', path: '', is: 'exists' }] }),
      write('only-after', { after: ['lost'] }),
    ),
  );
  const failed = await reach(instance, id, 'failed');
  const view = viewPlan(await instance.service.card(id, { user: 'ana', timezone: 'UTC' }));
  expect(drawText(view)).toContain(
    'Continue without it: step 1 is skipped. Steps 2a and 3 need its output and are left out.',
  );
  const skip = view.buttons.find(({ press }) => press.action === 'settle_skip');
  if (skip === undefined) throw new Error('There is no button.');
  await carryOutPress(instance.service, bare(skip.press), ana);
  await reach(instance, id, 'completed');
  expect(await stepOf(id, 'lost')).toMatchObject({
    ...{ status: 'skipped', result_summary: 'ana continued without it.' },
    error: { code: 'condition_not_met' },
  });
  expect(await stepOf(id, 'uses')).toMatchObject({
    ...{ status: 'skipped', result_summary: 'It needs the output of step 1, which was skipped.' },
  });
  expect((await stepOf(id, 'too')).status).toBe('skipped');
  expect((await stepOf(id, 'only-after')).status).toBe('succeeded');
  await checkPlan(instance.db.query, id);
  const late = { version: failed.version, steps: { uses: 'skip' as const } };
  await expect(instance.service.resume(id, late, ana)).rejects.toThrow();
});

describe('a step with a condition', () => {
  test('runs when it holds and is skipped with the reason when it does not; what only waits for it goes on', async () => {
    await writeFile(join(instance.workspace, 'status.txt'), ' red \n');
    const { id } = await runPlan(
      instance,
      plan(
        read('status', 'status.txt'),
        write('deploy', when('status', '/text', 'equals', 'green')),
        write('tell', when('status', '/text', 'not_equals', 'green')),
        write('log', { after: ['deploy', 'tell'] }),
      ),
    );
    const done = await reach(instance, id, 'completed');
    expect(await stepOf(id, 'deploy')).toMatchObject({
      status: 'skipped',
      result_summary: 'Step 1 /text is " red \\n", not "green".',
      error: { code: 'condition_not_met' },
    });
    expect([await isThere('deploy.md'), await isThere('tell.md'), await isThere('log.md')]).toEqual(
      [false, true, true],
    );
    expect(done.result_summary).toBe(
      '3 steps done, 1 step skipped. Step 2a was skipped: Step 1 /text is " red \\n", not "green".',
    );
    await checkPlan(instance.db.query, id);
  });

  test('takes along the steps that need its output or have a condition on it, and no others', async () => {
    await writeFile(join(instance.workspace, 'a.txt'), 'no');
    const { id } = await runPlan(
      instance,
      plan(
        read('a', 'a.txt'),
        { ...read('b', 'a.txt'), ...when('a', '/text', 'equals', 'yes') },
        write('uses', { args: { path: 'uses.md', content: { $from: 'b', path: '/text' } } }),
        write('asks', { when: [{ step: 'b', path: '', is: 'exists' }] }),
        noop('order', 'b'),
      ),
    );
    await reach(instance, id, 'completed');
    expect(await stepOf(id, 'uses')).toMatchObject({
      status: 'skipped',
      result_summary: 'It needs the output of step 2, which was skipped.',
    });
    expect(await stepOf(id, 'asks')).toMatchObject({
      status: 'skipped',
      result_summary: 'Step 2 was skipped.',
    });
    expect((await stepOf(id, 'order')).status).toBe('succeeded');
    await checkPlan(instance.db.query, id);
  });

  test('waits for the step it looks at, whether or not that was said', async () => {
    const { id } = await runPlan(
      instance,
      plan(
        draftStep('ask', 'Ask Ana', 'human_task', {
          question: 'Ship it?',
          form: [{ name: 'ok', type: 'choice', required: true, options: ['Yes', 'No'] }],
        }),
        write('ship', when('ask', '/fields/ok', 'equals', 'Yes')),
      ),
    );
    await becomes(id, 'ask', 'waiting');
    expect(await stepOf(id, 'ship')).toMatchObject({
      status: 'pending',
      after: [{ id: 'ask', type: 'FS', lag_minutes: 0 }],
    });
    await resume(id, { steps: { ask: 'done' }, answers: { ask: { ok: 'No' } } });
    await reach(instance, id, 'completed');
    expect((await stepOf(id, 'ship')).status).toBe('skipped');
    expect(await isThere('ship.md')).toBe(false);
  });

  test('stays skipped, and counts as met once, when a failed step beside it is tried again', async () => {
    await writeFile(join(instance.workspace, 'b.txt'), 'no');
    const { id } = await runPlan(
      instance,
      plan(
        read('b', 'b.txt'),
        { ...read('late', 'late.txt'), after: ['b'] },
        noop('skip', 'b'),
        { ...noop('never'), ...when('b', '/text', 'equals', 'yes') },
        noop('last', 'never', 'late', 'skip'),
      ),
    );
    await reach(instance, id, 'failed');
    expect((await stepOf(id, 'never')).status).toBe('skipped');
    await writeFile(join(instance.workspace, 'late.txt'), 'here');
    await settleAsRead(instance, id, { late: 'retry' });
    await reach(instance, id, 'completed');
    expect(await stepOf(id, 'never')).toMatchObject({ status: 'skipped', attempt: 1 });
    expect((await stepOf(id, 'last')).status).toBe('succeeded');
    await checkPlan(instance.db.query, id);
  });

  test('is refused when it is about no step, about itself, or about what no output can have', async () => {
    const propose = (draft: PlanDraft) => instance.service.propose(draft, {}, ana);
    await expect(
      propose(plan(write('x', when('nobody', '/text', 'equals', 'a')))),
    ).rejects.toMatchObject({ code: 'unknown_step' });
    await expect(
      propose(plan(write('x', when('x', '/text', 'equals', 'a')))),
    ).rejects.toMatchObject({ code: 'dependency_cycle' });
    await expect(
      propose(plan(read('r', 'a.txt'), write('x', when('r', '/colour', 'equals', 'a')))),
    ).rejects.toThrow(/its condition looks at \/colour of step r \(workspace_read\)/);
  });

  test('comes through an export as Markdown without loss', async () => {
    const draft = plan(
      read('r', 'a.txt'),
      write('x', { ...when('r', '/text', 'equals', 'green'), ask_before: true }),
    );
    const proposed = await instance.service.propose(draft, {}, ana);
    const again = await readMarkdown(await exportOf(proposed.id));
    expect(again.steps[1]).toMatchObject({
      when: [{ step: 'r', path: '/text', is: 'equals', value: 'green' }],
      ask_before: true,
    });
    expect(again.steps[0]).not.toHaveProperty('when');
    const copy = await instance.service.propose(again, {}, ana);
    expect(await stepOf(copy.id, 'x')).toMatchObject({
      ask_before: true,
      when: again.steps[1]?.when,
    });
  });
});

describe('“deploy at a time if the status is green, else tell me”', () => {
  test.each([
    ['green', 'deploy', 'tell'],
    ['red', 'tell', 'deploy'],
  ])('with %s it runs %s at that time, and leaves out %s', async (status, runs, left) => {
    await writeFile(join(instance.workspace, 'gate.txt'), status);
    const at = new Date(Date.now() + 800);
    const draft = readDraft(
      plan(
        { ...read('status', 'gate.txt'), not_before: at.toISOString() },
        write('deploy', {
          args: { path: `${status}-deploy.md`, content: 'deployed' },
          ...when('status', '/text', 'equals', 'green'),
        }),
        {
          ...draftStep('tell', 'Tell Ana', 'chat_post', {
            text: 'Not deployed: the status is {{status/text}}.',
          }),
          ...when('status', '/text', 'not_equals', 'green'),
        },
      ),
    );
    const options = { user: 'ana', conversation: `deploy-${status}` };
    const { id, digest } = await instance.service.propose(draft, options, ana);
    // May have passed on a busy machine.
    const passed = at.toISOString();
    await instance.service.approve(id, { version: 1, digest, passed }, ana);
    expect((await reach(instance, id, 'completed')).counts).toMatchObject({
      succeeded: 2,
      skipped: 1,
    });
    const [looked, ran, skipped] = [
      await stepOf(id, 'status'),
      await stepOf(id, runs),
      await stepOf(id, left),
    ];
    expect(Date.parse(looked.started_at ?? '')).toBeGreaterThanOrEqual(at.getTime());
    expect([ran.status, skipped.status]).toEqual(['succeeded', 'skipped']);
    expect(await isThere(`${status}-deploy.md`)).toBe(status === 'green');
    const messages = await instance.service.messages(options.conversation, { limit: 50 });
    const isTold = messages.some(({ text }) => text === 'Not deployed: the status is red.');
    expect(isTold).toBe(status === 'red');
  });
});

describe('a change of the conditions of an approved plan', () => {
  const held = () =>
    runPlan(
      instance,
      plan(
        draftStep('gate', 'Wait', 'human_task', { question: '?' }),
        read('r', 'a.txt'),
        write('x', { after: ['gate'], ...when('r', '/text', 'equals', 'green'), ask_before: true }),
      ),
    );

  test('narrows when it adds one, and needs an approval when it takes one away', async () => {
    const { id } = await held();
    await becomes(id, 'gate', 'waiting');
    await becomes(id, 'r', 'succeeded');
    const patch = async (set: object) => {
      const { revision } = await instance.service.getPlan(id);
      const operations = [{ op: 'update_steps' as const, steps: { ids: ['x'] }, set }];
      return instance.service.patch(id, { base_revision: revision, operations }, ana);
    };
    const [one] = (await stepOf(id, 'x')).when;
    if (one === undefined) throw new Error('There is no condition.');
    const more = await patch({ when: [one, { step: 'gate', path: '/answer', is: 'exists' }] });
    expect(more.status).toBe('applied');
    expect((await stepOf(id, 'x')).when).toHaveLength(2);
    const diff = await instance.service.versionDiff(id, 1, 2);
    expect(diff.changed[0]?.changes).toContainEqual({
      field: 'when',
      from: 'step 1b /text is "green"',
      to: 'step 1b /text is "green" and the answer to step 1a has a value',
    });
    const less = await patch({ when: null, ask_before: false });
    expect(less.status).toBe('needs_approval');
    expect(less.widening).toEqual([
      'Changes or removes the conditions of step 2.',
      'Lets step 2 run without asking before.',
    ]);
  });
});

describe('a step that asks before it runs', () => {
  test('shows its final arguments and runs on a word, while the others just run', async () => {
    const { id } = await runPlan(
      instance,
      plan(write('free'), write('asks', { ask_before: true, after: ['free'] })),
    );
    const asked = await becomes(id, 'asks', 'waiting');
    expect(asked.final_args).toEqual({ path: 'asks.md', content: 'asks' });
    expect([await isThere('free.md'), await isThere('asks.md')]).toEqual([true, false]);
    await settleAsRead(instance, id, { asks: 'retry' });
    await reach(instance, id, 'completed');
    expect(await isThere('asks.md')).toBe(true);
  });
});

describe('a condition on a choice whose label says something else', () => {
  const labels: [string, string][] = [
    ['delete', 'Keep everything'],
    ['yes', 'No'],
    ['all', 'only if 3 · asks before it runs'],
    ['send', '\u202esdne ti'],
  ];
  const ask = (value: string, label: string): StepDraft =>
    draftStep('ask', 'Ask', 'human_task', {
      question: 'What now?',
      assignee: 'ana',
      form: [{ name: 'what', type: 'choice', options: [{ value, label }, 'other'] }],
    });

  test.each(labels)('shows %s with its label wherever the step is shown', async (value, label) => {
    const condition = when('ask', '/fields/what', 'equals', value);
    const both = (label: string | null | undefined) => {
      expect(label).toContain(`"${value}" (“`);
      expect(label).not.toContain('\u202e');
    };
    const first = await instance.service.propose(
      plan(ask(value, label), write('w', when('ask', '/fields/what', 'equals', 'other'))),
      { user: 'ana' },
      ana,
    );
    const { steps } = await instance.service.listSteps(first.id, { limit: 10 });
    const conditionOf = (shown: ShownStep | undefined) =>
      shown === undefined
        ? null
        : boundsOf(
            shown,
            (id) => id,
            (at) => at,
          ).join();
    expect(conditionOf(steps.at(-1))).toContain('is "other"');
    const { revision } = await instance.service.overview(first.id);
    await instance.service.patch(
      first.id,
      {
        base_revision: revision,
        operations: [{ op: 'update_steps', steps: { ids: ['w'] }, set: condition }],
      },
      ana,
    );
    const page = await instance.service.listSteps(first.id, { limit: 10 });
    both(conditionOf(page.steps.at(-1)));
    both(conditionOf(await stepOf(first.id, 'w')));
    const { changed } = await instance.service.versionDiff(first.id, 1, 2);
    both(changed[0]?.changes.find(({ field }) => field === 'when')?.to);
    const facts = await instance.service.card(first.id, { user: 'ana', timezone: 'UTC' });
    both(notesOf(facts.steps.at(-1) ?? fail(), facts)[0]);
    const approved = await instance.service.approve(
      first.id,
      { version: 2, digest: facts.plan.digest },
      ana,
    );
    await becomes(first.id, 'ask', 'waiting');
    const patched = await instance.service.patch(
      first.id,
      {
        base_revision: (await instance.service.overview(approved.id)).revision,
        operations: [{ op: 'add_step', step: { ...write('v', condition), id: 'v' } }],
      },
      ana,
    );
    both(patched.changes[0]);
    const card = await instance.service.card(first.id, { user: 'ana', timezone: 'UTC' });
    both(
      drawText(viewPlan(card))
        .split('\n')
        .find((line) => line.includes('v.md')),
    );
    await instance.service.cancel(first.id, { version: 2 }, ana);
  });
});

function fail(): never {
  throw new Error('There is no step.');
}
