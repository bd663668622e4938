// The effects of a pending change, with those of calls it adds or alters.
import { isDeepStrictEqual } from 'node:util';
import type { Database, Queryable } from '#db/database.ts';
import { labelPatched, namePatched, readPatchOperations } from '#db/plans/patches.ts';
import { findSelected } from '#db/sql/patch-reads.ts';
import { readStepsById } from '#db/steps/pages.ts';
import type { PatchFacts, ShownChange } from '#domain/chat/card.ts';
import { renameReferences } from '#domain/plan/arguments.ts';
import {
  addedBy,
  argumentsAfter,
  type PatchOperation,
  type PinnedOperation,
  seenBy,
} from '#domain/plan/patch.ts';
import type { PatchOutcome } from '#domain/plan/patch-outcome.ts';
import { describeAddition, describeArguments, describeWhole } from '#domain/plan/patch-words.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { SeenState } from '#domain/plan/seen.ts';
import type { JsonObject } from '#domain/text.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import { readPassedInPatch } from '#plans/decisions/passed-starts.ts';
import { describeCall } from '#tools/describe-call.ts';

const operationsShown = 1000;
/** Maximum steps whose calls are shown; further ones are shown as sent. */
const stepsRead = 200;

type Selected = Awaited<ReturnType<typeof findSelected>>;

/** Steps with new arguments. @param selected those in partitions or with tags that the patch names */
function alteredSteps(operation: PatchOperation, selected: Selected): string[] {
  if (operation.op !== 'update_steps' || operation.set.args === undefined) return [];
  const { ids = [], partition, tag } = operation.steps;
  const found = selected.filter(
    (step) =>
      (partition !== undefined && step.partition === partition) ||
      (tag !== undefined && step.tags.includes(tag)),
  );
  return [...new Set([...ids, ...found.map(({ step_id }) => step_id)])];
}

/** Removed steps, as far as the patch names them. */
function removedSteps(operation: PatchOperation): string[] {
  if (operation.op === 'replace_step') return [operation.step];
  return operation.op === 'remove_steps' ? (operation.steps.ids ?? []) : [];
}

function findAltered(db: Queryable, planId: string, operations: PatchOperation[]) {
  const selectors = operations.flatMap((one) => (one.op === 'update_steps' ? [one.steps] : []));
  const partitions = selectors.flatMap(({ partition }) => partition ?? []);
  const tags = selectors.flatMap(({ tag }) => tag ?? []);
  return findSelected(db, planId, [...new Set(partitions)], [...new Set(tags)]);
}

/** Whether every removed step has its own line. */
function saysAll(
  { steps }: Extract<PatchOperation, { op: 'remove_steps' }>,
  removed: ShownChange[],
): boolean {
  const { ids = [], partition, tag } = steps;
  return partition === undefined && tag === undefined && removed.length === ids.length;
}

function showOperation(
  catalogue: Pick<Catalogue, 'get'>,
  operation: PinnedOperation,
  selected: Selected,
  read: ReadonlyMap<string, Step>,
  nameStep: (id: string) => string,
): ShownChange[] {
  const describe = (
    step: { tool: string; operation: string },
    args: JsonObject,
    seen?: SeenState | null,
  ) => {
    const name = operationName(step.tool, step.operation);
    return describeCall(name, catalogue.get(name), renameReferences(args, nameStep), seen);
  };
  const removed = removedSteps(operation).flatMap((id): ShownChange[] => {
    const step = read.get(id);
    if (step === undefined) return [];
    const call = describe(step, step.args);
    return [{ kind: 'removed', text: `step ${nameStep(id)}`, call, reason: '' }];
  });
  const added = addedBy(operation);
  if (added !== null) {
    const { id, description, args = {} } = added;
    const replaced = operation.op === 'replace_step' ? operation.step : null;
    const call = describe(added, args, seenBy(operation, id));
    const text = describeAddition(added, replaced, nameStep);
    return [...removed, { kind: 'added', text, call, reason: description }];
  }
  const calls = alteredSteps(operation, selected).flatMap((id): ShownChange[] => {
    const step = read.get(id);
    if (step === undefined || operation.op !== 'update_steps') return [];
    const { args: set } = operation.set;
    const args = set === undefined ? step.args : argumentsAfter(step.args, operation, set);
    // An unchanged call keeps the target it was approved against.
    const kept = isDeepStrictEqual(args, step.args) ? step.seen : null;
    const call = describe(step, args, seenBy(operation, id) ?? kept);
    const changes = describeArguments(step.args, args, nameStep);
    return [{ kind: 'changed', text: `step ${nameStep(id)}${changes}`, call, reason: '' }];
  });
  if (operation.op === 'remove_steps' && saysAll(operation, removed)) {
    const release = 'What waits for them goes on without them.';
    return operation.release === true
      ? [...removed, { kind: 'other', text: release, call: null, reason: '' }]
      : removed;
  }
  const kind =
    operation.op === 'update_steps' || operation.op === 'change_series' ? 'changed' : 'other';
  const text = describeWhole(operation, nameStep);
  return [...removed, { kind, text, call: null, reason: '' }, ...calls];
}

/** Every change of a patch, uncut, and its passed starts. */
export async function readShownChanges(
  { query: db }: Database,
  catalogue: Pick<Catalogue, 'get'>,
  planId: string,
  { patch_id: id, created_at }: Pick<PatchOutcome, 'patch_id' | 'created_at'>,
  now: Date,
): Promise<Pick<PatchFacts, 'shown' | 'operations_hidden' | 'passed'>> {
  const { operations, total } = await readPatchOperations(db, id, operationsShown);
  const selected = await findAltered(db, planId, operations);
  const all = operations.flatMap((operation) => [
    ...alteredSteps(operation, selected),
    ...removedSteps(operation),
  ]);
  const ids = [...new Set(all)].slice(0, stepsRead);
  const steps = ids.length === 0 ? [] : await readStepsById(db, planId, ids);
  const read = new Map(steps.map((step) => [step.id, step]));
  const named = await namePatched(db, planId, operations);
  const nameStep = (id: string) => read.get(id)?.label ?? named(id);
  const dated = { operations, created_at: new Date(created_at) };
  const passed = await readPassedInPatch(db, planId, dated, now);
  return {
    shown: (await labelPatched(db, planId, operations)).flatMap((operation) =>
      showOperation(catalogue, operation, selected, read, nameStep),
    ),
    operations_hidden: total - operations.length,
    ...(passed === null ? {} : { passed }),
  };
}
