import { describe, expect, it } from 'vitest';
import { viewTrace } from '#cards/trace-view.ts';
import { nameEvent, nameStage } from '#cards/trace-words.ts';
import { Stage, StageEvent } from '#domain/planning/stages.ts';
import { makeEntry, makeTrace } from '../../fixtures/traces.ts';

const stagesOf = (...entries: ReturnType<typeof makeEntry>[]) =>
  viewTrace(makeTrace({ run_id: 'run_1', entries })).stages;

const leave = (more: Parameters<typeof makeEntry>[0] = {}) =>
  makeEntry({ tool: 'controller', event: 'low_confidence', to: 'COLLECT_CONTEXT', ...more });

describe('the stages of a trace', () => {
  it('begin anew with each transition, also into the same stage, and with each turn', () => {
    const stages = stagesOf(makeEntry(), leave(), makeEntry(), makeEntry(), makeEntry({ turn: 2 }));
    expect(stages.map(({ turn, lines, end }) => [turn, lines.length, end?.text])).toEqual([
      [1, 1, 'low confidence, retried → Collect context'],
      [1, 2, undefined],
      [2, 1, undefined],
    ]);
  });

  it('of planners without the table keep their names', () => {
    const stages = stagesOf(makeEntry({ stage: 'plan' }), makeEntry({ stage: 'plan' }));
    expect(stages.map(({ title, lines }) => [title, lines.length])).toEqual([['plan', 2]]);
  });

  it('show a person’s decision with the transition it made', () => {
    const [stage] = stagesOf(
      leave({
        stage: 'NEEDS_CLARIFICATION',
        event: 'decide',
        to: 'SEEK_APPROVAL',
        decision: 'approve by ana',
      }),
    );
    expect(stage?.lines.map(({ name, state }) => [name, state])).toEqual([
      ['approve by ana', 'Decided'],
    ]);
    expect(stage?.end?.text).toBe('a person decided → Ask for approval');
  });

  it('say what is missing where a model gave no self-assessment', () => {
    const parts = { self: null, rules: 0.5, heuristics: 0.25, composite: 0.4 };
    const [stage] = stagesOf(leave({ parts }));
    expect(stage?.end?.confidence).toBe(
      'fair (0.40): no self-assessment, rules 0.50, heuristics 0.25',
    );
  });

  it.each([
    ['added', '+', 'linked'],
    ['removed', '−', 'unlinked'],
    ['moved', '~', 'rescheduled'],
  ] as const)('mark what was %s with %s, and what was %s', (one, symbol, other) => {
    const adaptations = [one, other].map((what) => ({
      what,
      node: '3',
      introduced_by: 'user_feedback' as const,
      why: 'because',
    }));
    const [stage] = stagesOf(makeEntry({ adaptations }));
    expect(stage?.lines[0]?.notes).toEqual([
      { symbol, tone: 'default', text: `${one} 3 after feedback: because` },
      { symbol, tone: 'default', text: `${other} 3 after feedback: because` },
    ]);
  });

  it('have words for every stage and every event of the table', () => {
    for (const stage of Stage.options) expect(nameStage(stage)).not.toContain('_');
    for (const event of StageEvent.options) expect(nameEvent(event)).not.toContain('_');
  });
});

describe('what a trace says besides', () => {
  it('is that nothing has been planned yet, where a run has no entries', () => {
    expect(viewTrace(makeTrace({ run_id: 'run_1' })).empty).toBe('Nothing has been planned yet.');
  });

  it('names no cost where there was none', () => {
    const entries = [makeEntry({ duration_ms: 3 })];
    const totals = { ...makeTrace().totals, calls: 1, turns: 1, duration_ms: 3 };
    expect(viewTrace(makeTrace({ entries, totals })).totals).toBe('3 ms · no cost · 1 call');
  });
});
