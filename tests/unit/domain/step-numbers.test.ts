// A card omits no delay of a step.
import { describe, expect, it } from 'vitest';
import type { Dependency } from '#domain/plan/dependency.ts';
import { labelVersion, numberSteps, orderByLabel } from '#domain/plan/step-numbers.ts';

const edge = (id: string, more: Partial<Dependency> = {}): Dependency => ({
  id,
  type: 'FS',
  lag_minutes: 0,
  ...more,
});

/** Waits of the last of three steps; the first two are free. */
function afterOf(...after: Dependency[]): string | undefined {
  const steps = [
    { id: 'a', after: [] },
    { id: 'b', after: [] },
    { id: 'c', after },
  ];
  return numberSteps(steps).find(({ step }) => step.id === 'c')?.after;
}

describe('what a step waits for', () => {
  it.each<[string, Dependency[]]>([
    ['', []],
    ['after 1a', [edge('a')]],
    ['after 1', [edge('a'), edge('b')]],
    ['2 days after 1a', [edge('a', { lag_minutes: 2880 })]],
    ['1 h 30 min after 1a', [edge('a', { lag_minutes: 90 })]],
    ['after 1a, 1 day after 1b', [edge('a'), edge('b', { lag_minutes: 1440 })]],
    // Ends are held at the beginning, and leads count as none.
    ['after 1a', [edge('a', { type: 'FF' })]],
    ['after 1a', [edge('a', { lag_minutes: -30 })]],
  ])('is said as “%s”', (words, after) => {
    expect(afterOf(...after)).toBe(words);
  });

  it.each<[string, Dependency]>([
    ['once 1a has begun', edge('a', { type: 'SS' })],
    ['10 min after 1a begins', edge('a', { type: 'SS', lag_minutes: 10 })],
    ['once 1a has begun', edge('a', { type: 'SF' })],
  ])('is said as “%s” where it is a beginning', (words, after) => {
    expect(afterOf(after)).toBe(words);
  });
});

describe('labels that steps keep', () => {
  const steps = [
    { id: 'a', label: '1a', after: [] },
    { id: 'b', label: '1b', after: [] },
    { id: 'c', label: '2', after: [edge('a'), edge('b')] },
  ];

  it('are given by the order in which steps can run', () => {
    expect(labelVersion(steps)).toEqual(['1a', '1b', '2']);
  });

  it('stay when a step that shared a number has gone', () => {
    const [, ...left] = steps;
    expect(orderByLabel(left, 2).map(({ label, after }) => `${label} ${after}`)).toEqual([
      '1b ',
      '2 after 1b',
    ]);
  });

  it('stay when one is added in between, which comes where it runs', () => {
    const added = { id: 'd', label: '3', after: [edge('b')] };
    const last = { id: 'c', label: '2', after: [edge('d')] };
    const named = orderByLabel([...steps.slice(0, 2), last, added], 4);
    expect(named.map(({ label, after }) => `${label} ${after}`.trim())).toEqual([
      '1a',
      '1b',
      '3 after 1b',
      '2 after 3',
    ]);
  });
});
