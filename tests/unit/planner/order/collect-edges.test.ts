import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectEdges } from '#planner/order/collect-edges.ts';
import { findWaves } from '#planner/outline/precedence.ts';
import { node, outlineOf, phase, read, sayEdges, task, write } from './outlines.ts';

const using = (id: string, from: string) =>
  write(id, { args: { path: 'x.txt', content: { $from: from, path: '/content' } } });

function collect(...args: Parameters<typeof outlineOf>) {
  const { edges, ...rest } = collectEdges(outlineOf(...args));
  return { ...rest, edges, said: sayEdges(edges), why: edges.map(({ why }) => why) };
}

type Nodes = Parameters<typeof outlineOf>[0];
const reads = node('a', { steps: [read('1')] });
const onA = (...lags: number[]) =>
  lags.map((lag_minutes) => ({ id: 'a', type: 'FS' as const, lag_minutes }));

describe('edges of an outline', () => {
  it.each<[string, Nodes, string[], string[]?]>([
    [
      'come from nodes, from steps and from what steps take of each other',
      [
        reads,
        node('b', { steps: [using('2', '1')] }),
        node('c', { steps: [write('3', { after: ['2'] })] }),
        node('d', { after: [{ id: 'a', type: 'SS', lag_minutes: 30 }] }),
      ],
      ['a → b', 'b → c', 'a SS+30 → d'],
      ['data', 'stated', 'stated'],
    ],
    [
      'are one for each pair and type, with the longest lag and the strongest reason',
      [reads, node('b', { steps: [using('2', '1')], after: onA(-10, 20, 5) })],
      ['a FS+20 → b'],
      ['stated'],
    ],
    [
      'hold an output back until it is made, though a lead was said',
      [reads, node('b', { steps: [using('2', '1')], after: onA(-30) })],
      ['a → b'],
    ],
    [
      'keep what was said though it follows from others, and leave out what only follows',
      [
        reads,
        node('b', { steps: [write('2')], after: ['a'] }),
        node('c', { steps: [using('3', '1')], after: ['b'] }),
        node('d', { steps: [write('4')], after: ['a', 'b'] }),
      ],
      ['a → b', 'b → c', 'a → d', 'b → d'],
    ],
    [
      'of steps inside one node are none',
      [node('a', { steps: [read('1'), using('2', '1'), write('3', { after: ['2'] })] })],
      [],
    ],
  ])('%s', (_, nodes, said, why) => {
    const found = collect(nodes);
    expect(found.said).toEqual(said);
    if (why !== undefined) expect(found.why).toEqual(why);
  });

  it('follow from longer lags, never from leads', () => {
    const through = (lag_minutes: number) =>
      collect([
        node('a', { steps: [read('1')] }),
        node('b', { after: [{ id: 'a', type: 'FS', lag_minutes }] }),
        node('c', { steps: [using('3', '1')], after: ['b'] }),
      ]).said;
    expect(through(0)).not.toContain('a → c');
    expect(through(60)).not.toContain('a → c');
    expect(through(-1)).toContain('a → c');
  });

  it.each<[string, Nodes, string[]]>([
    [
      'in a circle',
      [
        ...[task('a', { after: ['c'] }), task('b', { after: ['a'] })],
        ...[task('c', { after: ['b'] }), task('d', { after: ['c'] })],
      ],
      ['a → b', 'b → c', 'c → a'],
    ],
    [
      'through a whole and its part',
      [phase('p'), task('a', { parent: 'p', after: ['b'] }), task('b', { after: ['p'] })],
      ['b → a', 'p → b'],
    ],
  ])('that go round %s are told', (_, nodes, round) => {
    const { cycle } = collect(nodes);
    expect(cycle && sayEdges(cycle).sort()).toEqual(round);
  });

  it('to nowhere, to itself and to its whole are impossible', () => {
    const { said, impossible } = collect([
      phase('p'),
      task('a', { parent: 'p', after: ['a', 'p', 'goal', 'nowhere'] }),
    ]);
    expect(said).toEqual([]);
    expect(sayEdges(impossible)).toEqual(['a → a', 'p → a', 'goal → a', 'nowhere → a']);
  });
});

