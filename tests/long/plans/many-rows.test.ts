// Five thousand rows, each a letter, and one summary of all of them: without a model, and with one in a few calls.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import type { JsonObject } from '#domain/text.ts';
import * as openai from '../../fixtures/openai-double.ts';
import { expectSoundPlan } from '../../fixtures/sound-plan.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const count = 5000;
const request =
  'For each row in orders.csv: write "Dear <name>" to letters/<id>.md, then summarise to letters-summary.md';
const database = useDatabase();
let model: openai.OpenAiDouble;

/** The model's script: a look at the table, one template, and the plan. */
const calls: { name: string; args: JsonObject }[] = [
  {
    name: 'read',
    args: { operation: 'workspace_read_table', args: { path: 'orders.csv', limit: 3 } },
  },
  {
    name: 'for_each',
    args: {
      id: 'letters',
      title: 'Reminder letters',
      operation: 'workspace_read_table',
      args: { path: 'orders.csv', limit: 1000 },
      list: '/rows',
      paging: { argument: 'offset', next: '/next' },
      step: {
        description: 'Write the reminder for {{item/name}}',
        operation: 'workspace_write',
        args: {
          path: 'letters/{{item/id}}.md',
          content: 'Dear {{item/name}},\nplease pay {{item/owed}}.\n',
        },
      },
      then_summarise: 'How much is owed, and by how many.',
      summary_path: 'letters-summary.md',
    },
  },
  { name: 'submit_plan', args: { title: 'Write reminders', confidence: 0.95 } },
];

beforeAll(async () => {
  model = await openai.start({
    script: ({ tools }, index) => {
      const call = calls[index];
      // The report of the summary is a text without tools.
      if (tools === undefined || call === undefined)
        return { text: 'Everybody owes a little [1].' };
      return { calls: [call] };
    },
  });
});
afterAll(() => model.close());

async function withInstance(
  env: Record<string, string>,
  use: (instance: TestInstance) => Promise<void>,
): Promise<void> {
  const instance = await openTestInstance(database.url, { env });
  try {
    await mkdir(instance.workspace, { recursive: true });
    const rows = Array.from(
      { length: count },
      (_, at) => `${at + 1},Person ${at + 1},${at % 7} EUR`,
    );
    await writeFile(join(instance.workspace, 'orders.csv'), `id,name,owed\n${rows.join('\n')}\n`);
    await use(instance);
  } finally {
    await instance.close();
  }
}

async function planAndRun(instance: TestInstance): Promise<Plan> {
  const { service, workspace } = instance;
  const began = performance.now();
  const { run_id } = await service.startRun({ text: request }, ana);
  const run = await waitFor(
    'the planner',
    async () => {
      const now = await service.getRun(run_id);
      return now.planning_status === 'running' ? null : now;
    },
    { timeoutMs: 60_000 },
  );
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(run.response_text).toContain(
    'Reminder letters (5,000 found): 5,000 steps in 25 partitions, letters-01 to letters-25.',
  );
  const plan = await service.getPlan(run.plan_id ?? '');
  // Each row, what is gathered of each partition, and what is narrowed, written up and saved.
  expect(plan.total_steps).toBe(count + 25 + 3);
  expect(JSON.stringify(plan).length).toBeLessThan(20_000);
  const card = await service.card(plan.id, { user: 'ana', timezone: 'UTC' });
  expect(card.steps.length).toBeLessThan(50);
  expect(JSON.stringify(card).length).toBeLessThan(200_000);
  await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
  const done = await waitFor(
    'the plan to complete',
    async () => {
      const now = await service.getPlan(plan.id);
      return now.status === 'completed' ? now : null;
    },
    { timeoutMs: 150_000 },
  );
  expect(done.counts.succeeded).toBe(done.total_steps);
  expect(await readdir(join(workspace, 'letters'))).toHaveLength(count);
  await expectSoundPlan(instance, plan.id);
  return done;
}

const read = ({ workspace }: TestInstance, path: string) => readFile(join(workspace, path), 'utf8');

describe('five thousand rows are planned within 20 seconds in named partitions, approved once and run', () => {
  test('without a model', async () => {
    await withInstance({}, async (instance) => {
      await planAndRun(instance);
      expect(await read(instance, 'letters/4999.md')).toContain('name: Person 4999');
      expect(await read(instance, 'letters-summary.md')).toContain('5,000 outputs');
      await rm(join(instance.workspace, 'letters'), { recursive: true });
    });
  }, 240_000);

  test('with a model that is called six times at most', async () => {
    await withInstance({ OPENAI_BASE_URL: model.url }, async (instance) => {
      await planAndRun(instance);
      expect(model.requests.filter(({ tools }) => tools !== undefined)).toHaveLength(3);
      expect(model.requests.length).toBeLessThanOrEqual(6);
      expect(await read(instance, 'letters/4999.md')).toContain('Dear Person 4999,');
      expect(await read(instance, 'letters-summary.md')).toContain('Everybody owes a little');
      // The report is written from the draftbook alone, which fits its budget.
      const report = JSON.stringify(model.requests.at(-1)?.messages);
      expect(report.length).toBeLessThan(8000 * 6);
    });
  }, 240_000);
});
