// The effect of a patch as data: steps before and after, edges added and removed.
import type { RerunStep } from '#db/sql/rerun.ts';
import type { Edge } from '#db/steps/steps.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import type { Series, Step } from '#domain/plan/plan.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import type { StepBody } from '../content/normalise-step.ts';
import type { Begun } from '../series/normalise.ts';

/** A step with its dependencies, as in a version. */
export type VersionStep = Omit<StepBody, 'seal' | 'review_rank'> & { after: Dependency[] };

/**
 * `label` is null if the step is called by its position. `args_by`: the last operation of the patch that gave the step its
 * arguments, or null if none did.
 */
export type AddedStep = {
  now: VersionStep;
  position: number;
  label: string | null;
  args_by: number | null;
};
export type ChangedStep = {
  position: number;
  before: Step;
  now: VersionStep;
  args_by: number | null;
};

/** Recurring steps as they were, and from now on. */
export type SeriesChange = { before: Series; begun: Begun };

/** All that a patch changes. Steps whose dependencies alone changed are among `changed`. */
export type PatchEffect = {
  added: AddedStep[];
  changed: ChangedStep[];
  removed: Step[];
  /** IDs of replaced steps, and of their replacements. */
  replaced: ReadonlyMap<string, string>;
  /** Labels of the steps it mentions, by ID. */
  names: Map<string, string>;
  edgesAdded: Edge[];
  edgesRemoved: Edge[];
  rerun: RerunStep[];
  /** IDs of the steps that only its series add or change. */
  expanded: ReadonlySet<string>;
  /** Steps that become stale; `count` includes the steps that depend on them. */
  invalidated: { steps: StepSelector; reason: string | null; count: number }[];
  series: SeriesChange[];
};

export const countChanges = ({ added, changed, removed, rerun, invalidated }: PatchEffect) => ({
  added: added.length,
  changed: changed.length,
  removed: removed.length,
  rerun: rerun.length,
  invalidated: invalidated.reduce((sum, { count }) => sum + count, 0),
});

/** Whether a patch changes the plan's content rather than only its progress. */
export function changesContent({ added, changed, removed, series }: PatchEffect): boolean {
  return added.length + changed.length + removed.length + series.length > 0;
}
