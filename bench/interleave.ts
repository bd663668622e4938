// Alternates sides, reversed every other round, to share other load.
import { median } from './numbers.ts';
import type { Stage } from './stage.ts';

export type Side = {
  name: string;
  /** One value per way of running it. */
  measure(): Promise<Record<string, number>>;
};

/** Its median. */
export type Way = { with: string; value: number };

/** `ways` in order. */
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
