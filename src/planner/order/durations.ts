// Durations of nodes in minutes: stated, summed from steps, or assumed, for comparing options.
import { dependenciesOf, sourcesOf } from '#domain/plan/step-content.ts';
import type { Operations } from './operations.ts';
import type { OutlineIndex } from './outline-index.ts';

/** Taken for a machine's step and for a person's task of which nobody said how long they take. */
const assumedMinutes = { machine: 1, person: 60 };

/** Minutes of each node's own work; wholes take as long as their parts, and none themselves. */
export function findDurations(index: OutlineIndex, operations: Operations): Float64Array {
  return Float64Array.from(index.nodes, (node, place) => {
    if ((index.children[place]?.length ?? 0) > 0 && (index.ownSteps[place]?.length ?? 0) === 0)
      return 0;
    return node.duration_minutes ?? measureSteps(index, place, operations);
  });
}

/** The longest way through the steps of one node. Steps that wait for each other count one by one. */
function measureSteps(index: OutlineIndex, place: number, operations: Operations): number {
  const own = index.ownSteps[place] ?? [];
  const ends = new Map<number, number>();
  let total = 0;
  for (const number of sortSteps(index, place)) {
    const step = index.steps[number];
    if (step === undefined) continue;
    const minutes =
      step.draft.duration_minutes ??
      assumedMinutes[operations.asksPerson(step.draft) ? 'person' : 'machine'];
    const begins = predecessorsOf(index, number).reduce(
      (latest, before) => Math.max(latest, ends.get(before) ?? 0),
      0,
    );
    ends.set(number, begins + minutes);
    total = Math.max(total, begins + minutes);
  }
  return own.length === 0 ? 0 : total;
}

/** Steps of the same node that a step waits for, as numbers. */
export function predecessorsOf(index: OutlineIndex, step: number): number[] {
  const found = index.steps[step];
  if (found === undefined) return [];
  const ids = [...dependenciesOf(found.draft).map(({ id }) => id), ...sourcesOf(found.draft)];
  return ids.flatMap((id) => {
    const place = index.stepPlaces.get(id);
    return place !== undefined && index.steps[place]?.node === found.node && place !== step
      ? [place]
      : [];
  });
}

/** The steps of a node so that each comes after those it waits for; those on a circle come last, as they are listed. */
export function sortSteps(index: OutlineIndex, place: number): number[] {
  const own = index.ownSteps[place] ?? [];
  const unmet = new Map<number, number>();
  const next = new Map<number, number[]>();
  for (const step of own) {
    const before = new Set(predecessorsOf(index, step));
    unmet.set(step, before.size);
    for (const other of before) {
      const followers = next.get(other);
      if (followers) followers.push(step);
      else next.set(other, [step]);
    }
  }
  const sorted = own.filter((step) => unmet.get(step) === 0);
  for (let at = 0; at < sorted.length; at++) {
    for (const step of next.get(sorted[at] ?? -1) ?? []) {
      const left = (unmet.get(step) ?? 0) - 1;
      unmet.set(step, left);
      if (left === 0) sorted.push(step);
    }
  }
  if (sorted.length === own.length) return sorted;
  const done = new Set(sorted);
  return [...sorted, ...own.filter((step) => !done.has(step))];
}
