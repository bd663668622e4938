// A patch's effects on steps it doesn't name. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { RerunStep } from '#db/sql/rerun.ts';
import type { Edge } from '#db/steps/steps.ts';
import { hasRuntime } from '#domain/plan/arguments.ts';
import type { Step } from '#domain/plan/plan.ts';
import { keyOfDependency } from '#domain/plan/step-changes.ts';
import { changedFields } from '#domain/plan/step-content.ts';
import { listSome } from '#domain/words.ts';
import { isInert, meet, readsPredecessors, touchesOf } from '../content/touches.ts';
import type { ChangedStep, PatchEffect } from './patch-effect.ts';

/** Not ended for good, as far as others depend on it. `args`: without contents it writes. */
export type NearStep = Pick<
  Step,
  'id' | 'position' | 'label' | 'tool' | 'operation' | 'effect' | 'args'
> & {
  /** Has values only known when it runs. */
  open: boolean;
  conditional: boolean;
};

/** A step or series that reads a partition or tag. */
export type GroupReader = { name: string; partition: string | null; tag: string | null };

export type Near = {
  steps: NearStep[];
  edges: Edge[];
  readers: GroupReader[];
  held: number[];
  cut: boolean;
};

const maxCompared = 1_000_000;
const maxFound = 20;
const maxNamed = 3;

const changesWorld = ({ tool, effect }: Pick<Step, 'tool' | 'effect'>): boolean =>
  effect !== 'read' && !isInert(tool);

/** Leaves something behind, reaches outside, or asks a person. */
const acts = ({ tool, effect }: Pick<Step, 'tool' | 'effect'>): boolean =>
  tool === 'human' || (!isInert(tool) && (effect !== 'read' || tool !== 'workspace'));

/** Rewriting a file isn't acting again. */
export function repeatsCall({ tool, effect, called }: RerunStep): boolean {
  if (!called || effect === 'read' || isInert(tool)) return false;
  return effect === 'write' || tool !== 'workspace';
}

/** May run later or in another order. */
function isRetimed({ before, now }: ChangedStep): boolean {
  const was = new Map(before.after.map((one) => [keyOfDependency(one), one.lag_minutes]));
  return (
    changedFields(before, now).some(([, { retimes }]) => retimes === true) ||
    now.after.some((one) => was.get(keyOfDependency(one)) !== one.lag_minutes)
  );
}

const push = <T>(map: Map<number, T[]>, key: number, value: T): void => {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
};

class Graph {
  readonly #next = new Map<number, number[]>();
  /** Finish-to-start only. */
  readonly #after = new Map<number, number[]>();
  readonly #before = new Map<number, number[]>();

