import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DependencyType } from '#domain/plan/dependency.ts';
import { type Links, longestChain } from '#graph/longest-chain.ts';

type Link = [from: number, to: number, type: DependencyType, lag: number];
const columns = (links: Link[]): Links => ({
  from: links.map(([from]) => from),
  to: links.map(([, to]) => to),
  types: links.map(([, , type]) => type),
  lags: links.map(([, , , lag]) => lag),
});

describe('the longest chain', () => {
  it.each<[string, number[], Link[], number]>([
    ['of steps side by side is the longest of them', [5, 30, 10], [], 30],
    [
      'adds up',
      [5, 30, 10],
      [
        [0, 1, 'FS', 0],
        [1, 2, 'FS', 0],
      ],
      45,
    ],
    ['waits for a lag', [5, 30], [[0, 1, 'FS', 60]], 95],
    ['overlaps from start to start', [20, 30], [[0, 1, 'SS', 5]], 35],
    ['ends together', [50, 10], [[0, 1, 'FF', 0]], 50],
    ['ends after the other has begun', [50, 10], [[0, 1, 'SF', 30]], 50],
    ['never begins before the plan', [5, 30], [[0, 1, 'FS', -60]], 30],
    ['takes a successor that stands before its predecessor', [5, 30], [[1, 0, 'FS', 0]], 35],
    ['of no steps is none', [], [], 0],
  ])('%s', (_, durations, links, minutes) => {
    expect(longestChain(durations, columns(links))).toBe(minutes);
  });

  it('is that of the longest path, for any plan with finish-to-start links', () => {
    const plan = fc.array(fc.record({ minutes: fc.nat(50), after: fc.array(fc.nat(100)) }), {
      maxLength: 15,
    });
    fc.assert(
      fc.property(plan, (steps) => {
        const before = steps.map(({ after }, i) => (i === 0 ? [] : after.map((n) => n % i)));
        const endOf = (i: number): number =>
          (steps[i]?.minutes ?? 0) + Math.max(0, ...(before[i] ?? []).map(endOf));
        const links = before.flatMap((froms, to) => froms.map((from): Link => [from, to, 'FS', 0]));
        const longest = Math.max(0, ...steps.map((__, i) => endOf(i)));
        const durations = steps.map(({ minutes }) => minutes);
        expect(longestChain(durations, columns(links))).toBe(longest);
      }),
    );
  });
});
