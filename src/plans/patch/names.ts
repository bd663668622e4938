// The steps and selectors that the operations of a patch name.
import { conditionsOf } from '#domain/plan/condition.ts';
import type { AddedDraft, PatchOperation, StepSelector } from '#domain/plan/patch.ts';
import { safeReferences } from '../proposal/dependencies.ts';

/** Every id that the operations speak of. */
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
      case 'add_dependency':
      case 'remove_dependency':
        ids.add(operation.step).add(operation.after.id);
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

/** Whether what waits for steps that the operations remove is changed with them. */
export function changesDependents(operations: PatchOperation[]): boolean {
  return operations.some(
    (one) => one.op === 'replace_step' || (one.op === 'remove_steps' && one.release === true),
  );
}

export function selectorsIn(operations: PatchOperation[]): StepSelector[] {
  return operations.flatMap((operation) =>
    operation.op === 'update_steps' || operation.op === 'remove_steps' ? [operation.steps] : [],
  );
}
