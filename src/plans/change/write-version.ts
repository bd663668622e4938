// Writes a version of a plan: the rows that it says otherwise than the version before it, and what it says of itself.
import type { Transaction } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { deleteSeries, insertSeries } from '#db/plans/series.ts';
import { planVersions } from '#db/schema.ts';
import {
  type ChangedContent,
  deleteEdges,
  deleteSteps,
  leaveOutSteps,
  updateContents,
} from '#db/sql/patch.ts';
import {
  analyzeMany,
  clearSteps,
  type Edge,
  insertEdges,
  insertLanes,
  insertSteps,
  type Lane,
  type NewStep,
} from '#db/steps/steps.ts';
import { continueRows, endRows } from '#db/steps/versions.ts';
import type { VersionRow } from '../content/preflight.ts';
import { mayBeApproved } from '../lifecycle/lifecycle-table.ts';
import type { Begun } from '../series/normalise.ts';
import { dueBefore } from '../series/series.ts';

/** Whether a person has approved the plan, so that more than it says needs a person again. */
export function isGated(row: Pick<PlanRow, 'status'>): boolean {
  return !mayBeApproved(row.status);
}

/** A version beside the one it follows. */
export type NextVersion = {
  id: string;
  version: number;
  added: NewStep[];
  changed: ChangedContent[];
  /** Positions; `all`: none of the steps before is taken over, though some may say the same. */
  removed: number[] | 'all';
  edgesAdded: Edge[];
  edgesRemoved: Edge[];
  /** Kinds of steps that the plan does not have yet. */
  lanes: Lane[];
  /** How far series that it adds are steps already. */
  begun: Begun[];
};

/** Rows of the version before that are not valid any more. */
async function endVersion(
  tx: Transaction,
  base: PlanRow,
  { version, removed, changed, edgesRemoved }: NextVersion,
): Promise<void> {
  if (removed === 'all') {
    await clearSteps(tx, base.id, version);
    if (base.open_until !== null) await deleteSeries(tx, base.id);
    return;
  }
  const positions = changed.map(({ position }) => position);
  await endRows(tx, base.id, version, [...positions, ...removed]);
  await deleteEdges(tx, base.id, edgesRemoved);
  if (isGated(base)) await leaveOutSteps(tx, base.id, version, removed);
  else await deleteSteps(tx, base.id, removed);
}

/**
 * Stores a version. The caller holds the plan's lock, has the plan's row say what the version decides of it, and does what
 * else follows: events, counters of added steps, statuses.
 * @param base the plan in the version before; null: it is the first
 * @param describe called when its steps are stored, so that they can be digested as they are
 */
export async function writeVersion(
  tx: Transaction,
  base: PlanRow | null,
  next: NextVersion,
  describe: () => Promise<Omit<VersionRow, 'created_at'>>,
): Promise<void> {
  const { id, version, added, changed, edgesAdded, lanes, begun } = next;
  if (base !== null) await endVersion(tx, base, next);
  await insertLanes(tx, id, lanes);
  await updateContents(tx, id, version, changed);
  await insertSteps(tx, id, version, added);
  await insertEdges(tx, id, edgesAdded);
  const replaced = base !== null && next.removed === 'all';
  await analyzeMany(tx, added.length + edgesAdded.length, replaced);
  if (replaced) await continueRows(tx, id, version);
  await tx.insert(planVersions).values(await describe());
  await insertSeries(
    tx,
    id,
    begun.map(({ series, expandedTo, next: following }) => ({
      series,
      expandedTo,
      expandAt: dueBefore(following),
    })),
  );
}
