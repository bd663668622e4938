import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildDigraph, findComponents, findCycle, sortTopologically } from '#graph/digraph.ts';

const size = 12;
const arcs = fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 30 });

function graphOf(pairs: [number, number][]) {
  return buildDigraph(size, pairs.flat());
}

/** By brute force. */
function reach(pairs: [number, number][]): boolean[][] {
  const found = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (let round = 0; round < size; round++)
    for (const [from, to] of pairs) {
      const [own, next] = [found[from], found[to]];
      if (!own || !next) continue;
      own[to] = true;
      next.forEach((can, v) => {
        if (can) own[v] = true;
      });
    }
  return found;
}

describe('a directed graph', () => {
  it('has an order exactly when it has no cycle', () => {
    fc.assert(
      fc.property(arcs, (pairs) => {
        const circular = reach(pairs).some((row, v) => row[v]);
        const order = [...sortTopologically(graphOf(pairs))];
        expect(order.length === size).toBe(!circular);
        const place = new Map(order.map((v, at) => [v, at]));
        for (const [from, to] of pairs)
          if (place.has(to)) expect(place.get(from)).toBeLessThan(place.get(to) ?? -1);
      }),
    );
  });

  it('shows a cycle that is one', () => {
    fc.assert(
      fc.property(arcs, (pairs) => {
        const cycle = findCycle(graphOf(pairs));
        const circular = reach(pairs).some((row, v) => row[v]);
        expect(cycle !== null).toBe(circular);
        cycle?.forEach((v, at) => {
          const next = cycle[(at + 1) % cycle.length];
          expect(pairs.some(([from, to]) => from === v && to === next)).toBe(true);
        });
        expect(new Set(cycle ?? []).size).toBe(cycle?.length ?? 0);
      }),
    );
  });

  it('has one component for what reaches each other', () => {
    fc.assert(
      fc.property(arcs, (pairs) => {
        const component = findComponents(graphOf(pairs));
        const can = reach(pairs);
        for (let a = 0; a < size; a++)
          for (let b = 0; b < size; b++)
            expect(component[a] === component[b]).toBe(
              a === b || (can[a]?.[b] === true && can[b]?.[a] === true),
            );
      }),
    );
  });
});
