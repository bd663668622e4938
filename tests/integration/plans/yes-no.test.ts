// Yes/No questions: a No skips dependents; the plan completes.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { Settlement } from '#domain/service.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, ben, reach, runPlan } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance({ settings: { executor: { max_attempts: 1 } } });

const confirm = (id: string, more: Partial<StepDraft> = {}): StepDraft => ({
  ...draftStep(id, `Ask about ${id}`, 'human_confirm', { question: 'May I close T-305?' }),
  ...more,
});

const write = (id: string, more: Partial<StepDraft> = {}): StepDraft => ({
  ...draftStep(id, `Write ${id}`, 'workspace_write', { path: `${id}.md`, content: id }),
  ...more,
});

const { stepOf, becomes, resume } = readsOf(() => instance);

const statusOf = async (planId: string, ...ids: string[]) =>
  Promise.all(ids.map(async (id) => (await stepOf(planId, id)).status));

const isThere = (name: string) =>
  readFile(join(instance.workspace, `${name}.md`)).then(
    () => true,
    () => false,
  );

async function askIn(steps: StepDraft[], id = 'ask'): Promise<string> {
  const plan = await runPlan(instance, { title: 'Ask', steps });
  await becomes(plan.id, id, 'waiting');
  return plan.id;
}

const answer = (planId: string, settlement: Omit<Settlement, 'version'>, who = ana) =>
  resume(planId, { ...settlement }, who);

describe('a No', () => {
  test('skips what waits for it, and what waits for that; the plan is done', async () => {
    const id = await askIn([
      confirm('ask'),
      write('n-close', { after: ['ask'] }),
      write('n-tell', { after: ['n-close'] }),
      write('n-other'),
    ]);
    await answer(id, { steps: { ask: 'failed' } });
    const done = await reach(instance, id, 'completed');
    expect(await statusOf(id, 'ask', 'n-close', 'n-tell', 'n-other')).toEqual([
      'succeeded',
      'skipped',
      'skipped',
      'succeeded',
    ]);
    expect((await stepOf(id, 'ask')).output).toMatchObject({ answer: 'No', note: null, by: 'ana' });
    expect(await stepOf(id, 'n-close')).toMatchObject({
      result_summary: 'ana answered No to step 1a.',
      error: { code: 'condition_not_met', questions: ['ask'] },
    });
    expect((await stepOf(id, 'n-tell')).result_summary).toBe(
      'It waits for step 2, which was skipped: ana answered No to step 1a.',
    );
    expect([await isThere('n-close'), await isThere('n-tell'), await isThere('n-other')]).toEqual([
      false,
      false,
      true,
    ]);
    expect(done.result_summary).toMatch(/^2 steps done, 2 steps skipped\. Step 2 was skipped: ana/);
    await checkPlan(instance.db.query, id);
  });

  test('lets those run that say so by a condition of their own', async () => {
    const id = await askIn([
      confirm('ask'),
      write('o-close', { after: ['ask'] }),
      write('o-keep', { when: { step: 'ask', path: '/answer', is: 'equals', value: 'No' } }),
      write('o-then', { after: ['o-keep'] }),
      write('o-log', {
        after: ['o-close', 'o-keep'],
        when: { step: 'ask', path: '/answer', is: 'exists' },
      }),
    ]);
    await answer(id, { steps: { ask: 'failed' } });
    await reach(instance, id, 'completed');
    expect(await statusOf(id, 'o-close', 'o-keep', 'o-then', 'o-log')).toEqual([
      'skipped',
      'succeeded',
      'succeeded',
      'succeeded',
    ]);
    await checkPlan(instance.db.query, id);
  });

  test('holds for a step that a failure had stopped before and that is tried again after it', async () => {
    const id = await askIn([
      confirm('ask'),
      { ...write('missing'), operation: 'read', args: { path: 'missing.md' } },
      write('f-close', { after: ['ask', 'missing'] }),
    ]);
    await becomes(id, 'missing', 'failed');
    await becomes(id, 'f-close', 'skipped');
    await answer(id, { steps: { ask: 'failed' } });
    await reach(instance, id, 'failed');
    await answer(id, { steps: { missing: 'done' } });
    await reach(instance, id, 'completed');
    expect((await stepOf(id, 'f-close')).result_summary).toBe('ana answered No to step 1a.');
    expect(await isThere('f-close')).toBe(false);
  });

  test('may be said in words, which are read exactly', async () => {
    const id = await askIn([confirm('ask'), write('w-close', { after: ['ask'] })]);
    await expect(
      answer(id, { steps: { ask: 'done' }, answer: 'better not' }),
    ).rejects.toMatchObject({
      code: 'invalid_answer',
      message: expect.stringMatching(/Yes or No/),
    });
    const half = { steps: { ask: 'done' as const }, answer: 'Yes, unless Kim objects' };
    await expect(answer(id, half)).rejects.toMatchObject({ code: 'invalid_answer' });
    await answer(id, { steps: { ask: 'done' }, answers: { ask: 'No.' } });
    await reach(instance, id, 'completed');
    expect(await isThere('w-close')).toBe(false);
    await expect(answer(id, { steps: { ask: 'done' } })).rejects.toThrow(
      /already answered by ana: “No”/,
    );
  });
});

