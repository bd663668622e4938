// Alternates the sides of a comparison, reversing the order every other round, so that other load affects all equally.
import { median } from './numbers.ts';
import type { Stage } from './stage.ts';

export type Side = {
  name: string;
  /** One measurement per way of running it, by name. */
  measure(): Promise<Record<string, number>>;
};

/** The median of one way to run a side. */
export type Way = { with: string; value: number };

/** The best way to run a side, and all of them in order. */
export type Best = Way & { ways: Way[] };

function chooseBest(measured: Record<string, number>[]): Best {
  const ways = Object.keys(measured[0] ?? {}).map((way) => ({
    with: way,
    value: median(measured.flatMap((round) => round[way] ?? [])),
  }));
  const [best] = ways.toSorted((a, b) => b.value - a.value);
  if (best === undefined) throw new Error('nothing was measured');
  return { ...best, ways };
}

/** Measures each of `sides` in each of `rounds`; results in the order of `sides`. */
export async function interleave(
  { signal, say }: Pick<Stage, 'signal' | 'say'>,
  rounds: number,
  sides: Side[],
): Promise<Best[]> {
  const measured = sides.map((): Record<string, number>[] => []);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [...sides.entries()] : [...sides.entries()].reverse();
    for (const [at, side] of order) {
      signal.throwIfAborted();
      say(`round ${round + 1} of ${rounds}: ${side.name}`);
      measured[at]?.push(await side.measure());
    }
  }
  return measured.map(chooseBest);
}
