// A patch: a change to a proposed or approved plan against a revision, applied or refused as a whole.
import { z } from 'zod';
import { JsonObject, line } from '../text.ts';
import { Dependency } from './dependency.ts';
import { mergeArguments } from './merge.ts';
import { PlanDraft, Series } from './plan.ts';
import type { SeenState } from './seen.ts';
import { StepDraft, StepSettings } from './step-content.ts';
import { StepSelector } from './step-selector.ts';

export const PatchOperation = z.discriminatedUnion('op', [
  /** `step.after` may name existing steps and those added earlier in this patch. */
  z.strictObject({ op: z.literal('add_step'), step: StepDraft.required({ id: true }) }),
  /**
   * Only fields in `set` change; `null` clears optional ones. `args` are merged (`merge.ts`). A failed step must run again in the
   * same patch.
   */
  z.strictObject({
    op: z.literal('update_steps'),
    steps: StepSelector,
    set: StepSettings.refine((set) => Object.keys(set).length > 0, 'changes nothing'),
  }),
  /**
   * Permanently removes steps; failed, waiting and unknown ones too if named in `ids`. Dependents must be removed as well, or
   * with `release` continue without them.
   */
  z.strictObject({
    op: z.literal('remove_steps'),
    steps: StepSelector,
    release: z.boolean().optional(),
  }),
  /** Replaces `step` by `by`, also in dependents and references. Without `after`, `by` keeps its prerequisites. */
  z.strictObject({
    op: z.literal('replace_step'),
    step: line(200),
    by: StepDraft.required({ id: true }),
  }),
  /** Makes steps and their dependents stale until the raised finding is settled. */
  z.strictObject({
    op: z.literal('invalidate_steps'),
    steps: StepSelector,
    reason: line(1000).optional(),
  }),
  /** Runs stale, succeeded, failed or skipped steps again, unchanged. Users of their outputs must run again too. */
  z.strictObject({ op: z.literal('rerun_steps'), steps: StepSelector }),
  z.strictObject({ op: z.literal('add_dependency'), step: line(200), after: Dependency }),
  z.strictObject({
    op: z.literal('remove_dependency'),
    step: line(200),
    after: Dependency.pick({ id: true, type: true }),
  }),
  /** Recurring steps with another rule, or other arguments by the ID of their step. What has begun stays. */
  z.strictObject({
    op: z.literal('change_series'),
    series: line(100),
    set: z
      .strictObject({
        rrule: Series.shape.rrule.exactOptional(),
        starts_at: Series.shape.starts_at.exactOptional(),
        timezone: Series.shape.timezone.exactOptional(),
        until: Series.shape.until.exactOptional(),
        args: z.record(line(200), JsonObject).exactOptional(),
      })
      .refine((set) => Object.keys(set).length > 0, 'changes nothing'),
  }),
]);
export type PatchOperation = z.infer<typeof PatchOperation>;
export type AddedDraft = Extract<PatchOperation, { op: 'add_step' }>['step'];

/**
 * A stored operation with the targets seen when it was sent (A12). `whole`: `args` replace all arguments, as in patches from
 * before arguments were merged.
 */
export type PinnedOperation = PatchOperation & {
  seen?: { step: string; state: SeenState }[];
  whole?: true;
};

/** A step's arguments after an operation that sets some. */
export const argumentsAfter = (
  before: JsonObject,
  { whole }: Pick<PinnedOperation, 'whole'>,
  args: JsonObject,
): JsonObject => (whole === true ? args : mergeArguments(before, args));

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

/** The target seen for step `id`, or null. */
export function seenBy({ seen = [] }: PinnedOperation, id: string): SeenState | null {
  return seen.find(({ step }) => step === id)?.state ?? null;
}

/** The body of POST /api/plans/:id/patches. */
export const PlanPatch = z.strictObject({
  /** The revision the author read; steps changed since are conflicts. */
  base_revision: z.number().int().min(1),
  reason: line(1000).optional(),
  operations: z.array(PatchOperation).min(1).max(100_000),
  /** The next version's, while the plan waits for its first approval. `null` clears a summary that no longer holds. */
  title: PlanDraft.shape.title.optional(),
  summary: PlanDraft.shape.summary.unwrap().nullable().optional(),
});
export type PlanPatch = z.infer<typeof PlanPatch>;
