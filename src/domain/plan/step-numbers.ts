// Step labels in execution order (3a, 3b); stable within a version.
import { sayLength } from '../length.ts';
import { listOf } from '../words.ts';
import type { Dependency } from './dependency.ts';

export const maxNumbered = 24;

type Numbered = { id: string; after: Dependency[] };
export type NumberedStep<S extends Numbered> = {
  step: S;
  number: number;
  label: string;
  after: string;
};

/** By finish-to-start depth among those given. */
function levelsOf(steps: Numbered[]): Map<string, number> {
  const levels = new Map(steps.map((step) => [step.id, 0]));
  // Each round settles a step; terminates even with a cycle.
  for (let round = 0; round < steps.length; round++) {
    let moved = false;
    for (const step of steps) {
      const own = levels.get(step.id) ?? 0;
      const level = step.after.reduce((most, { id, type }) => {
        const before = levels.get(id);
        if (before === undefined) return most;
        return Math.max(most, type === 'FS' ? before + 1 : before);
      }, 0);
      if (level > own) {
        levels.set(step.id, level);
        moved = true;
      }
    }
    if (!moved) break;
  }
  return levels;
}

/** a…z, then aa, ab, … */
function letterOf(index: number): string {
  const last = String.fromCodePoint(97 + (index % 26));
  return index < 26 ? last : letterOf(Math.floor(index / 26) - 1) + last;
}

export function numberSteps<S extends Numbered>(steps: S[]): NumberedStep<S>[] {
  const levels = levelsOf(steps);
  const byLevel = Map.groupBy(steps, (step) => levels.get(step.id) ?? 0);
  const labels = new Map<string, { number: number; label: string }>();
  const sizes = new Map<number, number>();
  const ordered: S[] = [];
  for (const [index, level] of [...byLevel.keys()].sort((a, b) => a - b).entries()) {
    const group = byLevel.get(level) ?? [];
    sizes.set(index + 1, group.length);
    for (const [place, step] of group.entries()) {
      const number = index + 1;
      labels.set(step.id, {
        number,
        label: group.length === 1 ? `${number}` : `${number}${letterOf(place)}`,
      });
      ordered.push(step);
    }
  }
  return ordered.map((step) => {
    const { number, label } = labels.get(step.id) ?? { number: 0, label: '' };
    return { step, number, label, after: describeAfter(step, labels, sizes) };
  });
}

type Labelled = Numbered & { label: string };

export function numberOf(label: string): number {
  return Number.parseInt(label, 10);
}

/** As given in large or incomplete plans. */
export function orderByLabel<S extends Labelled>(steps: S[], total: number): NumberedStep<S>[] {
  const levels = total <= maxNumbered ? levelsOf(steps) : new Map<string, number>();
  const ordered = steps.toSorted((a, b) => (levels.get(a.id) ?? 0) - (levels.get(b.id) ?? 0));
  const labels = new Map(
    steps.map(({ id, label }) => [id, { number: numberOf(label), label }] as const),
  );
  const sizes = new Map<number, number>();
  for (const { number } of labels.values()) sizes.set(number, (sizes.get(number) ?? 0) + 1);
  return ordered.map((step) => ({
    step,
    number: numberOf(step.label),
    label: step.label,
    after: describeAfter(step, labels, sizes),
  }));
}

export function labelSteps(steps: Labelled[], total: number): ReadonlyMap<string, string> {
  return new Map(orderByLabel(steps, total).map(({ step, label }) => [step.id, label]));
}

/** Null in large plans, which use positions. */
export function labelVersion(steps: Numbered[]): (string | null)[] {
  if (steps.length > maxNumbered) return steps.map(() => null);
  const labels = new Map(numberSteps(steps).map(({ step, label }) => [step, label]));
  return steps.map((step) => labels.get(step) ?? null);
}

/** `nth`, from 0, of a change's steps; shown labels stay. @param first first free number, or null with positions */
export function labelAdded(nth: number, first: number | null): string | null {
  return first === null ? null : `${first + nth}`;
}

/** `starts`: for SS and SF. */
function waitOf({ type, lag_minutes }: Dependency): { starts: boolean; lag: number } {
  return { starts: type === 'SS' || type === 'SF', lag: Math.max(0, lag_minutes) };
}

/** `after 2a and 2b`, `2 days after 1`, `once 3 has begun`; groups by number, equal waits merged. */
function describeAfter(
  step: Numbered,
  labels: Map<string, { number: number; label: string }>,
  sizes: Map<number, number>,
): string {
  const ways = Map.groupBy(step.after, (edge) => JSON.stringify(waitOf(edge)));
  return [...ways.values()]
    .flatMap((edges) => {
      const [first] = edges;
      const before = edges
        .flatMap(({ id }) => labels.get(id) ?? [])
        .sort((a, b) => a.number - b.number);
      if (first === undefined || before.length === 0) return [];
      return [describeWay(waitOf(first), nameGroups(before, sizes), before.length)];
    })
    .join(', ');
}

function nameGroups(
  before: { number: number; label: string }[],
  sizes: Map<number, number>,
): string {
  const names: string[] = [];
  for (const [number, group] of Map.groupBy(before, (entry) => entry.number)) {
    const isWhole = group.length === sizes.get(number) && group.length > 1;
    if (isWhole) names.push(`${number}`);
    else names.push(...group.map((entry) => entry.label));
  }
  return names.length > 4 ? `${names.length} others` : listOf(names);
}

/** By ID: `2 days after fetch`. */
export function describeDependency(dependency: Dependency): string {
  return describeWay(waitOf(dependency), dependency.id, 1);
}

function describeWay(
  { starts, lag }: ReturnType<typeof waitOf>,
  names: string,
  count: number,
): string {
  const wait = lag === 0 ? '' : `${sayLength(lag)} `;
  if (!starts) return `${wait}after ${names}`;
  const several = count > 1;
  return lag === 0
    ? `once ${names} ${several ? 'have' : 'has'} begun`
    : `${wait}after ${names} ${several ? 'begin' : 'begins'}`;
}
