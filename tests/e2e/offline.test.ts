// A new user's requests without a model: the plan is sensible, and what was approved is what happens.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import type { RunView } from '#domain/planning/run.ts';
import { useDatabase } from '../setup/database.ts';
import { readFiles } from '../setup/files.ts';
import type { Client } from '../setup/http-client.ts';
import { usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
let api: Client;
let files: string;

beforeAll(async () => {
  const home = await programs.home();
  files = join(home, 'workspace');
  ({ api } = await programs.serve({ home, database: database.url }));
});

async function askForPlan(text: string): Promise<{ run: RunView; plan: Plan }> {
  const run = await api.ask(text);
  expect(run).toMatchObject({ planning_status: 'needs_clarification' });
  return { run, plan: await api.plan(run.plan_id ?? '') };
}

test('a note is created and moved', async () => {
  const { plan } = await askForPlan(
    'Create notes/standup.md saying "Standup at 9:30", then move it to archive/standup.md',
  );
  expect(plan).toMatchObject({ status: 'proposed', planner_model: 'offline planner' });
  expect(plan.tools_required).toContain('workspace_write');
  expect((await api.approve(plan)).status).toBe(200);
  await api.reach(plan.id, 'completed');
  expect(await readFiles(files)).toEqual({ 'archive/standup.md': 'Standup at 9:30' });
});

test('a plan waits for a person after the third refusal, and runs when that person approves', async () => {
  const { run, plan } = await askForPlan('Create one.txt saying "Hello"');
  const refuse = async (version: number, feedback: string) => {
    const path = `/api/plans/${plan.id}/propose-changes`;
    return (await api.post<Plan>(path, { version, feedback })).body;
  };
  await refuse(1, 'use two.txt instead of one.txt');
  await api.reach(plan.id, 'proposed');
  await refuse(2, 'use three.txt instead of two.txt');
  await api.reach(plan.id, 'proposed');
  const refused = await refuse(3, 'use four.txt instead of three.txt');
  expect(refused).toMatchObject({ status: 'needs_review', version: 3 });
  expect(refused.rejection_history).toHaveLength(3);
  // The run shows the version before a word decides about it.
  await api.get(`/api/runs/${run.run_id}`);
  await api.reply(run.run_id, 'approve');
  await api.reach(plan.id, 'completed');
  expect(await readdir(files)).toContain('three.txt');
  expect(await readdir(files)).not.toContain('four.txt');
});
