// Looks up a patch's targets before the plan is locked (A12).
import type { Queryable } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { findEarlier } from '#db/sql/patch-reads.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import {
  addedBy,
  type PatchOperation,
  type PinnedOperation,
  type PlanPatch,
} from '#domain/plan/patch.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { SeenState } from '#domain/plan/seen.ts';
import { mapInSlices } from '#domain/slices.ts';
import { operationName } from '#domain/tool.ts';
import { lookAt } from '../content/look-at-targets.ts';
import { requireCallsAllowed } from '../content/normalise.ts';
import { bindStep } from '../content/normalise-step.ts';
import type { PatchEffect } from './patch-effect.ts';
import { type PatchRules, resolvePatch } from './resolve.ts';

/** Stored steps read to find a target's creator. */
const maxEarlier = 2000;

const givesArguments = (operation: PatchOperation): boolean =>
  addedBy(operation) !== null ||
  (operation.op === 'update_steps' && operation.set.args !== undefined);

/** Null if unresolvable; storing the change reports why. */
async function resolveNow(
  db: Queryable,
  row: PlanRow,
  rules: PatchRules,
  patch: PlanPatch,
): Promise<PatchEffect | null> {
  try {
    return await resolvePatch(db, row, rules, patch);
  } catch (error) {
    if (error instanceof CountersignError) return null;
    throw error;
  }
}

/** Ended steps change nothing. */
function asEarlier(step: Step): Pick<Step, 'id' | 'tool' | 'effect' | 'args' | 'after'> {
  const ended = step.status === 'succeeded' || step.status === 'cancelled';
  return ended ? { ...step, effect: 'read', after: [] } : step;
}

async function readEarlier(db: Queryable, planId: string, { added, changed }: PatchEffect) {
  const touched = [...added, ...changed].map(({ now }) => now);
  const own = new Set(touched.map(({ id }) => id));
  const before = touched.flatMap(({ after }: { after: Dependency[] }) => after.map(({ id }) => id));
  const stored = [...new Set(before)].filter((id) => !own.has(id));
  const ids = await findEarlier(db, planId, stored, maxEarlier);
  const steps = await readStepsById(
    db,
    planId,
    ids.filter((id) => !own.has(id)),
  );
  return [...touched, ...steps.map(asEarlier)];
}

/** Only for steps whose arguments are set. @throws as `requireCallsAllowed` */
export async function pinTargets(
  db: Queryable,
  row: PlanRow,
  rules: PatchRules,
  patch: PlanPatch,
): Promise<PinnedOperation[]> {
  const { operations } = patch;
  if (!operations.some(givesArguments)) return operations;
  const effect = await resolveNow(db, row, rules, patch);
  if (effect === null) return operations;
  const { catalogue } = rules;
  const touched = [...effect.added, ...effect.changed].filter(({ args_by }) => args_by !== null);
  const calls = touched.map(({ now }) => now);
  await requireCallsAllowed(catalogue, calls, row.requester);
  const all = await mapInSlices(touched, ({ now, args_by }) => {
    const spec = catalogue.get(operationName(now.tool, now.operation));
    if (args_by === null || spec?.inspect === undefined) return [];
    return [{ ...now, args_by, review_rank: bindStep(now, spec).review_rank }];
  });
  const given = all.flat();
  if (given.length === 0) return operations;
  const pins = new Map<number, { step: string; state: SeenState }[]>();
  const looks = await lookAt(catalogue, given, await readEarlier(db, row.id, effect));
  for (const [{ id, args_by }, state] of looks) {
    const known = pins.get(args_by);
    if (known === undefined) pins.set(args_by, [{ step: id, state }]);
    else known.push({ step: id, state });
  }
  return operations.map((operation, index) => {
    const seen = pins.get(index);
    return seen === undefined ? operation : { ...operation, seen };
  });
}
