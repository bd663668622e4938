// The trace of plans, ended runs and running planners.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Planner } from '#domain/planning/run.ts';
import { PlanningState } from '#domain/planning/state.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import { keepInDatabase } from '#planner/controller/checkpoints.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let instance: TestInstance;
// May open before or after the request.
const gate = Promise.withResolvers<void>();

const entry = (more: Partial<TraceEntry>): TraceEntry => ({
  stage: 'COLLECT_CONTEXT',
  tool: 'gpt-4.1',
  at: '2026-02-03T14:00:00.000Z',
  duration_ms: 40,
  ok: true,
  confidence: null,
  cost_delta: 0.01,
  explanation: 'calls submit_plan',
  turn: 1,
  ...more,
});
const entries = [
  entry({}),
  entry({
    tool: 'controller',
    duration_ms: 0,
    cost_delta: 0,
    event: 'sufficient_context',
    to: 'DRAFT_OUTLINE',
  }),
];

const planner: Planner = {
  name: 'traced planner',
  async plan({ text }) {
    if (text === 'slow') await gate.promise;
    return {
      result: { kind: 'proposal', draft: { title: text, steps: [noop('a')] } },
      reason: 'a plan, because it was asked for',
      planner: 'traced planner',
      confidence: null,
      cost_usd: 0.01,
      trace: entries,
      session: null,
    };
  },
};

beforeAll(async () => {
  instance = await openTestInstance(database.url, { planner });
});
afterAll(async () => {
  gate.resolve();
  await instance.close();
});

async function planned(runId: string): Promise<string> {
  const run = await waitFor('a plan', async () => {
    const view = await instance.service.getRun(runId);
    return view.plan_id === undefined ? null : view;
  });
  return run.plan_id ?? '';
}

describe('the trace', () => {
  test('of a plan is that of its run: entries, the way through the stages, and what it came to', async () => {
    const { run_id } = await instance.service.startRun({ text: 'quick' }, ana);
    const id = await planned(run_id);
    const trace = await instance.service.trace(id);
    expect(trace).toMatchObject({
      run_id,
      planner: 'traced planner',
      reason: 'a plan, because it was asked for',
      path: [
        { turn: 1, stage: 'COLLECT_CONTEXT', event: 'sufficient_context', to: 'DRAFT_OUTLINE' },
      ],
      totals: { cost_usd: 0.01, duration_ms: 40, turns: 1, calls: 1, failed: 0, remembered: 0 },
      open_calls: [],
    });
    expect(trace.entries.slice(0, 2)).toEqual(entries);
    expect(await instance.service.runTrace(run_id)).toEqual(trace);
  });

  test('of a run under way holds what its planner has done so far, and calls that have not come back', async () => {
    const { run_id } = await instance.service.startRun({ text: 'slow' }, ana);
    expect(await instance.service.runTrace(run_id)).toMatchObject({ entries: [], path: [] });
    const state = PlanningState.parse({
      thread_id: 'user_ana:new',
      run_id,
      turn: 1,
      stage: 'DRAFT_OUTLINE',
      now: '2026-02-03T14:00:00.000Z',
      timezone: 'UTC',
      trace: entries,
    });
    await keepInDatabase(instance.db.query, () => {}).append(state, null, 0);
    await instance.db.query.execute(sql`
      insert into countersign.model_calls (run_id, turn, "user", model, stage, estimate_usd)
      values (${run_id}, 1, 'ana', 'gpt-4.1', 'DRAFT_OUTLINE', 0.07)`);
    const trace = await instance.service.runTrace(run_id);
    expect(trace.entries).toEqual(entries);
    expect(trace.path).toHaveLength(1);
    expect(trace.open_calls).toMatchObject([{ stage: 'DRAFT_OUTLINE', estimate_usd: 0.07 }]);
    gate.resolve();
    const id = await planned(run_id);
    expect((await instance.service.trace(id)).entries.slice(0, 3)).toEqual(entries);
  });

  test('of a plan that nobody planned here is empty', async () => {
    const { id } = await instance.service.propose(
      { title: 'As it stands', steps: [noop('a')] },
      {},
      ana,
    );
    expect(await instance.service.trace(id)).toMatchObject({
      run_id: null,
      entries: [],
    });
  });
});
