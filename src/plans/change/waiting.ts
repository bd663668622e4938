// A change waiting for approval: rows of the next version, and effects.
import type { Queryable } from '#db/database.ts';
import type { PatchRow } from '#db/plans/patches.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { findChangedSince } from '#db/sql/patch-reads.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { readPositions, readWaiting } from '#db/steps/versions.ts';
import { CountersignError } from '#domain/errors.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { Step } from '#domain/plan/plan.ts';
import { operationName } from '#domain/tool.ts';
import { digestValue, withDigests } from '../content/digests.ts';
import { canBeRemoved, hasBegun, patchConflict } from './conflicts.ts';
import { edgesOf, type PatchEffect } from './patch-effect.ts';
import { type PatchRules, resolvePatch } from './resolve.ts';
import { resolveSets } from './sets.ts';

export const isEffect = ({ op }: PatchOperation): boolean =>
  op === 'rerun_steps' || op === 'invalidate_steps';

/** Covers the version, and operations that no version has. */
export function digestChange(version: string, operations: PatchOperation[]): string {
  const effects = operations.filter(isEffect);
  return effects.length === 0 ? version : digestValue({ version, effects });
}

/** Series changes are resolved at approval, as are changes stored by older programs. */
export const hasVersion = (operations: PatchOperation[]): boolean =>
  !operations.some(({ op }) => op === 'change_series');

/** For changes without a version. */
export function digestOfOperations(
  row: Pick<PlanRow, 'id' | 'digest'>,
  { version, operations }: Pick<PatchRow, 'version' | 'operations'>,
  digests: Record<string, string>,
): string {
  const sent = operations.map(({ whole: _, ...operation }) => operation);
  const sealed = { plan: row.id, base_digest: row.digest, version, operations: sent };
  return digestValue({ ...sealed, ...withDigests(digests) });
}

/** @throws `preflight_failed` if no longer offered */
function boundBy({ catalogue, guarded }: PatchRules, tool: string, operation: string) {
  const name = operationName(tool, operation);
  const spec = catalogue.get(name);
  if (spec === undefined)
    throw new CountersignError('preflight_failed', `${name} is no longer available.`);
  return { effect: spec.effect, guarded: guarded.has(name) };
}

/** Since read. Cancelled steps only lose dependencies; failed ones may rerun. */
async function findConflicts(
  db: Queryable,
  { id }: PlanRow,
  { base_revision: base, operations }: PatchRow,
  changed: Step[],
  removed: Step[],
): Promise<Step[]> {
  const again = new Set(
    operations.flatMap((one) => (one.op === 'rerun_steps' ? (one.steps.ids ?? []) : [])),
  );
  const mayChange = (step: Step) =>
    !hasBegun(step) ||
    step.status === 'cancelled' ||
    (step.status === 'failed' && again.has(step.id));
  const ids = [...changed, ...removed].map((step) => step.id);
  const since = await findChangedSince(db, id, base, ids);
  return [
    ...changed.filter(
      (step) => !mayChange(step) || (step.status !== 'cancelled' && since.has(step.id)),
    ),
    ...removed.filter((step) => !canBeRemoved(step) || since.has(step.id)),
  ];
}

/**
 * As stored; under the lock, or as a preview.
 * @throws `patch_conflict` if its steps progressed, `steps_missing`, `preflight_failed`
 */
export async function readChange(
  db: Queryable,
  row: PlanRow,
  rules: PatchRules,
  patch: PatchRow,
): Promise<PatchEffect> {
  const { base_revision: base, operations } = patch;
  const effects = operations.filter(isEffect);
  const waiting = await readWaiting(db, row.id, patch.version);
  if (waiting === null && effects.length < operations.length)
    return resolvePatch(db, row, rules, patch);
  const { steps, removed } = waiting ?? { steps: [], removed: [] };
  const ids = [...steps.map(({ id }) => id), ...removed];
  const known = new Map((await readStepsById(db, row.id, ids)).map((step) => [step.id, step]));
  const effect: PatchEffect = {
    added: [],
    changed: [],
    removed: removed.flatMap((id) => known.get(id) ?? []),
    replaced: new Map(),
    names: new Map(),
    edgesAdded: [],
    edgesRemoved: [],
    series: [],
    rerun: [],
    expanded: new Set(),
    invalidated: [],
  };
  const links = [...steps, ...known.values()].flatMap(({ after }) => after.map(({ id }) => id));
  const positions = await readPositions(db, row.id, { ids: new Set(links) });
  for (const { id, position } of steps) positions.set(id, position);
  for (const { position, label, ...content } of steps) {
    const before = known.get(content.id);
    if (before === undefined) {
      const now = { ...content, ...boundBy(rules, content.tool, content.operation) };
      effect.added.push({ now, position, label, args_by: null });
    } else {
      const now = { ...content, effect: before.effect, guarded: before.guarded };
      effect.changed.push({ position, before, now, args_by: null });
    }
    const edges = edgesOf(position, before?.after ?? [], content.after, positions);
    effect.edgesAdded.push(...edges.added);
    effect.edgesRemoved.push(...edges.removed);
  }
  const changed = effect.changed.map(({ before }) => before);
  const conflicts = await findConflicts(db, row, patch, changed, effect.removed);
  if (conflicts.length > 0) throw patchConflict(row, conflicts, base);
  await resolveSets(db, row, effects, base, effect);
  return effect;
}

/** Whether it is what `patch`'s digest showed. @param row before the change @param digests of added steps' operations */
export function isAsShown(
  row: Pick<PlanRow, 'id' | 'digest'>,
  patch: PatchRow,
  applied: Pick<PlanRow, 'digest'>,
  digests: Record<string, string>,
): boolean {
  if (digestChange(applied.digest, patch.operations) === patch.digest) return true;
  return [digests, {}].some((some) => digestOfOperations(row, patch, some) === patch.digest);
}
