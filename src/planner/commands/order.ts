// Orders steps: groups one after the other as the request says "then", the same path in its order, outputs before their use.
import { referencesOf } from '#domain/plan/arguments.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import type { JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { familyOf } from './families.ts';
import { pathsOverlap, tidyPath } from './files.ts';
import { findField, type Role, readFields } from './schema-fields.ts';
import type { Step } from './step.ts';

/** What a step reads and writes, as paths. '' is the whole workspace. */
export function findTouched(step: { spec: OperationSpec; args: JsonObject }): {
  reads: string[];
  writes: string[];
} {
  const fields = readFields(step.spec.input);
  const value = (role: Role) => {
    const field = findField(fields, role);
    const found = field && step.args[field.name];
    return typeof found === 'string' ? [found] : [];
  };
  switch (familyOf(step.spec)) {
    case 'write':
    case 'delete':
    case 'make_folder':
      return { reads: [], writes: value('path') };
    case 'move':
      return { reads: [], writes: [...value('from'), ...value('to')] };
    case 'copy':
      return { reads: value('from'), writes: value('to') };
    case 'read':
      return { reads: value('path'), writes: [] };
    case 'list':
      return { reads: value('path').length > 0 ? value('path') : [''], writes: [] };
    default: {
      const paths = value('path');
      return step.spec.effect === 'read'
        ? { reads: paths, writes: [] }
        : { reads: [], writes: paths };
    }
  }
}

type Touched = ReturnType<typeof findTouched>;

/** Whether the later of two steps must wait for the earlier one: they meet on a path, and one of them writes. */
export function stepsConflict(a: Touched, b: Touched): boolean {
  const meet = (left: string[], right: string[]) =>
    left.some((p) => right.some((q) => pathsOverlap(p, q)));
  return meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(a.reads, b.writes);
}

/** Longer plans keep a prerequisite that another one already waits for. */
const reducedAtMost = 400;

export async function orderSteps(steps: Step[]): Promise<void> {
  for (const step of steps) {
    for (const reference of referencesOf(step.args)) step.after.add(reference.$from);
    for (const condition of step.when) step.after.add(condition.step);
  }
  await addConflicts(steps);
  addGroups(steps);
  addWaits(steps);
  if (steps.length <= reducedAtMost) reduceEdges(steps);
}

/** Steps that meet on a path, or on a folder and in it, keep their order where one of them writes. */
async function addConflicts(steps: Step[]): Promise<void> {
  type Use = { step: Step; path: string; writes: boolean };
  /** By the path itself, and by each folder it is in; without what a later one there waits for. */
  const [on, inside] = [new Map<string, Use[]>(), new Map<string, Use[]>()];
  const foldersOf = (path: string) =>
    path === '' ? [] : ['', ...[...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))];
  const clean = (path: string) => tidyPath(path).replace(/^\.$/, '');
  const readBy = new Map<string, string[]>();
  for (const step of steps) {
    const { reads, writes } = findTouched(step);
    // A copy is made before its source changes.
    const taken = referencesOf(step.args).flatMap(({ $from }) => readBy.get($from) ?? []);
    readBy.set(step.id, [...reads, ...taken]);
    const uses: Use[] = [
      ...[...reads, ...taken].map((path) => ({ step, path: clean(path), writes: false })),
      ...writes.map((path) => ({ step, path: clean(path), writes: true })),
    ];
    for (const use of uses) {
      const around = foldersOf(use.path).flatMap((folder) => on.get(folder) ?? []);
      for (const other of [...around, ...(on.get(use.path) ?? []), ...(inside.get(use.path) ?? [])])
        if (use.writes || other.writes) step.after.add(other.step.id);
    }
    for (const use of uses) {
      const isLeft = (other: Use) =>
        !step.after.has(other.step.id) || (other.writes && !use.writes);
      const add = (uses: Map<string, Use[]>, path: string) => {
        const known = uses.get(path);
        // Most steps wait for nothing, and then all others stay.
        if (known !== undefined && step.after.size === 0) known.push(use);
        else uses.set(path, [...(known ?? []).filter(isLeft), use]);
      };
      if (use.writes) inside.delete(use.path);
      add(on, use.path);
      for (const folder of foldersOf(use.path)) add(inside, folder);
    }
    if (isSliceOver()) await nextTurn();
  }
}

/** A wait stands between what was said before it and what was said after it, whatever joins them. */
function addWaits(steps: Step[]): void {
  steps.forEach((step, index) => {
    if (familyOf(step.spec) !== 'wait') return;
    for (const before of steps.slice(0, index)) step.after.add(before.id);
    for (const later of steps.slice(index + 1)) later.after.add(step.id);
  });
}

/** The first steps of a group wait for the last ones of the group before. */
function addGroups(steps: Step[]): void {
  const groupOf = new Map(steps.map(({ id, group }) => [id, group]));
  const groups = [...Map.groupBy(steps, ({ group }) => group)].sort(([a], [b]) => a - b);
  let sinks: Step[] = [];
  for (const [group, members] of groups) {
    const waits = members.map(({ after }) => [...after].filter((id) => groupOf.get(id) === group));
    const waitedFor = new Set(waits.flat());
    for (const [at, step] of members.entries())
      if (group !== 0 && waits[at]?.length === 0) for (const sink of sinks) step.after.add(sink.id);
    sinks = members.filter(({ id }) => !waitedFor.has(id));
  }
}

/** Leaves out a prerequisite that another prerequisite already waits for. */
function reduceEdges(steps: Step[]): void {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const ancestors = new Map<string, Set<string>>();
  const collect = (id: string): Set<string> => {
    const known = ancestors.get(id);
    if (known) return known;
    const all = new Set<string>();
    ancestors.set(id, all);
    for (const before of byId.get(id)?.after ?? []) {
      all.add(before);
      for (const far of collect(before)) all.add(far);
    }
    return all;
  };
  for (const step of steps) collect(step.id);
  for (const step of steps) {
    const direct = [...step.after];
    step.after = new Set(
      direct.filter((id) => !direct.some((other) => other !== id && ancestors.get(other)?.has(id))),
    );
  }
}