test('“no” in its conversation is the answer once it is confirmed', async () => {
  const { service } = instance;
  const say = async (text: string) => {
    const { run_id } = await service.startRun({ text, conversation: 'yes-no' }, ana);
    return waitFor('the answer', async () => {
      const run = await service.getRun(run_id);
      return run.planning_status !== 'running' && run;
    });
  };
  const { plan_id: id = '' } = await say('ask me "May I?", then if yes: write "x" to q.md');
  const { digest } = await service.getPlan(id);
  await service.approve(id, { version: 1, digest }, ana);
  await becomes(id, '1', 'waiting');
  expect((await say('no')).response_text).toContain('“No”');
  expect((await stepOf(id, '1')).status).toBe('waiting');
  await service.say('yes-no', 'approve', ana);
  await reach(instance, id, 'completed');
  expect((await stepOf(id, '1')).output).toMatchObject({ answer: 'No' });
  expect(await isThere('q')).toBe(false);
});

test('a Yes lets everything run, and is the output', async () => {
  const id = await askIn([
    confirm('ask', { args: { question: 'May I?', assignee: 'ben' } }),
    write('y-close', { after: ['ask'] }),
    write('y-by', { args: { path: 'y-by.md', content: { $from: 'ask', path: '/answer' } } }),
  ]);
  await answer(id, { steps: { ask: 'done' } }, ben);
  await reach(instance, id, 'completed');
  expect((await stepOf(id, 'ask')).output).toMatchObject({ answer: 'Yes', note: null, by: 'ben' });
  expect([await isThere('y-close'), await isThere('y-by')]).toEqual([true, true]);
});

test('a question that failed and is left out has no Yes: what waits for it is skipped', async () => {
  await writeFile(join(instance.workspace, 's-first.md'), '');
  const question = { $from: 's-first', path: '/text' };
  const { id } = await runPlan(instance, {
    title: 'Ask',
    steps: [
      draftStep('s-first', 'Read it', 'workspace_read', { path: 's-first.md' }),
      confirm('ask', { args: { question, assignee: 'ben' } }),
      write('s-close', { after: ['ask'] }),
      write('s-tell', { after: ['s-close'] }),
      write('s-if', { when: { step: 'ask', path: '/answer', is: 'equals', value: 'Yes' } }),
      write('s-then', { after: ['s-if'] }),
    ],
  });
  await becomes(id, 'ask', 'failed');
  await reach(instance, id, 'failed');
  await answer(id, { steps: { ask: 'skip' } });
  await reach(instance, id, 'completed');
  const all = ['ask', 's-close', 's-tell', 's-if', 's-then'];
  expect(await statusOf(id, ...all)).toEqual(all.map(() => 'skipped'));
  expect([await isThere('s-close'), await isThere('s-then')]).toEqual([false, false]);
  expect(await stepOf(id, 's-close')).toMatchObject({
    result_summary: expect.stringMatching(/: ana skipped step \w+\.$/),
    error: { code: 'condition_not_met', questions: ['ask'] },
  });
  await checkPlan(instance.db.query, id);
});

