// Steps and selectors that patch operations name.
import { safeReferences } from '#domain/plan/arguments.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import type { AddedDraft, PatchOperation } from '#domain/plan/patch.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';

export function idsIn(operations: PatchOperation[]): Set<string> {
  const ids = new Set<string>();
  for (const operation of operations) {
    switch (operation.op) {
      case 'add_step':
        nameAdded(operation.step, ids);
        break;
      case 'replace_step':
        ids.add(operation.step);
        nameAdded(operation.by, ids);
        break;
      case 'update_steps':
        for (const id of operation.steps.ids ?? []) ids.add(id);
        for (const { $from } of safeReferences(operation.set.args ?? {})) ids.add($from);
        for (const { step } of conditionsOf(operation.set.when)) ids.add(step);
        break;
      case 'remove_steps':
        for (const id of operation.steps.ids ?? []) ids.add(id);
        break;
      case 'invalidate_steps':
      case 'rerun_steps':
        break;
      case 'add_dependency':
      case 'remove_dependency':
        ids.add(operation.step).add(operation.after.id);
        break;
      case 'change_series':
        break;
      default:
        operation satisfies never;
    }
  }
  return ids;
}

function nameAdded({ id, after = [], args = {}, when }: AddedDraft, ids: Set<string>): void {
  ids.add(id);
  for (const entry of after) ids.add(typeof entry === 'string' ? entry : entry.id);
  for (const { $from } of safeReferences(args)) ids.add($from);
  for (const { step } of conditionsOf(when)) ids.add(step);
}

export function changesDependents(operations: PatchOperation[]): boolean {
  return operations.some(
    (one) => one.op === 'replace_step' || (one.op === 'remove_steps' && one.release === true),
  );
}

/** Including `Operation.readsSteps` of added steps. */
export function selectorsIn(
  operations: PatchOperation[],
  readBy: (step: AddedDraft) => StepSelector | null,
): StepSelector[] {
  return operations.flatMap((operation) => {
    switch (operation.op) {
      case 'update_steps':
      case 'remove_steps':
        return [operation.steps];
      case 'add_step':
        return readBy(operation.step) ?? [];
      case 'replace_step':
        return readBy(operation.by) ?? [];
      default:
        return [];
    }
  });
}
