// Genetic search over placement orders; Hartmann (1998), Valls et al. (2008).
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import {
  orderTopologically,
  type Pass,
  type PassInput,
  runForwardPass,
  type TimedEdge,
} from './forward-pass.ts';
import { minuteMs } from './working-time.ts';

type Placed = Extract<Pass, { kind: 'placed' }>;
type Found = { pass: Placed; order: string[]; late: number; end: number };

const populationSize = 30;
const mutationShare = 0.05;

/** Mulberry32, from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const isBetter = (a: Found, b: Found): boolean =>
  a.late < b.late || (a.late === b.late && a.end < b.end);

/** Deterministic. @param schedules passes to try */
export function improvePass(input: PassInput, first: Placed, schedules: number, seed = 1): Placed {
  return new Search(input, schedules, seed).run(first);
}

class Search {
  readonly #input: PassInput;
  readonly #random: () => number;
  readonly #ids: string[];
  readonly #tails: Map<string, number>;
  readonly #justifies: boolean;
  readonly #backward: TimedEdge[];
  #left: number;

  constructor(input: PassInput, schedules: number, seed: number) {
    this.#input = input;
    this.#left = schedules;
    this.#random = createRandom(seed);
    this.#ids = input.nodes.map(({ id }) => id);
    this.#tails = measureTails(input);
    this.#backward = input.edges.map(reverse);
    this.#justifies =
      input.limits === undefined &&
      input.nodes.every(
        ({ person, release, fixed, deadline }) =>
          person === null && release === null && fixed === null && deadline === null,
      );
  }

  run(first: Placed): Placed {
    let population: Found[] = [this.#found(first)];
    while (population.length < populationSize && this.#left > 0) {
      const one = this.#try(this.#sample());
      if (one !== null) population.push(one);
    }
    while (this.#left > 0 && population.length > 1) {
      population = population
        .sort((a, b) => a.late - b.late || a.end - b.end)
        .slice(0, populationSize);
      const [mother, father] = [this.#pick(population), this.#pick(population)];
      if (mother === undefined || father === undefined) break;
      const child = this.#try(this.#mutate(cross(mother.order, father.order, this.#random)));
      if (child !== null) population.push(child);
    }
    return population.reduce((best, one) => (isBetter(one, best) ? one : best)).pass;
  }

  #pick(population: Found[]): Found | undefined {
    const [a, b] = [0, 1].map(() => population[Math.floor(this.#random() * population.length)]);
    return a !== undefined && b !== undefined && isBetter(b, a) ? b : a;
  }

  #found(pass: Placed): Found {
    const end = Math.max(0, ...[...pass.places.values()].map(({ to }) => to));
    const late = pass.late.reduce((sum, { by }) => sum + by, 0);
    return { pass, end, late, order: orderBy(this.#ids, (id) => pass.places.get(id)?.from ?? 0) };
  }

  #place(input: PassInput, order: string[]): Placed | null {
    this.#left -= 1;
    const priority = new Map(order.map((id, at) => [id, at]));
    const pass = runForwardPass({ ...input, priority });
    return pass.kind === 'placed' ? pass : null;
  }

  /** With forward–backward justification if possible. */
  #try(order: string[]): Found | null {
    const pass = this.#place(this.#input, order);
    if (pass === null) return null;
    const found = this.#found(pass);
    if (!this.#justifies || this.#left < 2) return found;
    const ends = orderBy(this.#ids, (id) => -(pass.places.get(id)?.to ?? 0));
    const right = this.#place({ ...this.#input, edges: this.#backward }, ends);
    if (right === null) return found;
    const starts = orderBy(this.#ids, (id) => -(right.places.get(id)?.to ?? 0));
    const left = this.#place(this.#input, starts);
    const justified = left === null ? null : this.#found(left);
    return justified !== null && isBetter(justified, found) ? justified : found;
  }

  /** Random, favouring nodes with much behind them. */
  #sample(): string[] {
    const longest = Math.max(1, ...this.#tails.values());
    const key = new Map(
      this.#ids.map((id) => [id, (this.#tails.get(id) ?? 0) / longest + 0.4 * this.#random()]),
    );
    return (
      orderTopologically(this.#ids, this.#input.edges, (id) => -(key.get(id) ?? 0)) ?? this.#ids
    );
  }

  #mutate(order: string[]): string[] {
    const next = [...order];
    for (let at = 1; at < next.length; at += 1) {
      const [before, here] = [next[at - 1], next[at]];
      if (before === undefined || here === undefined || this.#random() >= mutationShare) continue;
      next[at - 1] = here;
      next[at] = before;
    }
    return next;
  }
}

/** Two-point crossover. */
function cross(mother: string[], father: string[], random: () => number): string[] {
  const cuts = [random(), random()].map((share) => Math.floor(share * mother.length));
  const [from, to] = [Math.min(...cuts), Math.max(...cuts)];
  const head = mother.slice(0, from);
  const taken = new Set(head);
  const middle = father.filter((id) => !taken.has(id)).slice(0, to - from);
  for (const id of middle) taken.add(id);
  return [...head, ...middle, ...mother.filter((id) => !taken.has(id))];
}

function orderBy(ids: string[], value: (id: string) => number): string[] {
  return ids
    .map((id, at) => ({ id, at, value: value(id) }))
    .sort((a, b) => a.value - b.value || a.at - b.at)
    .map(({ id }) => id);
}

function reverse({ from, to, type, lag_minutes }: TimedEdge): TimedEdge {
  const turned = type === 'SS' ? 'FF' : type === 'FF' ? 'SS' : type;
  return { from: to, to: from, type: turned, lag_minutes };
}

/** Milliseconds to the end. */
function measureTails({ nodes, edges }: PassInput): Map<string, number> {
  const lengths = new Map(nodes.map(({ id, minutes }) => [id, Math.round(minutes * minuteMs)]));
  const out = Map.groupBy(edges, ({ from }) => from);
  const order = orderTopologically([...lengths.keys()], edges) ?? [];
  const tails = new Map<string, number>();
  for (const id of order.toReversed()) {
    const length = lengths.get(id) ?? 0;
    let tail = length;
    for (const { to, type, lag_minutes } of out.get(id) ?? []) {
      const { fromFinish, toFinish } = edgeEnds[type];
      const behind = (tails.get(to) ?? 0) - (toFinish ? (lengths.get(to) ?? 0) : 0);
      tail = Math.max(tail, (fromFinish ? length : 0) + lag_minutes * minuteMs + behind);
    }
    tails.set(id, tail);
  }
  return tails;
}
