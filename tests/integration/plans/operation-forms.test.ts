// Data for a plan builder's form.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { startApi } from '../../fixtures/api.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance();
const viewer = { user: 'ana', timezone: 'Europe/Madrid' };

const draft: PlanDraft = {
  title: 'Two files',
  steps: [
    draftStep('1', 'Write a.txt', 'workspace_write', { path: 'a.txt', content: 'A' }),
    draftStep('2', 'Ask Ben', 'human_confirm', { question: 'Fine?', assignee: 'Ben' }, '1'),
  ],
};

test('operations are found by their purpose, over the API too', async () => {
  const [first] = await instance.service.findOperations('write a file', 5, ana);
  expect(first?.name).toBe('workspace_write');
  const all = await instance.service.findOperations('', 100, ana);
  expect(all.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['workspace_read', 'human_task', 'reminder_set']),
  );
  const api = await startApi({ service: instance.service });
  try {
    const found = await api.get('/api/operations?words=delete%20a%20file&limit=1');
    expect(await found.json()).toMatchObject({
      operations: [{ name: 'workspace_delete', destructive: true }],
    });
    const form = await api.get('/api/operations/workspace_read');
    expect(await form.json()).toMatchObject({
      fields: expect.arrayContaining([
        expect.objectContaining({ name: '/path', required: true, pick: 'file' }),
      ]),
      outputs: expect.arrayContaining([{ path: '/text', label: 'text' }]),
    });
  } finally {
    await api.close();
  }
});

test('files are those of the workspace, people those that plans speak of', async () => {
  await mkdir(join(instance.workspace, 'notes'), { recursive: true });
  await writeFile(join(instance.workspace, 'notes/may.md'), 'May');
  const files = await instance.service.suggestValues('workspace_read', '/path', 'may', ana);
  expect(files).toEqual([{ value: 'notes/may.md', label: 'notes/may.md' }]);
  await instance.service.propose(draft, {}, ana);
  const people = await instance.service.suggestValues('human_task', '/assignee', '', ana);
  expect(people.map(({ value }) => value)).toEqual(['ana', 'Ben']);
});

test('the card of a draft is that of the plan it becomes, and nothing of it is stored', async () => {
  const count = async () => {
    const { rows } = await instance.db.query.execute<{ n: number }>(
      sql`select count(*)::int as n from countersign.plans`,
    );
    return rows[0]?.n;
  };
  const before = await count();
  const facts = await instance.service.previewProposal(draft, {}, viewer, ana);
  expect(await count()).toBe(before);
  const { id } = await instance.service.propose(draft, {}, ana);
  const card = await instance.service.card(id, viewer);
  expect(facts.steps.map(({ label, call }) => [label, call.headline])).toEqual(
    card.steps.map(({ label, call }) => [label, call.headline]),
  );
  expect(facts.plan.status).toBe('proposed');
});

test('what is wrong with a draft is said as at its proposal', async () => {
  const wrong = { ...draft, steps: [draftStep('1', 'Write', 'workspace_write', { path: 'a' })] };
  await expect(instance.service.previewProposal(wrong, {}, viewer, ana)).rejects.toMatchObject({
    code: 'invalid_arguments',
  });
});

test('the steps of a plan that repeats count towards the most that are previewed', async () => {
  const steps = Array.from({ length: 201 }, (_, at) =>
    draftStep(`${at}`, 'Nothing', 'control_noop', {}),
  );
  const series = {
    id: 'daily',
    title: 'Every day',
    rrule: 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0',
    starts_at: '2030-01-01T09:00:00Z',
    timezone: 'Europe/Madrid',
    until: null,
    steps,
  };
  const repeating = { title: 'Often', steps: [], series: [series] };
  await expect(instance.service.previewProposal(repeating, {}, viewer, ana)).rejects.toMatchObject({
    code: 'limit_exceeded',
  });
});
