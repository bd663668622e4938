import { describe, expect, it } from 'vitest';
import type { DependencyType } from '#domain/plan/dependency.ts';
import { findCriticalPath } from '#graph/longest-chain.ts';

type Link = [from: number, to: number, type?: DependencyType, lag?: number];

function pathOf(
  durations: number[],
  links: Link[],
  fixed: { earliest?: Record<number, number>; spans?: Record<number, [number, number]> } = {},
) {
  const { earliest = {}, spans = {} } = fixed;
  const placed = findCriticalPath(
    {
      durations,
      earliest: durations.map((_, step) => earliest[step] ?? Number.NEGATIVE_INFINITY),
      begins: durations.map((_, step) => spans[step]?.[0] ?? Number.NaN),
      ends: durations.map((_, step) => spans[step]?.[1] ?? Number.NaN),
      links: {
        from: links.map(([from]) => from),
        to: links.map(([, to]) => to),
        types: links.map(([, , type = 'FS']) => type),
        lags: links.map(([, , , lag = 0]) => lag),
      },
    },
    0,
  );
  return { ...placed, begins: [...placed.begins], ends: [...placed.ends] };
}

describe('the critical path', () => {
  it('is the longest chain by minutes, not by steps', () => {
    const { path, ends } = pathOf(
      [10, 60, 5, 5, 1],
      [
        [0, 1],
        [0, 2],
        [2, 3],
        [1, 4],
        [3, 4],
      ],
    );
    expect(path).toEqual([0, 1, 4]);
    expect(ends[4]).toBe(71);
  });

  it('ends with the longer chain where two end at the same moment', () => {
    expect(pathOf([20, 10, 10], [[1, 2]]).path).toEqual([1, 2]);
  });

  it('begins with the step that its own moment holds back', () => {
    const { path, begins } = pathOf(
      [5, 5, 5],
      [
        [0, 1],
        [1, 2],
      ],
      { earliest: { 1: 100 } },
    );
    expect(path).toEqual([1, 2]);
    expect(begins).toEqual([0, 100, 105]);
  });

  it('follows what really happened', () => {
    const spans: Record<number, [number, number]> = { 0: [-30, -20], 1: [-30, -2] };
    const { path } = pathOf(
      [1, 1, 5],
      [
        [0, 2],
        [1, 2],
      ],
      { spans },
    );
    expect(path).toEqual([1, 2]);
  });

  it('knows how many steps come before each', () => {
    const { levels } = pathOf(
      [1, 1, 1, 1],
      [
        [0, 1],
        [1, 3],
        [0, 3],
        [2, 3],
      ],
    );
    expect([...levels]).toEqual([0, 1, 0, 2]);
  });

  it('is one step where none waits for another, and nothing of no steps', () => {
    expect(pathOf([1, 9, 3], []).path).toEqual([1]);
    expect(pathOf([], []).path).toEqual([]);
  });

  it('finds its way through a chain of 100,000 steps', () => {
    const size = 100_000;
    const links = Array.from({ length: size - 1 }, (_, step): Link => [step, step + 1]);
    expect(
      pathOf(
        Array.from({ length: size }, () => 1),
        links,
      ).path,
    ).toHaveLength(size);
  });
});
