// Reads passed starts of steps a change adds or reschedules.
import type { Queryable } from '#db/database.ts';
import { namePatched } from '#db/plans/patches.ts';
import { findSelected } from '#db/sql/patch-reads.ts';
import { readLabels } from '#db/steps/pages.ts';
import { labelsShown, type PassedStarts } from '#domain/plan/passed-starts.ts';
import { addedBy, type PatchOperation } from '#domain/plan/patch.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';

type Dated = { at: string; steps: StepSelector };

const date = (steps: StepSelector, start: string | null | undefined): Dated[] =>
  start == null ? [] : [{ at: new Date(start).toISOString(), steps }];

function datedBy(operation: PatchOperation): Dated[] {
  const added = addedBy(operation);
  if (added !== null) return date({ ids: [added.id] }, added.not_before);
  return operation.op === 'update_steps' ? date(operation.steps, operation.set.not_before) : [];
}

export async function readPassedInPatch(
  db: Queryable,
  planId: string,
  { operations, created_at }: { operations: PatchOperation[]; created_at: Date },
  now: Date,
): Promise<PassedStarts | null> {
  const passed = operations.flatMap(datedBy).filter(({ at }) => at <= now.toISOString());
  const moments = passed.map(({ at }) => at).sort();
  const [first] = moments;
  const last = moments.at(-1);
  if (first === undefined || last === undefined) return null;
  const named = passed.flatMap(({ steps }) => steps.ids ?? []);
  const selected = await findSelected(
    db,
    planId,
    passed.flatMap(({ steps }) => steps.partition ?? []),
    passed.flatMap(({ steps }) => steps.tag ?? []),
  );
  const ids = [...new Set([...named, ...selected.map(({ step_id }) => step_id)])];
  const nameAdded = await namePatched(db, planId, operations);
  const labels = await readLabels(db, planId, ids.slice(0, labelsShown));
  return {
    labels: ids.slice(0, labelsShown).map((id) => labels.get(id) ?? nameAdded(id)),
    more: Math.max(0, ids.length - labelsShown),
    first,
    last,
    last_since_proposal: moments.findLast((at) => at > created_at.toISOString()) ?? null,
  };
}
