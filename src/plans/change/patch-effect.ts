// The effect of a patch as data.
import type { RerunStep } from '#db/sql/rerun.ts';
import type { Edge } from '#db/steps/steps.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import type { Series, Step } from '#domain/plan/plan.ts';
import { keyOfDependency } from '#domain/plan/step-changes.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import type { StepBody } from '../content/normalise-step.ts';
import type { Begun } from '../series/normalise.ts';

/** With dependencies, as in a version. */
export type VersionStep = Omit<StepBody, 'seal' | 'review_rank'> & { after: Dependency[] };

/** `label`: null if called by position. `args_by`: the last operation that set the arguments. */
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

export type SeriesChange = { before: Series; begun: Begun };

/** `changed` includes steps with only other dependencies. */
export type PatchEffect = {
  added: AddedStep[];
  changed: ChangedStep[];
  removed: Step[];
  /** IDs of replaced steps to their replacements. */
  replaced: ReadonlyMap<string, string>;
  names: Map<string, string>;
  edgesAdded: Edge[];
  edgesRemoved: Edge[];
  rerun: RerunStep[];
  /** Step IDs that only a series adds or changes. */
  expanded: ReadonlySet<string>;
  /** `count`: with dependents. */
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

/** Not only progress. */
export function changesContent({ added, changed, removed, series }: PatchEffect): boolean {
  return added.length + changed.length + removed.length + series.length > 0;
}

/** A step while operations run on it. */
export type Work = {
  position: number;
  /** Null if added. */
  before: Step | null;
  now: VersionStep;
  state: 'named' | 'touched' | 'removed';
  /** By a written operation, not an expanded series. */
  authored: boolean;
  args_by: number | null;
};

/** An edge with another lag is both. */
export function edgesOf(
  successor: number,
  before: Dependency[],
  now: Dependency[],
  positions: ReadonlyMap<string, number>,
): { added: Edge[]; removed: Edge[] } {
  const lagsOf = (after: Dependency[]) =>
    new Map(after.map((one) => [keyOfDependency(one), one.lag_minutes]));
  const missingFrom = (others: Dependency[], after: Dependency[]): Edge[] => {
    const lags = lagsOf(others);
    const missing = after.filter((one) => lags.get(keyOfDependency(one)) !== one.lag_minutes);
    return missing.map(({ id, type, lag_minutes }) => {
      const predecessor = positions.get(id);
      if (predecessor === undefined)
        throw new Error(`edgesOf: ${successor} waits for unread ${id}`);
      return { predecessor, successor, type, lag_minutes };
    });
  };
  return { added: missingFrom(before, now), removed: missingFrom(now, before) };
}

/** Dependencies by predecessor's position, then type, as in versions. */
export async function effectOf(
  works: Work[],
  positions: ReadonlyMap<string, number>,
  replaced: ReadonlyMap<string, string>,
): Promise<PatchEffect> {
  const placeOf = ({ id }: Dependency) => positions.get(id) ?? 0;
  const effect: PatchEffect = {
    added: [],
    changed: [],
    removed: [],
    replaced,
    names: new Map(
      works.flatMap(({ before }) => (before === null ? [] : [[before.id, before.label]])),
    ),
    edgesAdded: [],
    edgesRemoved: [],
    rerun: [],
    expanded: new Set(works.flatMap(({ authored, now }) => (authored ? [] : now.id))),
    invalidated: [],
    series: [],
  };
  for (const { before, now, position, state, args_by } of works) {
    if (isSliceOver()) await nextTurn();
    if (state === 'named') continue;
    if (state === 'removed') {
      if (before !== null) effect.removed.push(before);
      continue;
    }
    now.after = now.after.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.type < b.type ? -1 : 1));
    if (before === null) effect.added.push({ now, position, label: null, args_by });
    else effect.changed.push({ position, before, now, args_by });
    const edges = edgesOf(position, before?.after ?? [], now.after, positions);
    effect.edgesAdded.push(...edges.added);
    effect.edgesRemoved.push(...edges.removed);
  }
  return effect;
}
