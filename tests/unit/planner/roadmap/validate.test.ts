import { describe, expect, it } from 'vitest';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap, RoadmapEdge } from '#domain/planning/roadmap.ts';
import { validateRoadmap } from '#planner/roadmap/validate.ts';
import { edge, node, outlineOf, phase, read, task, write } from './outlines.ts';

function roadmapOf(outline: PlanOutline, edges: RoadmapEdge[], waves: string[][]): Roadmap {
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
    waves,
    edges,
    options_tried: [{ name: 'as said', differs: 'Nothing.', metrics, score: 1 }],
    chosen: 'as said',
    reason: 'It is the only one.',
  };
}

function check(outline: PlanOutline, edges: RoadmapEdge[], waves: string[][]) {
  return validateRoadmap(outline, roadmapOf(outline, edges, waves)).map(
    ({ code, blocking }) => `${code}${blocking ? '' : ' (minor)'}`,
  );
}

const two = outlineOf([task('a'), task('b')]);
const together = [['a', 'b']];

describe('a roadmap', () => {
  it('that keeps what was said is sound', () => {
    const outline = outlineOf([task('a'), task('b', { after: ['a'] })]);
    expect(check(outline, [edge('a', 'b')], [['a'], ['b']])).toEqual([]);
    expect(check(two, [], together)).toEqual([]);
    expect(check(two, [edge('a', 'b', { why: 'strategy' })], [['a'], ['b']])).toEqual([]);
  });

  it.each([
    ['unknown_node', [edge('a', 'zz')], together],
    ['self_edge', [edge('a', 'a')], together],
    ['part_edge', [edge('goal', 'a')], together],
    ['cycle', [edge('a', 'b'), edge('b', 'a')], together],
    ['unknown_node', [], [['a', 'b', 'zz']]],
    ['wave_twice', [], [['a', 'b'], ['a']]],
    ['unreachable', [], [['a']]],
    ['wave_order', [edge('a', 'b')], together],
    ['wave_order', [edge('a', 'b')], [['b'], ['a']]],
  ])('has %s', (code, edges, waves) => {
    expect(check(two, edges, waves)).toEqual([code]);
  });

  it('may say an edge once', () => {
    expect(check(two, [edge('a', 'b'), edge('a', 'b')], [['a'], ['b']])).toEqual([
      'duplicate_edge (minor)',
    ]);
  });

  it('keeps what was said, with its type and lag', () => {
    const outline = outlineOf([
      task('a'),
      task('b', { after: [{ id: 'a', type: 'FS', lag_minutes: 60 }] }),
    ]);
    const waves = [['a'], ['b']];
    expect(check(outline, [edge('a', 'b', { lag_minutes: 60 })], waves)).toEqual([]);
    expect(check(outline, [edge('a', 'b', { lag_minutes: 90 })], waves)).toEqual([]);
    expect(check(outline, [edge('a', 'b', { lag_minutes: 59 })], waves)).toEqual(['stated_order']);
    expect(check(outline, [edge('a', 'b', { type: 'SS', lag_minutes: 60 })], [['a', 'b']])).toEqual(
      ['stated_order'],
    );
    expect(check(outline, [edge('b', 'a')], [['b'], ['a']])).toEqual(['stated_order']);
  });

  it('keeps what was said where it follows from other edges', () => {
    const outline = outlineOf([task('a'), task('b'), task('c', { after: ['a'] })]);
    const waves = [['a'], ['b'], ['c']];
    expect(check(outline, [edge('a', 'b'), edge('b', 'c')], waves)).toEqual([]);
    expect(check(outline, [edge('a', 'b', { lag_minutes: -5 }), edge('b', 'c')], waves)).toEqual([
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
    expect(check(outline, [edge('a', 'b', { why: 'data' }), bc], [['a'], ['b'], ['c']])).toEqual(
      [],
    );
    expect(check(outline, [bc], [['a', 'b'], ['c']])).toEqual(['output_before_made']);
    expect(check(outline, [edge('a', 'b', { type: 'SS' }), bc], [['a', 'b'], ['c']])).toEqual([
      'output_before_made',
    ]);
    expect(check(outline, [edge('a', 'b')], [['a'], ['b', 'c']])).toEqual(['step_order']);
  });

  it('has no steps that wait for each other inside a node', () => {
    const outline = outlineOf([
      node('a', { steps: [write('1', { after: ['2'] }), write('2', { after: ['1'] })] }),
    ]);
    expect(check(outline, [], [['a']])).toEqual(['step_cycle']);
  });

  it('does not turn phases round; letting them go is worth a word', () => {
    const phases = outlineOf([
      phase('p'),
      task('a', { parent: 'p' }),
      phase('q'),
      task('b', { parent: 'q' }),
    ]);
    expect(check(phases, [edge('p', 'q')], [['a'], ['b']])).toEqual([]);
    expect(check(phases, [edge('b', 'a')], [['b'], ['a']])).toEqual(['phase_order']);
    expect(check(phases, [], together)).toEqual(['phase_order (minor)']);
  });

  it('lets what was said turn phases round', () => {
    const phases = outlineOf([
      phase('p'),
      task('a', { parent: 'p', after: ['b'] }),
      phase('q'),
      task('b', { parent: 'q' }),
    ]);
    expect(check(phases, [edge('b', 'a')], [['b'], ['a']])).toEqual(['phase_order (minor)']);
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
    expect(check(outline, [edge('a', 'b')], [['a'], ['b']])).toEqual(['series_edge (minor)']);
  });

  it('is told at most ten faults of a kind', () => {
    const many = outlineOf(Array.from({ length: 50 }, (_, at) => task(`n${at}`)));
    expect(check(many, [], [])).toHaveLength(10);
  });
});
