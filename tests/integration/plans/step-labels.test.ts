// A step keeps its first label through all changes.
import { readFile } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import { labelSteps } from '#domain/plan/step-numbers.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, noop, reach, runPlan } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance({});

const hold = draftStep('hold', 'Wait for ana', 'human_task', {
  question: 'Go on?',
  assignee: 'ana',
});
const write = (id: string, ...after: string[]) =>
  draftStep(id, `Write ${id}`, 'workspace_write', { path: `${id}.txt`, content: id }, ...after);

async function labelsOf(id: string): Promise<Record<string, string>> {
  const { steps } = await instance.service.listSteps(id, { limit: 200 });
  return Object.fromEntries(steps.map((step) => [step.id, step.label]));
}

async function patch(id: string, ...operations: PatchOperation[]) {
  const { revision } = await instance.service.overview(id);
  return instance.service.patch(id, { base_revision: revision, operations }, ana);
}

const textOf = async (id: string) =>
  drawText(viewPlan(await instance.service.card(id, { user: 'ana', timezone: 'UTC' })));

test('a change renumbers nothing, and says its steps by their labels', async () => {
  const steps = [hold, write('a', 'hold'), write('b', 'hold'), write('c', 'b')];
  const { id } = await runPlan(instance, steps);
  await waitFor('the question', async () => {
    const { counts } = await instance.service.getPlan(id);
    return counts.waiting === 1 ? true : null;
  });
  expect(await labelsOf(id)).toEqual({ hold: '1', a: '2a', b: '2b', c: '3' });
  const narrowed = await patch(id, { op: 'remove_steps', steps: { ids: ['a'] } });
  expect(narrowed.status).toBe('applied');
  expect(narrowed.changes).toEqual(['Removes step 2a.']);
  expect(await labelsOf(id)).toMatchObject({ hold: '1', b: '2b', c: '3' });

  const widened = await patch(
    id,
    { op: 'add_step', step: { ...write('legal', 'b'), description: 'Ask legal' } },
    { op: 'add_dependency', step: 'c', after: { id: 'legal', type: 'FS', lag_minutes: 0 } },
  );
  expect(widened.widening).toEqual([
    'Adds step 4: workspace_write of legal.txt, which changes something.',
  ]);
  expect(widened.changes.join(' ')).toMatch(
    /Adds step 4: workspace_write .*after step 2b\. .*Step 3 waits for step 4\.$/,
  );
  expect(await textOf(id)).not.toMatch(/steps? (?:hold|legal)/i);
  await instance.service.approve(id, { version: widened.version, digest: widened.digest }, ana);
  expect(await labelsOf(id)).toMatchObject({ hold: '1', b: '2b', c: '3', legal: '4' });
  const { steps: shown, labels } = await instance.service.card(id, {
    user: 'ana',
    timezone: 'UTC',
  });
  expect(shown.map(({ id: step }) => labels[step])).toEqual(shown.map(({ label }) => label));
});

test('a large plan calls its steps by their places, and so what is added to it', async () => {
  const steps = [hold, ...Array.from({ length: 29 }, (_, i) => noop(`s${i}`, 'hold'))];
  const { id } = await runPlan(instance, steps);
  const change = await patch(id, { op: 'add_step', step: write('late', 's28') });
  expect(change.changes[0]).toMatch(/^Adds step 31: .*after step 30\./);
  await instance.service.approve(id, { version: change.version, digest: change.digest }, ana);
  expect(await labelsOf(id)).toMatchObject({ hold: '1', s28: '30', late: '31' });
});

test('a call that takes what an earlier step gives names that step by its label', async () => {
  const copy = {
    ...write('copy'),
    args: { path: 'b.txt', content: { $from: 'fetch', path: '/text' } },
  };
  const read = { ...noop('fetch'), tool: 'workspace', operation: 'read', args: { path: 'a.txt' } };
  const { id } = await instance.service.propose({ title: 'Copy', steps: [read, copy] }, {}, ana);
  expect(await textOf(id)).toMatch(/text of step 1/);
});

test('plans from before labels were kept are called as their cards called them', async () => {
  const shapes = [
    [noop('a'), noop('b'), noop('c', 'a', 'b'), noop('d', 'a'), noop('e', 'c', 'd')],
    Array.from({ length: 24 }, (_, i) => noop(`${i}`, ...(i < 2 ? [] : [`${i - 2}`, `${i - 1}`]))),
    Array.from({ length: 25 }, (_, i) => noop(`${i}`)),
  ];
  const plans = [];
  for (const steps of shapes)
    plans.push(await instance.service.propose({ title: 'Old', steps }, {}, ana));
  const given = await Promise.all(plans.map(({ id }) => labelsOf(id)));
  const migration = await readFile('migrations/0028_step_labels.sql', 'utf8');
  const [, fill = ''] = migration.split('--> statement-breakpoint');
  await instance.db.query.execute(sql`update countersign.plan_steps set label = null`);
  await instance.db.query.execute(sql.raw(fill));
  expect(await Promise.all(plans.map(({ id }) => labelsOf(id)))).toEqual(given);
  expect(Object.values(given[0] ?? {})).toEqual(['1a', '1b', '2a', '2b', '3']);
});

test.each([
  [24, '1b'],
  [25, '3'],
])('of %i steps says that %s failed, as its card calls it', async (count, label) => {
  const others = Array.from({ length: count - 3 }, (_, i) => noop(`s${i}`, 'first'));
  const gone = draftStep('gone', 'Delete what is not there', 'workspace_delete', {
    path: 'none.md',
  });
  const steps = [noop('first'), noop('second', 'first'), gone, ...others];
  const { id } = await runPlan(instance, steps);
  const failed = await reach(instance, id, 'failed');
  expect(failed.result_summary).toMatch(new RegExp(`^Step ${label} failed: .*none\\.md`));
  const card = await instance.service.card(id, { user: 'ana', timezone: 'UTC' });
  expect(labelSteps(card.steps, card.plan.total_steps).get('gone')).toBe(label);
});