  constructor(edges: Edge[]) {
    for (const { predecessor, successor, type } of edges) {
      push(this.#next, predecessor, successor);
      if (type !== 'FS') continue;
      push(this.#after, predecessor, successor);
      push(this.#before, successor, predecessor);
    }
  }

  hasFollowers(position: number, gone: ReadonlySet<number>): boolean {
    return (this.#next.get(position) ?? []).some((one) => !gone.has(one));
  }

  #walk(starts: number[], edges: ReadonlyMap<number, number[]>): Set<number> {
    const found = new Set<number>();
    const open = [...starts];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const next of edges.get(at) ?? [])
        if (!found.has(next)) {
          found.add(next);
          open.push(next);
        }
    return found;
  }

  behind(positions: number[]): Set<number> {
    return this.#walk(positions, this.#next);
  }

  orderedWith(position: number): Set<number> {
    const before = this.#walk([position], this.#before);
    return new Set([...before, ...this.#walk([position], this.#after)]);
  }
}

function groupsOf({ before, now }: ChangedStep): { partitions: string[]; tags: string[] } {
  const moved = before.partition === now.partition ? [] : [before.partition, now.partition];
  return {
    partitions: moved.filter((one) => one !== null),
    tags: [
      ...before.tags.filter((tag) => !now.tags.includes(tag)),
      ...now.tags.filter((tag) => !before.tags.includes(tag)),
    ],
  };
}

export function groupsTouched({ changed }: PatchEffect): { partitions: string[]; tags: string[] } {
  const groups = changed.map(groupsOf);
  return {
    partitions: [...new Set(groups.flatMap(({ partitions }) => partitions))],
    tags: [...new Set(groups.flatMap(({ tags }) => tags))],
  };
}

function findRegrouped(step: ChangedStep, readers: GroupReader[]): string[] {
  const { partitions, tags } = groupsOf(step);
  const affected = readers.filter(
    ({ partition, tag }) =>
      (partition !== null && partitions.includes(partition)) ||
      (tag !== null && tags.includes(tag)),
  );
  if (affected.length === 0) return [];
  const names = listSome([...new Set(affected.map(({ name }) => name))], maxNamed, 'other');
  return [
    `Changes the partition or tags of step ${step.before.label}, and so what is read by ${names}.`,
  ];
}

/** For steps that read everything they wait for. */
function findGained({ before, now }: ChangedStep, nameOf: (id: string) => string): string[] {
  const was = new Set(before.after.map(keyOfDependency));
  const gained = now.after.filter((one) => !was.has(keyOfDependency(one))).map(({ id }) => id);
  const decides = hasRuntime(now.args);
  const asked = decides && !isDeepStrictEqual(before.when, now.when);
  if (!readsPredecessors(now.args, decides) || (gained.length === 0 && !asked)) return [];
  const ids = gained.length === 0 ? now.when.map(({ step }) => step) : gained;
  const steps = listSome([...new Set(ids)].map(nameOf), maxNamed, 'other');
  return [`Lets step ${before.label} read what step ${steps} puts out.`];
}

/** Blocks others until a person answers or sources are rechecked. */
const isGate = ({ tool, operation }: Pick<Step, 'tool' | 'operation'>): boolean =>
  tool === 'human' || (tool === 'plan' && operation === 'recheck');

function findLostGate(step: Step): string[] {
  if (!isGate(step)) return [];
  const does = step.tool === 'human' ? 'asks a person' : 'checks what was read before';
  return [`Removes step ${step.label}, which ${does}.`];
}

/** May now be skipped while others rely on it. */
function findBypassed({ before, now, position }: ChangedStep, graph: Graph, gone: Set<number>) {
  const skips = now.when.some((one) => !before.when.some((was) => isDeepStrictEqual(was, one)));
  if (!skips || !(isGate(now) || graph.hasFollowers(position, gone))) return [];
  return [`Adds a condition to step ${before.label}, and other steps continue without it.`];
}

function findFedByRerun({ rerun }: PatchEffect, near: Near, graph: Graph, gone: Set<number>) {
  const again = rerun.filter(({ tool }) => tool !== 'control');
  if (again.length === 0) return [];
  const behind = graph.behind(again.map(({ position }) => position));
  const repeated = new Set(rerun.filter(repeatsCall).map(({ position }) => position));
  const fed = near.steps.filter(
    (step) =>
      behind.has(step.position) &&
      !gone.has(step.position) &&
      !repeated.has(step.position) &&
      acts(step) &&
      (step.open || step.conditional),
  );
  return fed
    .slice(0, maxFound)
    .map(
      ({ label }) => `Lets step ${label} act on what is read again, which may be different now.`,
    );
}

/** Share a changed target, and may be reordered or lose one. */
function findReordered(effect: PatchEffect, near: Near, graph: Graph, gone: Set<number>) {
  const again = effect.rerun.filter((step) => changesWorld(step) && !repeatsCall(step));
  const starts = [
    ...effect.changed.filter(isRetimed).map(({ position }) => position),
    ...again.map(({ position }) => position),
    ...near.held,
  ];
  const late = new Set([...starts, ...graph.behind(starts)]);
  const places = near.steps.flatMap((step) => {
    const touches = touchesOf(step);
    return touches.length === 0 ? [] : [{ ...step, touches, changes: changesWorld(step) }];
  });
  const moved = places.filter((one) =>
    gone.has(one.position) ? one.changes : late.has(one.position),
  );
  if (moved.length * places.length > maxCompared)
    return ['Changes the order of steps that share targets with too many others to compare.'];
  const reasons: string[] = [];
  for (const one of moved) {
    const met = places.filter(
      (step) =>
        step.position !== one.position &&
        !gone.has(step.position) &&
        (one.changes || step.changes) &&
        meet(one.touches, step.touches),
    );
    if (met.length === 0) continue;
    const ordered = graph.orderedWith(one.position);
    const other = met.find(({ position }) => !ordered.has(position));
    if (other === undefined) continue;
    reasons.push(
      gone.has(one.position)
        ? `Removes step ${one.label}, which changes what step ${other.label} may read or change.`
        : `Changes the order of step ${one.label} and step ${other.label}, which touch the same target.`,
    );
    if (reasons.length >= maxFound) break;
  }
  return reasons;
}

/** Why an acting step may be affected; empty if none. */
export function findFlowChanges(effect: PatchEffect, near: Near): string[] {
  const { changed, removed, names } = effect;
  const graph = new Graph(near.edges);
  const gone = new Set(removed.map(({ position }) => position));
  const nameOf = (id: string) => names.get(id) ?? id;
  return [
    ...removed.flatMap(findLostGate),
    ...changed.flatMap((step) => [
      ...findRegrouped(step, near.readers),
      ...findGained(step, nameOf),
      ...findBypassed(step, graph, gone),
    ]),
    ...findFedByRerun(effect, near, graph, gone),
    ...(near.cut
      ? ['Changes the order of steps in a plan that is too large to compare step by step.']
      : findReordered(effect, near, graph, gone)),
  ];
}

/** More steps must be read to decide. */
export function concernsOthers({ changed, removed, rerun, invalidated }: PatchEffect): boolean {
  return (
    rerun.length + invalidated.length > 0 || changed.some(isRetimed) || removed.some(changesWorld)
  );
}
