// A change to a plan's revision, applied whole or refused.
import { z } from 'zod';
import { JsonObject, line } from '../text.ts';
import { Dependency } from './dependency.ts';
import { mergeArguments } from './merge.ts';
import { PlanDraft, Series } from './plan.ts';
import type { SeenState } from './seen.ts';
import { StepDraft, StepSettings } from './step-content.ts';
import { StepSelector } from './step-selector.ts';

export const PatchOperation = z.discriminatedUnion('op', [
  /** `after` may name steps added earlier in this patch. */
  z.strictObject({ op: z.literal('add_step'), step: StepDraft.required({ id: true }) }),
  /** `null` clears; `args` merge (`merge.ts`). A failed step must rerun in the same patch. */
  z.strictObject({
    op: z.literal('update_steps'),
    steps: StepSelector,
    set: StepSettings.refine((set) => Object.keys(set).length > 0, 'changes nothing'),
  }),
  /** Failed, waiting and unknown ones only by `ids`. Dependents must go too, or continue with `release`. */
  z.strictObject({
    op: z.literal('remove_steps'),
    steps: StepSelector,
    release: z.boolean().optional(),
  }),
  /** Also in dependents and references. Without `after`, `by` keeps its prerequisites. */
  z.strictObject({
    op: z.literal('replace_step'),
    step: line(200),
    by: StepDraft.required({ id: true }),
  }),
  /** With dependents, until the raised finding is settled. */
  z.strictObject({
    op: z.literal('invalidate_steps'),
    steps: StepSelector,
    reason: line(1000).optional(),
  }),
  /** Stale, succeeded, failed or skipped ones; users of their outputs must rerun too. */
  z.strictObject({ op: z.literal('rerun_steps'), steps: StepSelector }),
  z.strictObject({ op: z.literal('add_dependency'), step: line(200), after: Dependency }),
  z.strictObject({
    op: z.literal('remove_dependency'),
    step: line(200),
    after: Dependency.pick({ id: true, type: true }),
  }),
  /** With another rule, or arguments by step ID. What has begun stays. */
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

/** Stored with the targets seen (A12). `whole`: `args` replace all, as in older patches. */
export type PinnedOperation = PatchOperation & {
  seen?: { step: string; state: SeenState }[];
  whole?: true;
};

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

export function seenBy({ seen = [] }: PinnedOperation, id: string): SeenState | null {
  return seen.find(({ step }) => step === id)?.state ?? null;
}

/** Body of POST /api/plans/:id/patches. */
export const PlanPatch = z.strictObject({
  /** As read; steps changed since are conflicts. */
  base_revision: z.number().int().min(1),
  reason: line(1000).optional(),
  operations: z.array(PatchOperation).min(1).max(100_000),
  /** Until the first approval; `null` clears a summary. */
  title: PlanDraft.shape.title.optional(),
  summary: PlanDraft.shape.summary.unwrap().nullable().optional(),
});
export type PlanPatch = z.infer<typeof PlanPatch>;
