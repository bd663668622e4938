import { describe, expect, it } from 'vitest';
import type { StepCounts } from '#domain/plan/plan.ts';
import type { Forecast } from '#domain/planning/forecast.ts';
import {
  middleOf,
  shapeOfGroups,
  toElkGraph,
} from '../../../adapters/console/page/plan/graph-shape.ts';
import {
  describeCritical,
  describeGroup,
  heatOf,
  markedSteps,
  nameGroup,
  shareHeat,
} from '../../../adapters/console/page/plan/groups.ts';

const counts = (more: Partial<StepCounts>): StepCounts => ({
  pending: 0,
  ready: 0,
  running: 0,
  waiting: 0,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  stale: 0,
  unknown: 0,
  ...more,
});

describe('a group of steps', () => {
  it.each([
    [counts({ pending: 20 }), 'Not started', 'later'],
    [counts({ succeeded: 20 }), 'All done', 'done'],
    [
      counts({ succeeded: 12, running: 3, pending: 5 }),
      '12 done, 3 running, 5 not started',
      'running',
    ],
    [counts({ succeeded: 12, failed: 1, waiting: 2 }), '12 done, 1 failed, 2 on hold', 'failed'],
    [counts({ succeeded: 12, pending: 1 }), '12 done, 1 not started', 'running'],
    [counts({ running: 4, stale: 1 }), '4 running, 1 on hold', 'hold'],
  ] as const)('says how far it is in words: %#', (of, words, heat) => {
    const steps = Object.values(of).reduce((sum, count) => sum + count, 0);
    expect(describeGroup({ steps, counts: of })).toBe(words);
    expect(heatOf(of)).toBe(heat);
  });

  it('shares its bar without a gap', () => {
    const shares = shareHeat(counts({ succeeded: 1, failed: 1, pending: 2 }));
    expect(shares.map(({ from, width }) => [from, width])).toEqual([
      [0, 25],
      [25, 25],
      [50, 50],
    ]);
  });

  it('is called by what its steps share', () => {
    expect(nameGroup('partition', '')).toBe('No partition');
    expect(nameGroup('stage', '3')).toBe('Stage 3');
    expect(nameGroup('operation', 'http_request')).toBe('http_request');
  });

  it('is a box, and what waits for it an arrow', () => {
    const group = (key: string) => ({
      key,
      steps: 1,
      counts: counts({ pending: 1 }),
      first: 1,
      started_at: null,
      ended_at: null,
      expected: null,
      critical: 0,
    });
    const graph = toElkGraph(
      shapeOfGroups({
        by: 'partition',
        choices: ['partition'],
        groups: [group('a'), group('b')],
        rest: { groups: 0, steps: 0 },
        edges: [{ from: 'a', to: 'b', dependencies: 3 }],
        edges_total: 1,
      }),
    );
    expect(graph.children?.map(({ id }) => id)).toEqual(['n:a', 'n:b']);
    expect(graph.edges).toMatchObject([{ sources: ['n:a'], targets: ['n:b'] }]);
  });

  it('has its number of dependencies half of the way along the arrow', () => {
    const corners = [
      { x: 0, y: 0 },
      { x: 0, y: 10 },
      { x: 30, y: 10 },
    ];
    expect(middleOf(corners)).toEqual({ x: 10, y: 10 });
  });
});

describe('what decides when a plan ends', () => {
  const critical = (
    ids: string[],
    more: Partial<Forecast['critical']> = {},
  ): Forecast['critical'] => ({
    basis: 'durations',
    steps: ids.map((id, at) => ({ id, position: at + 1 })),
    total: ids.length,
    minutes: 40,
    left_out: null,
    ...more,
  });
  const names = new Map([
    ['a', '1'],
    ['b', '2b'],
    ['c', '3'],
  ]);

  it('is said with the numbers of its steps and how long they take', () => {
    const path = critical(['a', 'b', 'c']);
    expect(describeCritical(path, names, false)).toBe('Critical path: 1 → 2b → 3 (about 40 min)');
    expect(describeCritical(path, names, true)).toBe('Critical path: 1 → 2b → 3 (40 min)');
  });

  it('is cut in the middle where it is long', () => {
    const ids = Array.from({ length: 30 }, (_, at) => `s${at}`);
    expect(describeCritical(critical(ids), new Map(), false)).toBe(
      'Critical path: 1 → 2 → 3 → 4 → … → 29 → 30 (30 steps, about 40 min)',
    );
  });

  it('is only the longest chain where no step states a duration, and nothing where that is short', () => {
    const order = { basis: 'order', minutes: null } as const;
    expect(describeCritical(critical(['a', 'b', 'c'], order), names, false)).toBe(
      'The longest chain: 1 → 2b → 3',
    );
    const forecast = { critical: critical(['a', 'b'], order) } as Forecast;
    expect(describeCritical(forecast.critical, names, false)).toBe('');
    expect(markedSteps(forecast)).toEqual([]);
  });

  it('is left out of a plan that is too large, with the reason', () => {
    const large = critical([], { left_out: 'too_large' });
    expect(describeCritical(large, names, false)).toMatch(/too large/);
  });
});
