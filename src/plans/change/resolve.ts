// Resolves a patch under the plan's lock; stores nothing.
import type { Queryable } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import {
  findChangedSince,
  findSelected,
  nextNumber,
  nextPosition,
  notBegun,
  readEdgesBetween,
  readEdgesFrom,
} from '#db/sql/patch-reads.ts';
import { readStepsById } from '#db/steps/pages.ts';
import type { Edge } from '#db/steps/steps.ts';
import { CountersignError } from '#domain/errors.ts';
import type { PinnedOperation } from '#domain/plan/patch.ts';
import type { Step } from '#domain/plan/plan.ts';
import { labelAdded } from '#domain/plan/step-numbers.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { buildDigraph, findCycle } from '#graph/digraph.ts';
import { selectorOf } from '../content/check-references.ts';
import type { StepRules } from '../content/normalise-step.ts';
import { expandSeriesChanges } from './change-series.ts';
import { requirePast, stepsMissing } from './conflicts.ts';
import { changesDependents, idsIn, selectorsIn } from './names.ts';
import { changesContent, type PatchEffect } from './patch-effect.ts';
import { Resolution } from './resolution.ts';
import { Selection } from './selection.ts';
import { resolveSets } from './sets.ts';

const keyOf = ({ predecessor, successor, type }: Edge): string =>
  `${predecessor} ${successor} ${type}`;

/** @throws `steps_missing` for dependents that stay */
async function requireClosedRemoval(
  tx: Queryable,
  planId: string,
  { removed, changed, edgesRemoved, edgesAdded }: PatchEffect,
): Promise<void> {
  const rewritten = new Set(changed.map(({ position }) => position));
  const gone = new Set(removed.map(({ position }) => position));
  const cut = new Set(edgesRemoved.map(keyOf));
  const edges = await readEdgesFrom(tx, planId, [...gone]);
  const left = new Set(
    edges
      .filter((edge) => !gone.has(edge.successor) && !cut.has(keyOf(edge)))
      .filter(({ status, successor }) => notBegun.includes(status) || rewritten.has(successor))
      .map(({ id }) => id),
  );
  if (left.size > 0)
    throw stepsMissing(
      [...left],
      (names) =>
        `Steps that would be removed are needed by others: remove ${names} too, or release them ("release": true).`,
    );
  if (edgesAdded.some(({ predecessor }) => gone.has(predecessor))) {
    throw new CountersignError(
      'steps_missing',
      'A step would wait for one that this change removes. Keep that step, or do not wait for it.',
    );
  }
}

/** @throws `dependency_cycle` */
async function checkPatchOrder(
  tx: Queryable,
  planId: string,
  { added, changed, edgesAdded, edgesRemoved }: PatchEffect,
): Promise<void> {
  if (edgesAdded.length === 0) return;
  const fresh = new Set(added.map(({ position }) => position));
  const old = (positions: number[]) => [...new Set(positions)].filter((one) => !fresh.has(one));
  const cut = new Set(edgesRemoved.map(keyOf));
  const between = await readEdgesBetween(
    tx,
    planId,
    old(edgesAdded.map(({ successor }) => successor)),
    old(edgesAdded.map(({ predecessor }) => predecessor)),
  );
  const edges = [...between.filter((edge) => !cut.has(keyOf(edge))), ...edgesAdded];
  const numbers = new Map<number, number>();
  const numberOf = (position: number): number => {
    const known = numbers.get(position) ?? numbers.size;
    numbers.set(position, known);
    return known;
  };
  if (isSliceOver()) await nextTurn();
  const pairs = edges.flatMap(({ predecessor, successor }) => [
    numberOf(predecessor),
    numberOf(successor),
  ]);
  if (isSliceOver()) await nextTurn();
  const cycle = findCycle(buildDigraph(numbers.size, pairs));
  if (cycle === null) return;
  const ids = new Map<number, string>([
    ...between.map(({ predecessor, id }): [number, string] => [predecessor, id]),
    ...changed.map(({ position, now }): [number, string] => [position, now.id]),
    ...added.map(({ position, now }): [number, string] => [position, now.id]),
  ]);
  const positions = [...numbers.keys()];
  const names = [...cycle, cycle[0]].map((number) => {
    const position = positions[number ?? 0] ?? 0;
    return ids.get(position) ?? `at place ${position}`;
  });
  throw new CountersignError(
    'dependency_cycle',
    `These steps would wait for each other: ${names.slice(0, 12).join(' → ')}. Remove one of the dependencies.`,
  );
}

