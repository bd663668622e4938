// The effect of a patch as data: steps before and after, edges added and removed.
import type { RerunStep } from '#db/sql/rerun.ts';
import type { Edge } from '#db/steps/steps.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import type { StepBody } from '../content/normalise-step.ts';

/** A step with what it waits for, as a version says it. */
export type StepAsSaid = Omit<StepBody, 'seal' | 'review_rank'> & { after: Dependency[] };

/** `label`: what it is called; null: by its position. `args_by`: which operation of the patch gave the step its arguments, the last of several; null: none did. */
export type AddedStep = {
  now: StepAsSaid;
  position: number;
  label: string | null;
  args_by: number | null;
};
export type ChangedStep = {
  position: number;
  before: Step;
  now: StepAsSaid;
  args_by: number | null;
};

/** All that a patch changes. Steps whose dependencies alone changed are among `changed`. */
export type PatchEffect = {
  added: AddedStep[];
  changed: ChangedStep[];
  removed: Step[];
  /** Ids of steps that others take the place of, and of those others. */
  replaced: ReadonlyMap<string, string>;
  /** Labels of the steps it mentions, by id. */
  names: Map<string, string>;
  edgesAdded: Edge[];
  edgesRemoved: Edge[];
  /** Steps that run again. */
  rerun: RerunStep[];
  /** Steps that become stale, and how many that are with what depends on them. */
  invalidated: { steps: StepSelector; reason: string | null; count: number }[];
};

export const countInvalidated = ({ invalidated }: PatchEffect): number =>
  invalidated.reduce((sum, { count }) => sum + count, 0);

/** Whether a patch changes what the plan says, and not only how far it is. */
export function changesContent({ added, changed, removed }: PatchEffect): boolean {
  return added.length + changed.length + removed.length > 0;
}
