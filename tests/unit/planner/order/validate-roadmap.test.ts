import { describe, expect, it } from 'vitest';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap, RoadmapEdge } from '#domain/planning/roadmap.ts';
import { validateRoadmap } from '#planner/order/collect-edges.ts';
import { edge, node, outlineOf, phase, read, task, write } from './outlines.ts';

function roadmapOf(outline: PlanOutline, edges: RoadmapEdge[]): Roadmap {
  const metrics = {
    makespan_minutes: 1,
    width: 1,
    unchecked_writes: 0,
    unguarded: 0,
    checkpoints: 0,
  };
  return {
    pattern: outline.pattern,
    context: { notes: [] },
    waves: [],
    edges,
    options_tried: [{ name: 'as said', differs: 'Nothing.', metrics, score: 1 }],
    chosen: 'as said',
    reason: 'It is the only one.',
  };
}

function check(outline: PlanOutline, edges: RoadmapEdge[]) {
  return validateRoadmap(outline, roadmapOf(outline, edges)).map(
    ({ code, blocking }) => `${code}${blocking ? '' : ' (minor)'}`,
  );
}

describe('a roadmap', () => {
  it('that keeps what was said is sound', () => {
    const outline = outlineOf([task('a'), task('b', { after: ['a'] })]);
    expect(check(outline, [edge('a', 'b')])).toEqual([]);
    const two = outlineOf([task('a'), task('b')]);
    expect(check(two, [])).toEqual([]);
    expect(check(two, [edge('a', 'b', { why: 'strategy' })])).toEqual([]);
    expect(check(two, [edge('a', 'b'), edge('b', 'a')])).toEqual(['cycle']);
  });

  it('keeps what was said, with its type and lag', () => {
    const outline = outlineOf([
      task('a'),
      task('b', { after: [{ id: 'a', type: 'FS', lag_minutes: 60 }] }),
    ]);
    expect(check(outline, [edge('a', 'b', { lag_minutes: 60 })])).toEqual([]);
    expect(check(outline, [edge('a', 'b', { lag_minutes: 90 })])).toEqual([]);
    expect(check(outline, [edge('a', 'b', { lag_minutes: 59 })])).toEqual(['stated_order']);
    expect(check(outline, [edge('a', 'b', { type: 'SS', lag_minutes: 60 })])).toEqual([
      'stated_order',
    ]);
    expect(check(outline, [edge('b', 'a')])).toEqual(['stated_order']);
  });

  it('keeps what was said where it follows from other edges', () => {
    const outline = outlineOf([task('a'), task('b'), task('c', { after: ['a'] })]);
    expect(check(outline, [edge('a', 'b'), edge('b', 'c')])).toEqual([]);
    expect(check(outline, [edge('a', 'b', { lag_minutes: -5 }), edge('b', 'c')])).toEqual([
      'stated_order',
    ]);
  });

  it('makes what a step takes before the step', () => {
    const outline = outlineOf([
      node('a', { steps: [read('1')] }),
      node('b', {
        steps: [write('2', { args: { path: 'x', content: { $from: '1', path: '' } } })],
      }),
      node('c', { steps: [write('3', { after: ['2'] })] }),
    ]);
    const bc = edge('b', 'c');
    expect(check(outline, [edge('a', 'b', { why: 'data' }), bc])).toEqual([]);
    expect(check(outline, [bc])).toEqual(['output_before_made']);
    expect(check(outline, [edge('a', 'b', { type: 'SS' }), bc])).toEqual(['output_before_made']);
    expect(check(outline, [edge('a', 'b')])).toEqual(['step_order']);
  });

  it('lets what was said turn phases round', () => {
    const phases = outlineOf([
      phase('p'),
      task('a', { parent: 'p', after: ['b'] }),
      phase('q'),
      task('b', { parent: 'q' }),
    ]);
    expect(check(phases, [edge('b', 'a')])).toEqual(['phase_order (minor)']);
  });

  it('says that nothing waits for what comes again by a rule', () => {
    const recurs = {
      rrule: 'FREQ=WEEKLY',
      starts_at: '2026-03-02T09:00:00Z',
      timezone: 'UTC',
      until: null,
    };
    const outline = outlineOf([
      task('a'),
      task('b', { rhythm: 'recurring', recurs, after: ['a'] }),
    ]);
    expect(check(outline, [edge('a', 'b')])).toEqual(['series_edge (minor)']);
  });

  it('is told at most ten faults of a kind', () => {
    const many = Array.from({ length: 50 }, (_, at) =>
      task(`n${at}`, at === 0 ? {} : { after: ['n0'] }),
    );
    expect(check(outlineOf(many), [])).toHaveLength(10);
  });
});