describe('a task whose form only takes Yes or No', () => {
  const form = [{ name: 'ok', type: 'choice', required: true, options: ['Yes', 'No'] }];
  const ask = (more: object) =>
    confirm('ask', { operation: 'task', args: { question: '?', ...more } });

  test.each([
    ['a choice', { form }, 'No'],
    ['a yes-or-no field', { form: [{ name: 'ok', type: 'boolean', required: true }] }, false],
  ])('is such a question too: %s', async (_, args, ok) => {
    const name = `form-${typeof ok}`;
    const id = await askIn([
      ask(args),
      write(`${name}-close`, { after: ['ask'] }),
      write(`${name}-note`, {
        args: { path: `${name}-note.json`, content: { $from: 'ask', path: '/by' } },
      }),
    ]);
    await answer(id, { steps: { ask: 'done' }, answers: { ask: { ok } } });
    await reach(instance, id, 'completed');
    expect(await statusOf(id, `${name}-close`, `${name}-note`)).toEqual(['skipped', 'succeeded']);
  });
});

test('a bare “no” to a task in words is not taken as done while something waits for it', async () => {
  const task = (id: string): StepDraft =>
    confirm(id, { operation: 'task', args: { question: 'May I close T-305?' } });
  const id = await askIn([
    task('ask'),
    task('free'),
    write('b-close', { after: ['ask'] }),
    write('b-note', { args: { path: 'b-note.md', content: { $from: 'free', path: '/answer' } } }),
  ]);
  await becomes(id, 'free', 'waiting');
  await expect(
    answer(id, { steps: { ask: 'done' }, answers: { ask: 'No.' } }),
  ).rejects.toMatchObject({
    code: 'invalid_answer',
    message: expect.stringMatching(/Press Blocked/),
  });
  expect((await stepOf(id, 'ask')).status).toBe('waiting');
  await answer(id, { steps: { free: 'done' }, answers: { free: 'no' } });
  await answer(id, { steps: { ask: 'done' }, answers: { ask: 'no objections' } });
  await reach(instance, id, 'completed');
  expect([await isThere('b-close'), await isThere('b-note')]).toEqual([true, true]);
});

describe('the card', () => {
  const steps = [
    confirm('ask'),
    write('c-close', { after: ['ask'] }),
    write('c-tell', { after: ['c-close'] }),
    write('c-keep', { when: { step: 'ask', path: '/answer', is: 'equals', value: 'No' } }),
  ];
  const cardOf = async (id: string) =>
    viewPlan(await instance.service.card(id, { user: 'ana', timezone: 'UTC' }));

  test('says before the approval what a No leaves out, and asks with two buttons', async () => {
    const proposed = await instance.service.propose({ title: 'Close', steps }, {}, ana);
    const effects = (await cardOf(proposed.id)).sections.find(({ kind }) => kind === 'effects');
    expect(effects?.lines[0]).toMatchObject({
      text: 'Asks the requester to confirm (yes/no) · “May I close T-305?”',
      note: expect.stringContaining('if No: steps 2a and 3 are not run'),
    });
    const id = await askIn(steps);
    const [asked] = (await cardOf(id)).asks;
    expect(asked).toMatchObject({
      kind: 'yes_no',
      text: '“May I close T-305?”',
      known: ['If No: steps 2a and 3 are not run.'],
      note: null,
      fields: [],
    });
    expect(asked?.buttons.map(({ label, press }) => [label, press.action])).toEqual([
      ['Yes', 'settle_done'],
      ['No', 'settle_failed'],
    ]);
    await answer(id, { steps: { ask: 'failed' } });
    await reach(instance, id, 'completed');
  });
});
