import { describe, expect, it } from 'vitest';
import type { PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import type { Stage } from '#domain/planning/stages.ts';
import { keepInMemory } from '../../../fixtures/memory-planner.ts';
import { limits } from '../planners.ts';
import { request } from '../requests.ts';
import { type Act, type Acts, proposing, script, takesMilestones } from './scripted.ts';

const signal = () => new AbortController().signal;

const proposal = (confidence: number | null = 0.9) => ({
  title: 'Notes',
  summary: 'Both notes exist.',
  steps: [write('1', 'a.txt'), write('2', 'b.txt', ['1'])],
  risks: [],
  confidence,
});

function write(id: string, path: string, after: string[] = []) {
  return {
    id,
    description: `Write ${path}`,
    tool: 'workspace',
    operation: 'write',
    args: JSON.stringify({ path, content: 'x' }),
    after,
  };
}

const straight: Acts = { COLLECT_CONTEXT: proposing(proposal()) };

function stagesOf(outcome: PlanningOutcome): string[] {
  return outcome.trace.flatMap(({ event, to }) =>
    event === undefined ? [] : [`${event} → ${to}`],
  );
}

function next(before: PlanningRequest, more: Partial<PlanningRequest>): PlanningRequest {
  return { ...before, turn: before.turn + 1, decision: { kind: 'said' }, ...more };
}

describe('a request that is plain', () => {
  it('goes through every stage with one call of its reasoner, and comes to a proposal', async () => {
    const { planner, asked } = script(straight);
    const outcome = await planner.plan(request('Write two notes'), signal());
    expect(asked).toEqual(['COLLECT_CONTEXT']);
    expect(stagesOf(outcome)).toEqual([
      'sufficient_context → DRAFT_OUTLINE',
      'drafted → VALIDATE_OUTLINE',
      'valid → DRAFT_ROADMAP',
      'drafted → VALIDATE_ROADMAP',
      'valid → DRAFT_SCHEDULE',
      'drafted → VALIDATE_SCHEDULE',
      'valid → SEEK_APPROVAL',
      'no_response → NEEDS_CLARIFICATION',
    ]);
    expect(outcome.result).toMatchObject({
      kind: 'proposal',
      draft: { title: 'Notes', steps: [{ id: '1' }, { id: '2', after: ['1'] }] },
    });
    expect(outcome.session).toMatchObject({
      stage: 'NEEDS_CLARIFICATION',
      pause: { kind: 'plan' },
    });
  });

  it('is stored under its person, and under its plan once there is one', async () => {
    const { planner, stored } = script(straight);
    const first = request('Write two notes');
    await planner.plan(first, signal());
    expect(new Set(stored.map(({ thread_id }) => thread_id))).toEqual(new Set(['user_ana:new']));
    await planner.plan(next(first, { goal: 'PLAN-00000001' }), signal());
    expect(stored.at(-1)).toMatchObject({ turn: 2, thread_id: 'user_ana:PLAN-00000001' });
  });

  it('holds nothing back that nobody asked to wait', async () => {
    const outcome = await script(straight).planner.plan(request('Write two notes'), signal());
    expect(outcome.result.kind === 'proposal' && outcome.result.draft.steps).toEqual([
      expect.not.objectContaining({ not_before: expect.anything() }),
      expect.not.objectContaining({ not_before: expect.anything() }),
    ]);
  });

  it('stores the session after each transition, by the stage it leads to', async () => {
    const { planner, stored } = script(straight);
    await planner.plan(request('Write two notes'), signal());
    expect(stored.map(({ stage }) => stage)).toEqual<Stage[]>([
      'COLLECT_CONTEXT',
      'DRAFT_OUTLINE',
      'VALIDATE_OUTLINE',
      'DRAFT_ROADMAP',
      'VALIDATE_ROADMAP',
      'DRAFT_SCHEDULE',
      'VALIDATE_SCHEDULE',
      'SEEK_APPROVAL',
      'NEEDS_CLARIFICATION',
    ]);
  });
});

describe('a planner that dies', () => {
  it('is replaced at any transition by one that comes to the same plan and fills no stage twice', async () => {
    const whole = script(straight);
    const one = request('Write two notes');
    const expected = await whole.planner.plan(one, signal());
    for (const [index, state] of whole.stored.entries()) {
      const checkpoints = keepInMemory();
      await checkpoints.append(state, null, 0);
      const { planner, asked } = script(straight, { checkpoints });
      const outcome = await planner.plan(one, signal());
      expect(outcome.result, state.stage).toEqual(expected.result);
      expect(asked, `from ${state.stage}`).toEqual(index === 0 ? ['COLLECT_CONTEXT'] : []);
    }
  });

  it('leaves its place to the other where two are at one turn', async () => {
    const checkpoints = keepInMemory();
    const one = request('Write two notes');
    const late = script(
      {
        COLLECT_CONTEXT: async (task) => {
          // Another planner finishes while this one still thinks.
          await script(straight, { checkpoints }).planner.plan(one, signal());
          return proposing(proposal())(task, 1);
        },
      },
      { checkpoints },
    );
    const outcome = await late.planner.plan(one, signal());
    expect(outcome.result).toEqual({ kind: 'superseded' });
    expect((await checkpoints.read(one.runId))?.state.stage).toBe('NEEDS_CLARIFICATION');
  });

  it('says nothing that counts when it is stopped, and stores nothing of the stage', async () => {
    const stop = new AbortController();
    const { planner, stored } = script({
      COLLECT_CONTEXT: async ({ stageTools }) => {
        stop.abort();
        stageTools.say({ kind: 'aborted', reason: 'cancelled', text: 'Stopped.' }, 'cancelled');
        return 'fatal_error';
      },
    });
    const outcome = await planner.plan(request('Write two notes'), stop.signal);
    expect(outcome.result).toMatchObject({ kind: 'aborted', reason: 'cancelled' });
    expect(stored.map(({ stage }) => stage)).toEqual(['COLLECT_CONTEXT']);
  });
});

describe('how sure it is', () => {
  it.each([
    // 0.5 × self + 0.3 × 1 + 0.2 × 1
    [0.4, 1, 'proposal'],
    [0.39, 3, 'question'],
    [null, 1, 'proposal'],
  ])('with %s of its own is asked %d times and ends with a %s', async (self, times, kind) => {
    const drafts: Acts = {
      COLLECT_CONTEXT: proposing(proposal(self)),
      DRAFT_OUTLINE: proposing(proposal(self)),
    };
    const { planner, asked } = script(drafts);
    const outcome = await planner.plan(request('Write two notes'), signal());
    expect(outcome.result.kind).toBe(kind);
    expect(asked).toHaveLength(times);
  });
});

describe('caps', () => {
  it.each<[string, Act, object]>([
    ['before anything is drafted', takesMilestones, { kind: 'aborted', reason: 'cap_time' }],
    ['with a draft that was submitted', proposing(proposal()), { kind: 'proposal' }],
  ])('on time, %s, end in what there is', async (_, act, result) => {
    let now = Date.parse('2026-03-04T10:00:00Z');
    const clock = { now: () => new Date(now) };
    const { planner, asked } = script(
      {
        COLLECT_CONTEXT: async (task) => {
          now += limits.wallSeconds * 1000;
          return act(task, 1);
        },
      },
      { clock },
    );
    const outcome = await planner.plan(request('Write two notes'), signal());
    expect(outcome.result).toMatchObject(result);
    expect(asked).toHaveLength(1);
  });

  it('try a stage as often as is allowed and no more', async () => {
    for (const retries of [0, 1, 2]) {
      const poor = proposing(proposal(0.1));
      const { planner, asked } = script(
        { COLLECT_CONTEXT: poor, DRAFT_OUTLINE: poor },
        { limits: { ...limits, retries } },
      );
      const outcome = await planner.plan(request('Write two notes'), signal());
      expect(outcome.result.kind).toBe('question');
      expect(asked).toHaveLength(1 + retries);
    }
  });
});
