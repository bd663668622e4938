// What a new user types, with no model configured: the plan is sensible, and what was approved is what happens.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Plan } from '#domain/plan/plan.ts';
import type { VersionDiff } from '#domain/plan/views.ts';
import type { RunView } from '#domain/planning/run.ts';
import { useDatabase } from '../setup/database.ts';
import { readFiles } from '../setup/files.ts';
import type { Client } from '../setup/http-client.ts';
import { usePrograms } from '../setup/process.ts';

const databases = { builtin: useDatabase(), talk: useDatabase() };
const programs = usePrograms();
const ReminderOutput = z.object({ next: z.array(z.string()) });

/** Asks, expects a plan that waits, approves it, and waits for its end. */
async function askAndApprove(api: Client, text: string): Promise<{ run: RunView; plan: Plan }> {
  const run = await api.ask(text);
  expect(run).toMatchObject({ planning_status: 'needs_clarification' });
  const proposed = await api.plan(run.plan_id ?? '');
  expect(proposed).toMatchObject({ status: 'proposed', planner_model: 'offline planner' });
  expect((await api.approve(proposed)).status).toBe(200);
  return { run, plan: await api.reach(proposed.id, 'completed', 'failed') };
}

describe('without a model', () => {
  let api: Client;
  let files: string;
  beforeAll(async () => {
    const home = await programs.home();
    files = join(home, 'workspace');
    ({ api } = await programs.serve({ home, database: databases.builtin.url }));
  });

  it('creates a note and moves it', async () => {
    const { run, plan } = await askAndApprove(
      api,
      'Create notes/standup.md saying "Standup at 9:30", then move it to archive/standup.md',
    );
    expect(run.response_text).toContain('archive/standup.md');
    expect(run.response_text).toMatch(/Reply .approve., .propose changes: …. or .reject.\.$/);
    expect(plan.tools_required).toContain('workspace_write');
    expect(plan.status).toBe('completed');
    expect(await readFiles(files)).toEqual({ 'archive/standup.md': 'Standup at 9:30' });
  });

  it('writes three files with their own names, and lists them after that', async () => {
    const { plan } = await askAndApprove(
      api,
      'Write "a.txt" to a.txt and write "b.txt" to b.txt and write "c.txt" to c.txt, then list the workspace',
    );
    expect(plan).toMatchObject({ status: 'completed', total_steps: 4 });
    expect(await readFiles(files)).toMatchObject({
      'a.txt': 'a.txt',
      'b.txt': 'b.txt',
      'c.txt': 'c.txt',
    });
    const steps = await api.steps(plan.id);
    const list = steps.at(-1);
    expect(list?.effect).toBe('read');
    expect(list?.after.map(({ id }) => id)).toEqual(steps.slice(0, 3).map(({ id }) => id));
    for (const name of ['a.txt', 'b.txt', 'c.txt']) expect(list?.result_summary).toContain(name);
  });

  it('fails at the missing file it should delete', async () => {
    const before = await readFiles(files);
    const { plan } = await askAndApprove(api, 'Delete archive/old.md');
    expect(plan.status).toBe('failed');
    expect(plan.result_summary).toMatch(/^Step 1 failed: “?There is no archive\/old\.md/);
    expect(plan.guarded_operations).toEqual(['workspace_delete']);
    expect(await readFiles(files)).toEqual(before);
  });

  it('sets a reminder for every weekday', async () => {
    const { plan } = await askAndApprove(api, 'Remind me every weekday at 9:30: post the standup');
    expect(plan.status).toBe('completed');
    const [step] = await api.steps(plan.id);
    expect(step).toMatchObject({
      tool: 'reminder',
      operation: 'set',
      args: { timezone: 'Europe/Madrid' },
    });
    const { next } = ReminderOutput.parse(step?.output);
    expect(next).toHaveLength(3);
    for (const time of next) {
      expect(time).toMatch(/T09:30:00\+0[12]:00$/);
      expect([1, 2, 3, 4, 5]).toContain(new Date(time).getUTCDay());
    }
  });

  it('answers a question without a plan', async () => {
    const run = await api.ask('What is in the workspace?');
    expect(run).toMatchObject({ planning_status: 'complete', cost_usd: 0 });
    expect(run.plan_id).toBeUndefined();
    expect(run.response_text).toContain('a.txt');
  });

  it('proposes nothing that it cannot read, and each nearest form plans as it stands', async () => {
    const { body: before } = await api.get('/api/plans');
    const run = await api.ask('Book me a flight to Rome tomorrow at 9:00');
    expect(run.planning_status).toBe('needs_clarification');
    expect(run.plan_id).toBeUndefined();
    expect((await api.get('/api/plans')).body).toEqual(before);
    const options = [...run.response_text.matchAll(/^ *\d\) (.+)$/gm)].map(([, one = '']) => one);
    expect(options).toHaveLength(2);
    for (const option of options) expect((await api.ask(option)).plan_id).toBeDefined();
  });
});

