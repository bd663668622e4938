// kill -9 while drafts and reports are made and while data is requested, then another process: each is there once, and no reply that was
// stored is paid for again.
import { sql } from 'drizzle-orm';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import { crashPoints } from '#domain/crash-points.ts';
import { call } from '../fixtures/model-calls.ts';
import { settled } from '../fixtures/model-instance.ts';
import { type ChatBody, type OpenAiDouble, start, type Turn } from '../fixtures/openai-double.ts';
import { draftStep } from '../fixtures/steps.ts';
import { freshDatabase } from '../setup/database.ts';
import { noop, openTestInstance, reach } from '../setup/instance.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const programs = usePrograms();
vi.setConfig({ maxConcurrency: 2 });

const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

async function openScene(script: (body: ChatBody, index: number) => Turn) {
  const database = await freshDatabase();
  const model: OpenAiDouble = await start({ script });
  closers.push(model.close);
  const db = openDatabase(database.url, { max: 2, applicationName: 'test', onError: () => {} });
  closers.push(async () => {
    await db.close();
    await database.close();
  });
  return { url: database.url, model, db };
}

async function countArtifacts(db: Database, name: string): Promise<number> {
  const { rows } = await db.query.execute<{ artifacts: number }>(
    sql`select count(*)::int as artifacts from countersign.artifacts where name like ${`${name}%`}`,
  );
  return rows[0]?.artifacts ?? 0;
}

const report = {
  title: 'A report',
  conversation: 'crash',
  steps: [
    { ...noop('a'), partition: 'p' },
    { ...noop('b'), partition: 'p' },
    draftStep('g', 'Gather', 'draft_gather', { partition: 'p' }),
    draftStep('f', 'Report', 'draft_finalise', { draftbook: { $from: 'g' }, task: 'Sum up.' }),
  ],
};

describe.concurrent('a program that is killed', () => {
  it.for(crashPoints.drafts)('at %s makes one report, paid for once', async (at) => {
    const { url, model, db } = await openScene(() => ({ text: 'Nothing was done [1].' }));
    const env = { OPENAI_BASE_URL: model.url };
    const home = await programs.home({ executor: { lease_seconds: 2 } });
    const server = await programs.serve({
      home,
      database: url,
      env: { ...env, COUNTERSIGN_CRASH_AT: at },
    });
    const plan = await server.api.propose(report);
    await server.api.approve(plan);
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const instance = await openTestInstance(url, { env });
    try {
      await reach(instance, plan.id, 'completed');
      const [step] = await instance.service.getSteps(plan.id, ['f']);
      expect(step?.output).toMatchObject({ text: 'Nothing was done.', unsourced: 0 });
    } finally {
      await instance.close();
    }
    expect(model.requests).toHaveLength(1);
    expect(await countArtifacts(db, 'draftbook-')).toBe(1);
    expect(await countArtifacts(db, 'trace-')).toBe(1);
  });

  it.for(crashPoints.requests)('at %s has what was requested once', async (at) => {
    const { url, model, db } = await openScene((_, index) =>
      index === 0
        ? call('request_data', { operation: 'workspace_list', args: {}, why: 'to know' })
        : call('answer', { text: 'The workspace is empty.' }),
    );
    const env = { OPENAI_BASE_URL: model.url };
    const server = await programs.serve({
      home: await programs.home(),
      database: url,
      env: { ...env, COUNTERSIGN_CRASH_AT: at },
    });
    const { body } = await server.api.post<{ run_id: string }>('/api/run', {
      text: 'What is in the workspace?',
      user: 'ana',
      conversation: 'crash',
      planning_mode: 'extensive',
    });
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
    // The queue's own recovery after half a minute of silence.
    await waitFor('the jobs of the dead process', async () => {
      const { rows } = await db.query.execute<{ name: string }>(sql`
        update pgboss.job set state = 'retry', start_after = now(), started_on = null
        where name in ('plan', 'request') and state = 'active' returning name`);
      return rows.some(({ name }) => name === 'plan');
    });
    const instance = await openTestInstance(url, { env });
    try {
      expect(await settled(instance, body.run_id)).toMatchObject({ planning_status: 'complete' });
    } finally {
      await instance.close();
    }
    const { rows } = await db.query.execute<{ status: string }>(
      sql`select status from countersign.plan_requests`,
    );
    expect(rows).toEqual([{ status: 'fulfilled' }]);
    expect(await countArtifacts(db, 'workspace_list')).toBe(1);
    expect(model.requests).toHaveLength(2);
  });
});
