// Sessions continue from their checkpoint, in one planner only.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import { PlanningState } from '#domain/planning/state.ts';
import { keepInDatabase } from '#planner/controller/checkpoints.ts';
import { listCheckpoints } from '../../fixtures/checkpoints.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
let db: Database;
let warnings: string[];
let runs = 0;
let runId: string;

beforeAll(() => {
  db = openDatabase(database.url, { max: 8, applicationName: 'test', onError: () => {} });
});
afterAll(() => db.close());
beforeEach(() => {
  warnings = [];
  runs += 1;
  runId = `run_${runs}`;
});

const open = () => keepInDatabase(db.query, (message) => warnings.push(message));

const state = (more: Partial<PlanningState> = {}): PlanningState =>
  PlanningState.parse({
    thread_id: 'user_ana:new',
    run_id: runId,
    turn: 1,
    stage: 'COLLECT_CONTEXT',
    now: '2026-02-03T14:00:00.000Z',
    timezone: 'Europe/Madrid',
    ...more,
  });

const outline = (title: string): PlanningState['outline'] => ({
  title,
  summary: 'It is done.',
  pattern: { pattern_type: 'milestone_project', introduced_by: 'system' },
  nodes: [],
  risks: [],
  assumptions: [],
});

async function weights(): Promise<boolean[]> {
  const { rows } = await db.query.execute<{ whole: boolean }>(sql`
    select state <> '{}'::jsonb as whole from countersign.planning_checkpoints
    where run_id = ${runId} order by seq`);
  return rows.map(({ whole }) => whole);
}

describe('a session', () => {
  test('that was never stored is none', async () => {
    expect(await open().read(runId)).toBeNull();
  });

  test('is read as it was last stored, by any process', async () => {
    const first = open();
    expect(await first.append(state(), null, 0)).toBe(1);
    const drafted = state({ stage: 'VALIDATE_OUTLINE', outline: outline('Größe ☂'), calls: 2 });
    expect(await first.append(drafted, { from: 'DRAFT_OUTLINE', event: 'drafted' }, 1)).toBe(2);
    expect(await open().read(runId)).toEqual({ state: drafted, seq: 2 });
  });

  test('keeps what jsonb cannot hold from failing it', async () => {
    const entry = {
      stage: 'DRAFT_OUTLINE',
      tool: 'gpt-4.1',
      at: '2026-02-03T14:00:00.000Z',
      duration_ms: 1,
      ok: false,
      confidence: 0,
      cost_delta: 0,
      explanation: 'a\u0000b \ud800 and \\u0000 as it stands',
    };
    await open().append(state({ trace: [entry] }), null, 0);
    const stored = await open().read(runId);
    expect(stored?.state.trace[0]?.explanation).toBe('a\ufffdb \ufffd and \\u0000 as it stands');
  });

  test('of a shape this version does not know starts anew behind it, with a warning', async () => {
    await open().append(state(), null, 0);
    await db.query.execute(
      sql`update countersign.planning_checkpoints set state = state - 'now' where run_id = ${runId}`,
    );
    const next = open();
    expect(await next.read(runId)).toBeNull();
    expect(warnings).toEqual([expect.stringContaining(runId)]);
    expect(await next.append(state(), null, 0)).toBe(2);
    expect((await open().read(runId))?.seq).toBe(2);
  });
});

describe('two planners of one turn', () => {
  test('store each number once; the second learns that it was overtaken', async () => {
    const [a, b] = [open(), open()];
    await a.append(state(), null, 0);
    const drafted = state({ stage: 'DRAFT_OUTLINE' });
    const transition = { from: 'COLLECT_CONTEXT', event: 'sufficient_context' } as const;
    expect(await a.append({ ...drafted, calls: 1 }, transition, 1)).toBe(2);
    expect(await b.append({ ...drafted, calls: 9 }, transition, 1)).toBeNull();
    expect((await open().read(runId))?.state.calls).toBe(1);
  });

  test('that store at the same moment, twenty of them, leave one', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => open().append(state(), null, 0)),
    );
    expect(all.filter((seq) => seq !== null)).toEqual([1]);
  });
});

describe('a planner of an earlier turn', () => {
  test('cannot store once the next turn has begun', async () => {
    const late = open();
    await late.append(state(), null, 0);
    await open().append(state({ turn: 2 }), null, 1);
    const after = state({ stage: 'DRAFT_OUTLINE' });
    expect(
      await late.append(after, { from: 'COLLECT_CONTEXT', event: 'sufficient_context' }, 1),
    ).toBeNull();
  });

  test('that stored just before does not keep the next turn from beginning', async () => {
    const late = open();
    await late.append(state(), null, 0);
    await late.append(
      state({ stage: 'DRAFT_OUTLINE' }),
      { from: 'COLLECT_CONTEXT', event: 'sufficient_context' },
      1,
    );
    expect(await open().append(state({ turn: 2 }), null, 1)).toBe(3);
    expect((await open().read(runId))?.state.turn).toBe(2);
  });
});

describe('what is kept', () => {
  const walk = async (turn: number, from: number, rest: boolean) => {
    const kept = open();
    let seq = from;
    const stages = [
      'DRAFT_OUTLINE',
      'VALIDATE_OUTLINE',
      ...(rest ? ['COMPLETE' as const] : []),
    ] as const;
    seq = (await kept.append(state({ turn, outline: outline('x') }), null, seq)) ?? 0;
    for (const stage of stages) {
      const next = state({ turn, stage, outline: outline('x') });
      seq = (await kept.append(next, { from: 'COLLECT_CONTEXT', event: 'drafted' }, seq)) ?? 0;
    }
    return seq;
  };

  test('of a turn that has come to rest is its last state and every transition', async () => {
    await walk(1, 0, true);
    expect(await weights()).toEqual([false, false, false, true]);
    expect((await open().read(runId))?.state.stage).toBe('COMPLETE');
    expect(
      (await listCheckpoints(db.query, runId)).map(({ seq, turn, from, event, stage }) => ({
        seq,
        turn,
        from,
        event,
        stage,
      })),
    ).toEqual([
      { seq: 1, turn: 1, from: null, event: null, stage: 'COLLECT_CONTEXT' },
      { seq: 2, turn: 1, from: 'COLLECT_CONTEXT', event: 'drafted', stage: 'DRAFT_OUTLINE' },
      { seq: 3, turn: 1, from: 'COLLECT_CONTEXT', event: 'drafted', stage: 'VALIDATE_OUTLINE' },
      { seq: 4, turn: 1, from: 'COLLECT_CONTEXT', event: 'drafted', stage: 'COMPLETE' },
    ]);
  });

  test('of a turn under way is every state', async () => {
    await walk(1, 0, false);
    expect(await weights()).toEqual([true, true, true]);
  });

  test('of a turn that never rested is its last state, once the next one begins', async () => {
    const seq = await walk(1, 0, false);
    await walk(2, seq, true);
    expect(await weights()).toEqual([false, false, true, false, false, false, true]);
  });
});
