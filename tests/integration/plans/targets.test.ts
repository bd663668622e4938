// A step's target: looked up, shown, compared before the call.
import { mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { headlineOf } from '#cards/calls.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { CallDescription } from '#domain/plan/call.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { draftStep, holdStep } from '../../fixtures/steps.ts';
import { ana, reach, scriptedPlanner, settleAsRead } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance({
  planner: scriptedPlanner(() => ({ kind: 'answer', text: 'no' })),
  settings: { executor: { lease_seconds: 2, max_attempts: 1 } },
});

const nothing: CallDescription = { class: 'reads', destructive: false, headline: [], parts: [] };
const at = (path: string) => join(instance.workspace, path);
const textAt = (path: string) => readFile(at(path), 'utf8');

const step = (
  id: string,
  operation: string,
  args: NonNullable<StepDraft['args']>,
  ...after: string[]
): StepDraft & { id: string } => ({
  id,
  description: `Step ${id}`,
  tool: 'workspace',
  operation,
  args,
  after,
});

const propose = (...steps: StepDraft[]) =>
  instance.service.propose({ title: 'Change files', steps }, { user: ana.id }, ana);

async function effectsOf(planId: string): Promise<string[]> {
  const view = viewPlan(await instance.service.card(planId, { user: ana.id, timezone: 'UTC' }));
  const section = view.sections.find(({ kind }) => kind === 'effects');
  return (section?.lines ?? []).map(({ text, note }) => `${text} | ${note}`);
}

const { approve, becomes } = readsOf(() => instance);

const confirm = (planId: string, id: string) => settleAsRead(instance, planId, { [id]: 'retry' });

test('a review shows what a write changes in the file that is there, and the card says only how large that is', async () => {
  await writeFile(at('list.md'), 'milk\neggs\nbread\n');
  const plan = await propose(
    step('a', 'write', { path: 'list.md', content: 'milk\noats\nbread\n' }),
    step('b', 'write', { path: 'other.md', content: 'new' }),
  );
  const { steps } = await instance.service.listSteps(plan.id, { order: 'review', limit: 10 });
  const aids = steps.map(({ call }) => call.parts.find(({ aid }) => aid === true)?.text);
  expect(aids).toEqual(['@@ -1,3 +1,3 @@\n milk\n-eggs\n+oats\n bread', undefined]);
  expect(steps[0]?.call.parts.at(-1)?.text).toBe('milk\noats\nbread\n');
  expect((await effectsOf(plan.id)).join()).not.toContain('-eggs');
});

describe('the card of a plan', () => {
  test('says what a write creates and what it overwrites, with size and age', async () => {
    await writeFile(at('card.md'), 'x'.repeat(1234));
    const edited = new Date(Date.now() - 49 * 3_600_000);
    await utimes(at('card.md'), edited, edited);
    const plan = await propose(
      step('a', 'write', { path: 'fresh.md', content: 'one' }),
      step('b', 'write', { path: 'card.md', content: 'two' }),
    );
    const effects = await effectsOf(plan.id);
    expect(effects[0]).toMatch(/^Creates fresh\.md · “one” \|/);
    expect(effects[1]).toMatch(/^Overwrites card\.md \(1\.2 KB, edited 2 d ago\) · “two” \|/);
  });

  test('tells calls apart that are made under other conditions, or without asking', async () => {
    const body = { path: 'same.md', content: 'same' };
    const plan = await propose(
      step('ok', 'list', { path: '.' }),
      {
        ...step('a', 'write', body),
        when: [{ step: 'ok', path: '/count', is: 'greater', value: 99 }],
        ask_before: true,
      },
      step('b', 'write', body),
    );
    const effects = await effectsOf(plan.id);
    expect(effects).toHaveLength(2);
    expect(effects.join()).not.toContain('2 times');
  });

  test('has the whole read where the same call is made at different times', async () => {
    const body = { path: 'when.md', content: 'same' };
    const plan = await propose(
      { ...step('a', 'write', body), not_before: '2031-05-05T10:00:00.000Z' },
      step('b', 'write', body),
    );
    const card = await instance.service.card(plan.id, { user: ana.id, timezone: 'UTC' });
    expect(viewPlan(card).buttons.map(({ label }) => label)).toContain('Review');
  });

  test('says how much a deletion takes with it, and what is missing', async () => {
    await mkdir(at('old/deep'), { recursive: true });
    await writeFile(at('old/one.txt'), 'x'.repeat(600));
    await writeFile(at('old/deep/two.txt'), 'x'.repeat(400));
    const plan = await propose(
      step('a', 'delete', { path: 'old', recursive: true }),
      step('b', 'delete', { path: 'gone.md' }),
      step('c', 'move', { from: 'gone.md', to: 'there.md' }),
    );
    const effects = await effectsOf(plan.id);
    expect(effects[0]).toContain('Permanently deletes old and everything in it (2 files, 1.0 KB');
    expect(effects[1]).toContain('△ gone.md does not exist; this step will fail');
    expect(effects[2]).toContain('△ gone.md does not exist; this step will fail');
  });

  test('says nothing of what an earlier step makes, and follows no link out of the workspace', async () => {
    await symlink('/etc/hostname', at('leak'));
    const plan = await propose(
      step('a', 'write', { path: 'made.md', content: 'one' }),
      step('b', 'move', { from: 'made.md', to: 'moved.md' }, 'a'),
      step('c', 'write', { path: 'leak', content: 'two' }),
    );
    const { steps } = await instance.service.listSteps(plan.id, { limit: 10 });
    expect(steps.map(({ seen }) => seen?.state ?? null)).toEqual(['new', null, 'missing']);
  });
});

describe('a step whose target changed after the approval', () => {
  test('asks with both states, does nothing until it is confirmed, and then asks no more', async () => {
    await writeFile(at('drift.md'), 'old');
    const plan = await propose(step('a', 'write', { path: 'drift.md', content: 'mine' }));
    await writeFile(at('drift.md'), 'somebody else’s');
    await approve(plan);
    const asked = await becomes(plan.id, 'a', 'waiting');
    expect(asked.question).toContain(
      'drift.md changed after the plan was approved. It was 3 bytes',
    );
    expect(asked.question).toContain('now it is 17 bytes');
    const [ask] = viewPlan(
      await instance.service.card(plan.id, { user: ana.id, timezone: 'UTC' }),
    ).asks;
    expect(ask?.label).toContain('The target changed after the plan was approved');
    expect(await textAt('drift.md')).toBe('somebody else’s');
    const { findings } = await instance.service.listFindings(plan.id, { limit: 10 });
    expect(findings).toMatchObject([{ severity: 'WARN', category: 'drift', step_id: 'a' }]);
    await confirm(plan.id, 'a');
    await reach(instance, plan.id, 'completed');
    expect(await textAt('drift.md')).toBe('mine');
    await checkPlan(instance.db.query, plan.id);
  });

  test('asks again when it changes once more', async () => {
    await writeFile(at('twice.md'), 'one');
    const plan = await propose(step('a', 'delete', { path: 'twice.md' }));
    await writeFile(at('twice.md'), 'two');
    await approve(plan);
    const { attempt } = await becomes(plan.id, 'a', 'waiting');
    await writeFile(at('twice.md'), 'three');
    await confirm(plan.id, 'a');
    const again = await waitFor('the step to ask again', async () => {
      const found = await becomes(plan.id, 'a', 'waiting');
      return found.attempt > attempt ? found : null;
    });
    expect(again.question).toContain('now it is 5 bytes');
    expect(await textAt('twice.md')).toBe('three');
    await confirm(plan.id, 'a');
    await reach(instance, plan.id, 'completed');
  });

  test('asks when a file has appeared where none was', async () => {
    const plan = await propose(step('a', 'write', { path: 'appeared.md', content: 'mine' }));
    await writeFile(at('appeared.md'), 'here first');
    await approve(plan);
    await becomes(plan.id, 'a', 'waiting');
    expect(await textAt('appeared.md')).toBe('here first');
  });

  test('asks when what it copies is gone, and says that it is the source', async () => {
    await writeFile(at('source.md'), 'x');
    const plan = await propose(step('a', 'copy', { path: 'source.md', to: 'copied.md' }));
    await rm(at('source.md'));
    await approve(plan);
    await becomes(plan.id, 'a', 'waiting');
    const [asked] = await instance.service.getSteps(plan.id, ['a']);
    expect(asked?.question).toMatch(/^What copied\.md is made from is missing\./);
  });
});

describe('an overwrite is not hidden', () => {
  const ledger = (id = 'x', path = 'ledger.txt', ...after: string[]) =>
    step(id, 'write', { path, content: 'mine' }, ...after);
  const read = step('r', 'read', { path: 'name.txt' });
  const open = { $from: 'r', path: '/text' };
  const decoys = Array.from({ length: 230 }, (_, n) =>
    step(`d${n}`, 'delete', { path: `decoy-${n}` }),
  );
  const cases: [string, (StepDraft & { id: string })[], RegExp][] = [
    [
      'by an earlier write whose place comes from a step',
      [read, step('w', 'write', { path: open, content: 'a' }, 'r'), ledger('x', 'ledger.txt', 'w')],
      /^Overwrites ledger\.txt/,
    ],
    [
      'by an earlier write of the same file that may be skipped',
      [
        read,
        {
          ...ledger('w', 'ledger.txt', 'r'),
          when: [{ step: 'r', path: '/text', is: 'equals', value: 'never' }],
        },
        ledger('x', 'ledger.txt', 'w'),
      ],
      /^Overwrites ledger\.txt/,
    ],
    ['by 230 decoys', [...decoys, ledger()], /ledger\.txt \(not checked: may overwrite\)$/],
    [
      'by another write of a new file, listed first',
      [ledger('w', 'fresh-one.txt'), ledger('x', 'fresh-one.txt')],
      /fresh-one\.txt \(not checked: may overwrite\)$/,
    ],
    [
      'by another write of it in other letters',
      [ledger('w', 'fresh-\u00c4.txt'), ledger('x', 'fresh-a\u0308.TXT')],
      /\(not checked: may overwrite\)$/,
    ],
    [
      'by a move to it',
      [step('w', 'move', { from: 'name.txt', to: 'moved-1.txt' }), ledger('x', 'moved-1.txt', 'w')],
      /moved-1\.txt \(not checked: may overwrite\)$/,
    ],
    [
      'by a place that is known only when it runs',
      [read, step('x', 'write', { path: open, content: 'a' }, 'r')],
      /\(not checked: may overwrite\)$/,
    ],
  ];
  test.each(cases)('%s', async (_name, steps, expected) => {
    await writeFile(at('ledger.txt'), 'precious');
    await writeFile(at('name.txt'), 'ledger.txt');
    const plan = await propose(...steps);
    const [shown] = await instance.service.getSteps(plan.id, ['x']);
    if (shown === undefined) throw new Error('There is no step x.');
    expect(shown.call.destructive).toBe(true);
    expect(headlineOf(shown.call)).toMatch(expected);
    let text = '';
    for await (const part of instance.service.exportMarkdown(plan.id)) text += part;
    expect(text).toMatch(/### \d+\. [^\n]*(Overwrites|may overwrite)/);
  });

  test('by a rule: the first date of a series is looked at, and the others say that they were not', async () => {
    await writeFile(at('ledger.txt'), 'precious');
    const starts_at = new Date(Date.now() + 86_400_000).toISOString();
    const series = {
      id: 'weekly',
      title: 'Weekly ledger',
      rrule: 'FREQ=WEEKLY',
      starts_at,
      timezone: 'UTC',
      until: null,
      steps: [ledger('weekly'), ledger('new', 'weekly.txt')],
    };
    const draft = { title: 'Weekly', steps: [step('r', 'list', {})], series: [series] };
    const { id } = await instance.service.propose(draft, { user: ana.id }, ana);
    const { steps } = await instance.service.listSteps(id, { limit: 50 });
    const saidOf = (name: string) =>
      steps
        .filter((one) => one.id.startsWith(`${name}#`))
        .toSorted((a, b) => a.id.localeCompare(b.id))
        .map(({ call }) => headlineOf(call));
    const [first, ...others] = saidOf('weekly');
    expect(first).toBe('Overwrites ledger.txt');
    expect(others.length).toBeGreaterThan(2);
    for (const one of others) expect(one).toMatch(/not checked/);
    expect(saidOf('new')[0]).toBe('Creates weekly.txt');
  });

  test('and what nobody has looked at is asked about where something is there, and only there', async () => {
    await writeFile(at('ledger.txt'), 'precious');
    const fillers = Array.from({ length: 200 }, (_, n) =>
      step(`f${n}`, 'write', { path: `filler/${n}`, content: 'f' }),
    );
    const plan = await propose(...fillers, ledger(), ledger('y', 'not-there.txt'));
    await approve(plan);
    const asked = await becomes(plan.id, 'x', 'waiting');
    expect(asked).toMatchObject({ seen: null, output: { looked: { state: 'exists', size: 8 } } });
    const [shown] = await instance.service.getSteps(plan.id, ['x']);
    expect(shown?.call).toMatchObject({ destructive: true, target: { state: 'exists' } });
    await becomes(plan.id, 'y', 'succeeded');
    expect(await textAt('ledger.txt')).toBe('precious');
    await writeFile(at('ledger.txt'), 'more precious');
    await confirm(plan.id, 'x');
    const again = await waitFor('the step to ask again', async () => {
      const found = await becomes(plan.id, 'x', 'waiting');
      return found.attempt > asked.attempt ? found : null;
    });
    expect(again.output).toMatchObject({ looked: { size: 13 } });
    await confirm(plan.id, 'x');
    await reach(instance, plan.id, 'completed');
    expect(await textAt('ledger.txt')).toBe('mine');
    await checkPlan(instance.db.query, plan.id);
  });

  test('where the place is known only when it runs, what is there is shown with the final values and compared again', async () => {
    await writeFile(at('ledger.txt'), 'precious');
    await writeFile(at('name.txt'), 'ledger.txt');
    const plan = await propose(read, step('x', 'write', { path: open, content: 'a' }, 'r'));
    await approve(plan);
    const { attempt } = await becomes(plan.id, 'x', 'waiting');
    const [shown] = await instance.service.getSteps(plan.id, ['x']);
    expect(headlineOf(shown?.call ?? nothing)).toBe('Overwrites ledger.txt');
    await writeFile(at('ledger.txt'), 'changed since');
    await confirm(plan.id, 'x');
    const again = await waitFor('the step to ask again', async () => {
      const found = await becomes(plan.id, 'x', 'waiting');
      return found.attempt > attempt ? found : null;
    });
    expect(again.output).toMatchObject({ drift: { size: 13 } });
    expect(await textAt('ledger.txt')).toBe('changed since');
  });

  test('and what an earlier step of the plan has left there is no reason to ask', async () => {
    const plan = await propose(
      ledger('w', 'own-2.txt'),
      step('m', 'move', { from: 'own-2.txt', to: 'own-3.txt' }, 'w'),
      step('x', 'write', { path: 'own-3.txt', content: 'last' }, 'm'),
      step('d', 'delete', { path: 'own-3.txt' }, 'x'),
    );
    await approve(plan);
    await reach(instance, plan.id, 'completed');
  });
});

describe('a change of a plan', () => {
  const hold: StepDraft = holdStep('hold');
  const change = async (planId: string, ...operations: PatchOperation[]) => {
    const { revision } = await instance.service.overview(planId);
    return instance.service.patch(planId, { base_revision: revision, operations }, ana);
  };
  const held = async (...steps: StepDraft[]) => {
    const plan = await propose(hold, ...steps);
    await approve(plan);
    await becomes(plan.id, 'hold', 'waiting');
    return plan;
  };
  const resume = async (planId: string) => {
    const { version } = await instance.service.getPlan(planId);
    const steps = { hold: 'done' as const };
    await instance.service.resume(planId, { version, steps, answer: 'yes' }, ana);
  };
  const added = (draft: StepDraft & { id: string }): PatchOperation => ({
    op: 'add_step',
    step: draft,
  });

  test('shows what a step that it adds overwrites, and the step asks when that has changed since', async () => {
    await writeFile(at('patched.md'), 'x'.repeat(1234));
    const plan = await held(step('own', 'write', { path: 'own-1.md', content: '1' }, 'hold'));
    const patch = await change(
      plan.id,
      added(step('b', 'write', { path: 'patched.md', content: 'two' }, 'hold')),
    );
    expect(patch.status).toBe('needs_approval');
    const view = viewPlan(await instance.service.card(plan.id, { user: ana.id, timezone: 'UTC' }));
    expect(JSON.stringify(view)).toContain('Overwrites patched.md (1.2 KB');
    await writeFile(at('patched.md'), 'somebody else’s');
    await approve({ ...plan, version: patch.version, digest: patch.digest });
    await resume(plan.id);
    const asked = await becomes(plan.id, 'b', 'waiting');
    expect(asked.question).toContain('It was 1,234 bytes');
    expect(await textAt('patched.md')).toBe('somebody else’s');
  });

  test('looks at the target of the last arguments that it gives a step', async () => {
    await writeFile(at('last.md'), 'there');
    const plan = await propose(step('a', 'write', { path: 'first.md', content: 'one' }));
    const give = (path: string): PatchOperation => ({
      op: 'update_steps',
      steps: { ids: ['a'] },
      set: { args: { path, content: 'two' } },
    });
    await change(plan.id, give('elsewhere.md'), give('last.md'));
    const { steps } = await instance.service.listSteps(plan.id, { limit: 10 });
    expect(steps.map(({ seen }) => seen?.state)).toEqual(['exists']);
    expect(steps[0]?.call.target?.size).toBe(5);
    await checkPlan(instance.db.query, plan.id);
  });

  test('keeps what was seen where it gives no arguments', async () => {
    const plan = await propose(step('a', 'write', { path: 'kept.md', content: 'one' }));
    await writeFile(at('kept.md'), 'appeared');
    await change(plan.id, { op: 'update_steps', steps: { ids: ['a'] }, set: { priority: 3 } });
    const [kept] = await instance.service.getSteps(plan.id, ['a']);
    expect(kept?.seen?.state).toBe('new');
  });

  test('says nothing of what a step of the plan makes that still has to run, and looks at what one made', async () => {
    const plan = await propose(
      step('done', 'write', { path: 'done-before.md', content: 'one' }),
      { ...hold, after: ['done'] },
      step('later', 'write', { path: 'made-later.md', content: 'one' }, 'hold'),
      draftStep('pause', 'Pause', 'control_noop', {}, 'later'),
    );
    await approve(plan);
    await becomes(plan.id, 'hold', 'waiting');
    const patch = await change(
      plan.id,
      added(step('x', 'write', { path: 'made-later.md', content: 'two' }, 'pause')),
      added(step('y', 'write', { path: 'done-before.md', content: 'two' }, 'done')),
    );
    await approve({ ...plan, version: patch.version, digest: patch.digest });
    const steps = await instance.service.getSteps(plan.id, ['x', 'y']);
    const states = Object.fromEntries(steps.map(({ id, seen }) => [id, seen?.state ?? null]));
    expect(states).toEqual({ x: null, y: 'exists' });
  });
});

describe('a plan asks nothing', () => {
  test('when what it touches is as it was', async () => {
    await writeFile(at('same.md'), 'old');
    const plan = await propose(step('a', 'write', { path: 'same.md', content: 'new' }));
    await approve(plan);
    await reach(instance, plan.id, 'completed');
    expect(await textAt('same.md')).toBe('new');
  });

  test('when the file holds already what it writes', async () => {
    const plan = await propose(step('a', 'write', { path: 'done.md', content: 'done' }));
    await writeFile(at('done.md'), 'done');
    await approve(plan);
    await reach(instance, plan.id, 'completed');
  });

  test('when it creates, moves and deletes its own file', async () => {
    const plan = await propose(
      step('a', 'write', { path: 'own.md', content: 'x' }),
      step('b', 'move', { from: 'own.md', to: 'shelf/own.md' }, 'a'),
      step('c', 'delete', { path: 'shelf', recursive: true }, 'b'),
    );
    await approve(plan);
    await reach(instance, plan.id, 'completed');
  });
});

test('a change that repeats the arguments of a step leaves what it was approved against', async () => {
  await writeFile(at('report.md'), 'ours');
  const plan = await propose(
    draftStep('hold', 'Wait', 'human_task', { question: '?' }),
    step('a', 'write', { path: 'report.md', content: 'new' }, 'hold'),
  );
  await approve(plan);
  await becomes(plan.id, 'hold', 'waiting');
  await writeFile(at('report.md'), 'written by a colleague');
  const { revision } = await instance.service.overview(plan.id);
  const args = { path: 'report.md', content: 'new' };
  const operations: PatchOperation[] = [
    { op: 'update_steps', steps: { ids: ['a'] }, set: { args } },
  ];
  await instance.service.patch(plan.id, { base_revision: revision, operations }, ana);
  const steps = { hold: 'done' as const };
  await instance.service.resume(plan.id, { version: 2, steps, answer: 'yes' }, ana);
  const asked = await becomes(plan.id, 'a', 'waiting');
  expect(asked.question).toContain('changed');
  expect(await textAt('report.md')).toBe('written by a colleague');
});