async function readDependents(
  tx: Queryable,
  planId: string,
  steps: Step[],
  known: ReadonlySet<string>,
): Promise<Step[]> {
  const positions = steps.map(({ position }) => position);
  const edges = await readEdgesFrom(tx, planId, positions);
  const ids = [...new Set(edges.map(({ id }) => id))].filter((id) => !known.has(id));
  return ids.length === 0 ? [] : readStepsById(tx, planId, ids);
}

/** Existing labels stay. */
async function nameAdded(
  tx: Queryable,
  planId: string,
  { added, names }: PatchEffect,
): Promise<void> {
  if (added.length === 0) return;
  const first = await nextNumber(tx, planId);
  for (const [nth, step] of added.entries()) {
    step.label = labelAdded(nth, first);
    names.set(step.now.id, step.label ?? `${step.position}`);
  }
}

type Patch = { base_revision: number; operations: PinnedOperation[] };

/** `now`: where changed series begin. */
export type PatchRules = StepRules & { now: Date };

const isText = (value: string | undefined): value is string => value !== undefined;

/** Under the lock, or as a preview. @throws `patch_conflict`, `steps_missing`, `dependency_cycle`, `unknown_step`, step errors */
export async function resolvePatch(
  tx: Queryable,
  row: PlanRow,
  rules: PatchRules,
  { base_revision: base, operations: given }: Patch,
): Promise<PatchEffect> {
  requirePast(row, base);
  const { operations, series } = await expandSeriesChanges(tx, row, given, rules);
  const selectors = selectorsIn(operations, (step) => selectorOf(step, rules.catalogue));
  const partitions = [...new Set(selectors.map(({ partition }) => partition).filter(isText))];
  const tags = [...new Set(selectors.map(({ tag }) => tag).filter(isText))];
  const selected = await findSelected(tx, row.id, partitions, tags);
  const ids = idsIn(operations);
  for (const selector of selectors) for (const id of selector.ids ?? []) ids.add(id);
  for (const { step_id } of selected) ids.add(step_id);
  const asked = await readStepsById(tx, row.id, [...ids]);
  const named = changesDependents(operations)
    ? [...asked, ...(await readDependents(tx, row.id, asked, ids))]
    : asked;
  for (const { id } of named) ids.add(id);
  const touched = new Set(named.flatMap(({ after }) => after.map(({ id }) => id)));
  for (const { id } of named) touched.delete(id);
  const behind = touched.size === 0 ? [] : await readStepsById(tx, row.id, [...touched]);
  const steps = [...named, ...behind];
  const changed = await findChangedSince(tx, row.id, base, [...ids]);
  const resolution = new Resolution(
    row,
    rules,
    base,
    changed,
    new Selection(selected),
    await nextPosition(tx, row.id),
  );
  await resolution.run(steps, operations, given.length);
  const effect: PatchEffect = { ...(await resolution.effect()), series };
  await resolveSets(tx, row, operations, base, effect);
  await nameAdded(tx, row.id, effect);
  if (!changesContent(effect) && effect.rerun.length + effect.invalidated.length === 0) {
    throw new CountersignError('invalid_request', 'This change changes nothing.');
  }
  await requireClosedRemoval(tx, row.id, effect);
  await checkPatchOrder(tx, row.id, effect);
  return effect;
}
