// Schedules of generated projects, checked by an independent verifier.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFeasible, type Project, readPsplib, readSch, solve } from '#bench/benches/schedule.ts';
import { rounds } from '../../rounds.ts';

const stars = '*'.repeat(72);

/** All tasks are finish to start. */
function writePsplib({ durations, demands, capacities, lags }: Project): string {
  const rows = durations.map((length, at) => ({
    length,
    job: at + 1,
    needs: demands[at] ?? [],
    after: lags.filter(({ from }) => from === at).map(({ to }) => to + 1),
  }));
  return [
    'PRECEDENCE RELATIONS:',
    'jobnr. #modes #successors successors',
    ...rows.map(({ job, after }) => [job, 1, after.length, ...after].join('  ')),
    stars,
    'REQUESTS/DURATIONS:',
    'jobnr. mode duration R 1 R 2',
    '-'.repeat(72),
    ...rows.map(({ job, length, needs }) => [job, 1, length, ...needs].join('  ')),
    stars,
    'RESOURCEAVAILABILITIES:',
    '  R 1  R 2',
    capacities.join('  '),
    stars,
  ].join('\n');
}

const project = fc
  .record({
    durations: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 3, maxLength: 25 }),
    seed: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 50, maxLength: 50 }),
    links: fc.array(fc.tuple(fc.nat(24), fc.nat(24)), { maxLength: 30 }),
  })
  .map(({ durations, seed, links }): Project => {
    const pairs = links.flatMap(([a, b]) =>
      a !== b && Math.max(a, b) < durations.length ? [[Math.min(a, b), Math.max(a, b)]] : [],
    );
    const lags = [...new Set(pairs.map(String))].map((text) => {
      const [from = 0, to = 0] = text.split(',').map(Number);
      return { from, to, lag: durations[from] ?? 0 };
    });
    const demands = durations.map((_, at) => [seed[2 * at] ?? 0, seed[2 * at + 1] ?? 0]);
    return { name: 'made.sm', durations, demands, capacities: [8, 6], lags };
  });

describe('a project', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(project, (one) => {
        const { lags, ...rest } = readPsplib('made.sm', writePsplib(one));
        const { lags: _, ...written } = one;
        expect(rest).toEqual(written);
        expect(new Set(lags.map((lag) => JSON.stringify(lag)))).toEqual(
          new Set(one.lags.map((lag) => JSON.stringify(lag))),
        );
      }),
      { numRuns: rounds(100) },
    );
  });

  it('gets schedules that hold, the same each time, and none worse than one pass', () => {
    fc.assert(
      fc.property(project, (one) => {
        const solved = solve(one, 40);
        expect(solved.search).toBeLessThanOrEqual(solved.pass ?? 0);
        expect(solve(one, 40).search).toBe(solved.search);
      }),
      { numRuns: rounds(50) },
    );
  });

  it('ends as early as it can where the first order is a poor one', () => {
    // The long chain comes last, so one pass lets short tasks hold the pool first.
    const durations = [4, 4, 4, 3, 3, 3];
    const lags = [
      { from: 3, to: 4, lag: 3 },
      { from: 4, to: 5, lag: 3 },
    ];
    const demands = [[2], [2], [2], [2], [1], [1]];
    const poor: Project = { name: 'poor', durations, demands, capacities: [3], lags };
    const solved = solve(poor, 200);
    expect(solved.pass).toBeGreaterThan(solved.search ?? 0);
  });

  it('keeps maximum distances, and has no end where it can’t', () => {
    const read = (tasks: string) =>
      readSch('made.sch', ['3 1 0 0', ...tasks.split('|'), '1'].join('\n'));
    const works = '0 1 0 0|1 1 3 1|2 1 4 1|3 1 2 1|4 1 0 0';
    const near = read(`0 1 1 1 [0]|1 1 1 3 [3]|2 1 1 4 [4]|3 1 2 4 1 [2] [-4]|4 1 0|${works}`);
    expect(near).toMatchObject({ durations: [0, 3, 4, 2, 0], capacities: [1] });
    expect(near.lags).toContainEqual({ from: 3, to: 1, lag: -4 });
    expect(solve(near, 10)).toMatchObject({ pass: 11, search: 9 });
    const never = read(`0 1 1 1 [0]|1 1 1 3 [3]|2 1 1 4 [4]|3 1 2 4 1 [2] [-2]|4 1 0|${works}`);
    expect(solve(never, 10)).toMatchObject({ pass: null, search: null });
  });
});

describe('the verifier', () => {
  const two: Project = {
    name: 'two',
    durations: [3, 2],
    demands: [[1], [1]],
    capacities: [1],
    lags: [{ from: 0, to: 1, lag: 3 }],
  };

  it.each([
    [[0, 3], true],
    [[0, 2], false],
    [[0, Number.NaN], false],
    [[-1, 3], false],
  ])('of starts at %s says %s', (starts, holds) => {
    expect(isFeasible(two, starts)).toBe(holds);
  });

  it('sees a pool that is overdrawn', () => {
    expect(isFeasible({ ...two, lags: [] }, [0, 2])).toBe(false);
  });
});
