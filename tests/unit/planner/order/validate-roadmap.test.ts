import { expect, it } from 'vitest';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import { validateRoadmap } from '#planner/order/collect-edges.ts';
import { roadmapOf } from '../tools/tool-context.ts';
import { edge, node, outlineOf, phase, read, task, write } from './outlines.ts';

function check(outline: PlanOutline, edges: RoadmapEdge[]) {
  return validateRoadmap(outline, roadmapOf(edges, { pattern: outline.pattern })).map(
    ({ code, blocking }) => `${code}${blocking ? '' : ' (minor)'}`,
  );
}

const recurs = {
  ...{ rrule: 'FREQ=WEEKLY', starts_at: '2026-03-02T09:00:00Z' },
  ...{ timezone: 'UTC', until: null },
};
const lagged = outlineOf([
  task('a'),
  task('b', { after: [{ id: 'a', type: 'FS', lag_minutes: 60 }] }),
]);
const two = outlineOf([task('a'), task('b')]);
const three = outlineOf([task('a'), task('b'), task('c', { after: ['a'] })]);
const taking = outlineOf([
  node('a', { steps: [read('1')] }),
  node('b', { steps: [write('2', { args: { path: 'x', content: { $from: '1', path: '' } } })] }),
  node('c', { steps: [write('3', { after: ['2'] })] }),
]);
const bc = edge('b', 'c');

it.each<[string, PlanOutline, RoadmapEdge[], string[]]>([
  ['that adds nothing is sound', two, [], []],
  ['may have an order of its own', two, [edge('a', 'b', { why: 'strategy' })], []],
  ['has no cycle', two, [edge('a', 'b'), edge('b', 'a')], ['cycle']],
  ['keeps what was said', lagged, [edge('a', 'b', { lag_minutes: 60 })], []],
  ['may let longer pass', lagged, [edge('a', 'b', { lag_minutes: 90 })], []],
  ['lets no less pass', lagged, [edge('a', 'b', { lag_minutes: 59 })], ['stated_order']],
  [
    'keeps the type that was said',
    lagged,
    [edge('a', 'b', { type: 'SS', lag_minutes: 60 })],
    ['stated_order'],
  ],
  ['turns nothing round that was said', lagged, [edge('b', 'a')], ['stated_order']],
  ['keeps what was said by other edges', three, [edge('a', 'b'), bc], []],
  [
    'does not keep it by a lead',
    three,
    [edge('a', 'b', { lag_minutes: -5 }), bc],
    ['stated_order'],
  ],
  ['makes what a step takes before the step', taking, [edge('a', 'b', { why: 'data' }), bc], []],
  ['does not leave it out', taking, [bc], ['output_before_made']],
  [
    'does not make it at the same time',
    taking,
    [edge('a', 'b', { type: 'SS' }), bc],
    ['output_before_made'],
  ],
  ['keeps the order of steps', taking, [edge('a', 'b')], ['step_order']],
  [
    'lets what was said turn phases round',
    outlineOf([
      ...[phase('p'), task('a', { parent: 'p', after: ['b'] })],
      ...[phase('q'), task('b', { parent: 'q' })],
    ]),
    [edge('b', 'a')],
    ['phase_order (minor)'],
  ],
  [
    'says that nothing waits for what comes again by a rule',
    outlineOf([task('a'), task('b', { rhythm: 'recurring', recurs, after: ['a'] })]),
    [edge('a', 'b')],
    ['series_edge (minor)'],
  ],
])('a roadmap %s', (_, outline, edges, codes) => {
  expect(check(outline, edges)).toEqual(codes);
});

it('a roadmap is told at most ten faults of a kind', () => {
  const many = Array.from({ length: 50 }, (_, at) =>
    task(`n${at}`, at === 0 ? {} : { after: ['n0'] }),
  );
  expect(check(outlineOf(many), [])).toHaveLength(10);
});
