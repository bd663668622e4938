// A patch: a change to a proposed or approved plan, applied as a whole against a revision or refused as a whole.
import { z } from 'zod';
import { line } from '../text.ts';
import { Dependency } from './dependency.ts';
import type { SeenState } from './seen.ts';
import { StepDraft, StepSettings } from './step-content.ts';
import { StepSelector } from './step-selector.ts';

export const PatchOperation = z.discriminatedUnion('op', [
  /** `step.after` may name steps of the plan and steps added before it in this patch. */
  z.strictObject({ op: z.literal('add_step'), step: StepDraft.required({ id: true }) }),
  /** Only fields of `set` change; `null` clears one that may be absent. */
  z.strictObject({
    op: z.literal('update_steps'),
    steps: StepSelector,
    set: StepSettings.refine((set) => Object.keys(set).length > 0, 'changes nothing'),
  }),
  /**
   * They never run, and never again: those that failed, wait for a person or have an unknown outcome too, where `ids` names
   * them. What waits for them has to be removed as well, or with `release` goes on without them.
   */
  z.strictObject({
    op: z.literal('remove_steps'),
    steps: StepSelector,
    release: z.boolean().optional(),
  }),
  /**
   * Removes `step` and adds `by` in its place: what waited for it or used its output takes `by` instead. Without `after`, `by`
   * waits for what `step` waited for.
   */
  z.strictObject({
    op: z.literal('replace_step'),
    step: line(200),
    by: StepDraft.required({ id: true }),
  }),
  /** They and what depends on them are stale until the finding that this raises is settled. */
  z.strictObject({
    op: z.literal('invalidate_steps'),
    steps: StepSelector,
    reason: line(1000).optional(),
  }),
  /**
   * Those of them that are stale, succeeded, failed or skipped run again, as they stand. What has used the output of one has to
   * run again with it.
   */
  z.strictObject({ op: z.literal('rerun_steps'), steps: StepSelector }),
  z.strictObject({ op: z.literal('add_dependency'), step: line(200), after: Dependency }),
  z.strictObject({
    op: z.literal('remove_dependency'),
    step: line(200),
    after: Dependency.pick({ id: true, type: true }),
  }),
]);
export type PatchOperation = z.infer<typeof PatchOperation>;
/** A step as a patch adds it. */
export type AddedDraft = Extract<PatchOperation, { op: 'add_step' }>['step'];

/** An operation as it is stored: with what the targets of the steps it adds or changes looked like when it was sent (A12). */
export type PinnedOperation = PatchOperation & { seen?: { step: string; state: SeenState }[] };

/** The step that an operation adds, if it adds one. */
export function addedBy(operation: PatchOperation): AddedDraft | null {
  switch (operation.op) {
    case 'add_step':
      return operation.step;
    case 'replace_step':
      return operation.by;
    default:
      return null;
  }
}

/** What was seen of the target of step `id`; null: it was not looked at. */
export function seenBy({ seen = [] }: PinnedOperation, id: string): SeenState | null {
  return seen.find(({ step }) => step === id)?.state ?? null;
}

/** The body of POST /api/plans/:id/patches. */
export const PlanPatch = z.strictObject({
  /** The revision of the plan that the author has read; steps that changed since are conflicts. */
  base_revision: z.number().int().min(1),
  reason: line(1000).optional(),
  operations: z.array(PatchOperation).min(1).max(100_000),
});
export type PlanPatch = z.infer<typeof PlanPatch>;