describe('the order a pattern implies', () => {
  const phases = [
    phase('p'),
    task('p1', { parent: 'p' }),
    phase('q'),
    task('q1', { parent: 'q' }),
    phase('r'),
    task('r1', { parent: 'r' }),
  ];

  it('lets phases follow each other', () => {
    const { said, why } = collect(phases);
    expect(said).toEqual(['p → q', 'q → r']);
    expect(why).toEqual(['pattern', 'pattern']);
  });

  it('leaves the parts of a round alone', () => {
    const pattern = { pattern_type: 'recurring_cycle', introduced_by: 'system' } as const;
    expect(collect(phases, { pattern }).said).toEqual([]);
  });

  it('gives way to how phases were said to overlap', () => {
    const overlapping = phases.map((one) =>
      one.id === 'q' ? phase('q', { after: [{ id: 'p', type: 'SS', lag_minutes: 60 }] }) : one,
    );
    expect(collect(overlapping).said).toEqual(['p SS+60 → q', 'q → r']);
  });

  it('gives way to what was said the other way round, and says so', () => {
    const turned = phases.map((one) =>
      one.id === 'p1' ? task('p1', { parent: 'p', after: ['q1'] }) : one,
    );
    const { said, contradicted, cycle } = collect(turned);
    expect(cycle).toBeNull();
    expect(said).toEqual(['q1 → p1', 'q → r']);
    expect(sayEdges(contradicted)).toEqual(['p → q']);
  });

  it('puts a checkpoint between what is before and after it, and a milestone behind what leads to it', () => {
    expect(
      collect([
        task('a'),
        task('b'),
        node('look', { structure: 'checkpoint' }),
        task('c'),
        task('d'),
        node('done', { structure: 'milestone' }),
      ]).said.sort(),
    ).toEqual(['a → look', 'b → look', 'c → done', 'd → done', 'look → c', 'look → d']);
  });

  it('has no place for what comes again or goes on all the time', () => {
    const recurs = {
      rrule: 'FREQ=WEEKLY',
      starts_at: '2026-03-02T09:00:00Z',
      timezone: 'UTC',
      until: null,
    };
    expect(
      collect([
        phase('p', { rhythm: 'continuous' }),
        phase('q', { rhythm: 'recurring', recurs }),
        phase('r'),
      ]).said,
    ).toEqual([]);
  });

  it('adds nothing to a flat plan', () => {
    expect(collect([task('a'), task('b'), task('c', { after: ['a'] })]).said).toEqual(['a → c']);
  });
});

describe('waves', () => {
  function waves(...nodes: Parameters<typeof outlineOf>[0]) {
    const { index, edges } = collectEdges(outlineOf(nodes));
    return findWaves(index, edges).map((wave) => wave.map((place) => index.nodes[place]?.id));
  }

  it.each<[string, Nodes, string[][]]>([
    [
      'hold what may run together',
      [task('a'), task('b'), task('c', { after: ['a'] }), task('d', { after: ['c'] })],
      [['a', 'b'], ['c'], ['d']],
    ],
    [
      'are parted by finish to start only',
      [task('a'), task('b', { after: [{ id: 'a', type: 'SS', lag_minutes: 30 }] })],
      [['a', 'b']],
    ],
    [
      'put all parts of a phase before the next one',
      [
        ...[phase('p'), task('p1', { parent: 'p' }), task('p2', { parent: 'p', after: ['p1'] })],
        ...[phase('q'), task('q1', { parent: 'q' })],
      ],
      [['p1'], ['p2'], ['q1']],
    ],
  ])('%s', (_, nodes, expected) => {
    expect(waves(...nodes)).toEqual(expected);
  });

  it('hold each node once, each behind what it waits for, whatever the order', () => {
    const graph = fc.array(fc.tuple(fc.nat(19), fc.nat(19)), { maxLength: 60 });
    fc.assert(
      fc.property(graph, (pairs) => {
        const nodes = Array.from({ length: 20 }, (_, at) =>
          task(`n${at}`, {
            after: pairs.filter(([from, to]) => to === at && from < at).map(([from]) => `n${from}`),
          }),
        );
        const found = waves(...nodes);
        const place = new Map(found.flatMap((wave, at) => wave.map((id) => [id, at] as const)));
        expect([...place.keys()].sort()).toEqual(nodes.map(({ id }) => id).sort());
        for (const { id, after } of nodes)
          for (const before of after)
            expect(place.get(before.id)).toBeLessThan(place.get(id) ?? -1);
      }),
    );
  });

  it('are found in a plan of 5,000 nodes and 20,000 edges, deep as a chain', () => {
    const nodes = Array.from({ length: 4999 }, (_, at) =>
      node(`n${at}`, {
        steps: [write(`s${at}`)],
        after: [1, 2, 7, 31].flatMap((back) => (at >= back ? [`n${at - back}`] : [])),
      }),
    );
    expect(waves(...nodes)).toHaveLength(4999);
  });
});
