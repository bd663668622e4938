// kill -9 during drafts, reports and data requests.
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Database } from '#db/database.ts';
import { crashPoints } from '#domain/crash-points.ts';
import { call } from '../fixtures/model-calls.ts';
import { draftStep } from '../fixtures/steps.ts';
import { killed, useCrashes } from '../setup/crash.ts';
import { noop, openTestInstance, reach } from '../setup/instance.ts';

const { openScene, startDying, askDying, resume } = useCrashes(2);

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
    const scene = await openScene(() => ({ text: 'Nothing was done [1].' }));
    const { url, model, db } = scene;
    const server = await startDying(scene, at, { executor: { lease_seconds: 2 } });
    const plan = await server.api.propose(report);
    await server.api.approve(plan);
    expect(await server.exited).toEqual(killed);
    const instance = await openTestInstance(url, { env: { OPENAI_BASE_URL: model.url } });
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
    const scene = await openScene((_, index) =>
      index === 0
        ? call('request_data', { operation: 'workspace_list', args: {}, why: 'to know' })
        : call('answer', { text: 'The workspace is empty.' }),
    );
    const { model, db } = scene;
    const runId = await askDying(scene, at, {
      text: 'What is in the workspace?',
      planning_mode: 'extensive',
    });
    expect(await resume(scene, runId)).toMatchObject({ planning_status: 'complete' });
    const { rows } = await db.query.execute<{ status: string }>(
      sql`select status from countersign.plan_requests`,
    );
    expect(rows).toEqual([{ status: 'fulfilled' }]);
    expect(await countArtifacts(db, 'workspace_list')).toBe(1);
    expect(model.requests).toHaveLength(2);
  });
});