describe('a plan that is talked about', () => {
  let api: Client;
  let files: string;
  beforeAll(async () => {
    const home = await programs.home();
    files = join(home, 'workspace');
    ({ api } = await programs.serve({ home, database: databases.talk.url }));
  });

  async function askForPlan(text: string): Promise<{ run: RunView; plan: Plan }> {
    const run = await api.ask(text);
    return { run, plan: await api.plan(run.plan_id ?? '') };
  }

  it('comes back changed as proposed, with the difference shown, and the old card approves nothing', async () => {
    const { run, plan } = await askForPlan('Create changed.txt saying "Hello"');
    const path = `/api/plans/${plan.id}`;
    const answer = await api.reply(
      run.run_id,
      'propose changes: use kept.txt instead of changed.txt',
    );
    expect(answer).toMatchObject({ planning_status: 'needs_clarification', plan_id: plan.id });
    const second = await api.plan(plan.id);
    expect(second).toMatchObject({ status: 'proposed', version: 2 });
    expect(second.digest).not.toBe(plan.digest);
    expect(second.rejection_history).toMatchObject([
      { version: 1, by: 'local', feedback: 'use kept.txt instead of changed.txt' },
    ]);
    const diff = (await api.get<VersionDiff>(`${path}/versions/1..2`)).body;
    expect(diff).toMatchObject({ from: 1, to: 2, added: [], removed: [] });
    expect(diff.changed).toMatchObject([{ id: '1', fields: expect.arrayContaining(['args']) }]);

    const late = await api.approve(plan);
    expect(late.status).toBe(409);
    expect(late.body).toMatchObject({
      code: 'stale_version',
      current: { version: 2, digest: second.digest },
      changes: { from: 1, to: 2, changed: diff.changed },
    });
    expect((await api.approve(second)).status).toBe(200);
    await api.reach(plan.id, 'completed');
    expect(Object.keys(await readFiles(files))).toEqual(['kept.txt']);
  });

  it('waits for a person after the third refusal, and runs when that person approves', async () => {
    const { run, plan } = await askForPlan('Create one.txt saying "Hello"');
    for (const name of ['two', 'three']) {
      const now = await api.plan(plan.id);
      const refused = await api.post<Plan>(`/api/plans/${plan.id}/propose-changes`, {
        version: now.version,
        feedback: `use ${name}.txt instead of ${name === 'two' ? 'one' : 'two'}.txt`,
      });
      expect(refused.status).toBe(200);
      await api.reach(plan.id, 'proposed');
    }
    const third = await api.plan(plan.id);
    expect(third.version).toBe(3);
    const refused = await api.post<Plan>(`/api/plans/${plan.id}/propose-changes`, {
      version: 3,
      feedback: 'use four.txt instead of three.txt',
    });
    expect(refused.body).toMatchObject({ status: 'needs_review', version: 3 });
    expect(refused.body.rejection_history).toHaveLength(3);
    expect((await api.get<RunView>(`/api/runs/${run.run_id}`)).body.response_text).toContain(
      'three times',
    );
    await api.reply(run.run_id, 'approve');
    await api.reach(plan.id, 'completed');
    expect(await readdir(files)).toContain('three.txt');
    expect(await readdir(files)).not.toContain('four.txt');
  });

  it('is approved by the word alone, and by nothing that only sounds like it', async () => {
    const { run, plan } = await askForPlan('Create word.txt saying "Hello"');
    for (const talk of ['I approve of that', 'yes', 'ok, go ahead', 'approve it', 'looks good'])
      await api.reply(run.run_id, talk);
    expect((await api.plan(plan.id)).approvals).toEqual([]);
    expect(await readdir(files)).not.toContain('word.txt');
  });

  it('is approved by the word', async () => {
    const { run, plan } = await askForPlan('Create approved.txt saying "Hello"');
    const after = await api.reply(run.run_id, ' Approve ');
    expect(after.response_text).toContain('approved by local');
    expect(await api.reach(plan.id, 'completed')).toMatchObject({ decided_by: 'local' });
    expect(await readFile(join(files, 'approved.txt'), 'utf8')).toBe('Hello');
  });

  it('is rejected by the word, and nothing has run', async () => {
    const { run, plan } = await askForPlan('Create rejected.txt saying "Hello"');
    await api.reply(run.run_id, 'reject');
    expect(await api.plan(plan.id)).toMatchObject({ status: 'rejected', decided_by: 'local' });
    expect((await api.approve(plan)).status).toBe(409);
    expect(await readdir(files)).not.toContain('rejected.txt');
  });

  it('runs the steps that were approved and leaves the others out', async () => {
    await mkdir(join(files, 'partial'), { recursive: true });
    await writeFile(join(files, 'partial', 'before.txt'), 'before');
    const { plan } = await askForPlan(
      'Write "a.txt" to partial/a.txt and write "b.txt" to partial/b.txt',
    );
    const [first] = await api.steps(plan.id);
    const { status } = await api.post(`/api/plans/${plan.id}/approve`, {
      version: 1,
      digest: plan.digest,
      steps: [first?.id],
    });
    expect(status).toBe(200);
    await api.reach(plan.id, 'completed');
    expect((await readdir(join(files, 'partial'))).sort()).toEqual(['a.txt', 'before.txt']);
  });
});
