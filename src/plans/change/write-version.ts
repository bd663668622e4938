// Writes a version's row and changed steps.
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

/** Once approved, widening needs approval. */
export function isGated(row: Pick<PlanRow, 'status'>): boolean {
  return !mayBeApproved(row.status);
}

export type NextVersion = {
  id: string;
  version: number;
  added: NewStep[];
  changed: ChangedContent[];
  /** `all`: no earlier step is carried over. */
  removed: number[] | 'all';
  edgesAdded: Edge[];
  edgesRemoved: Edge[];
  lanes: Lane[];
  begun: Begun[];
};

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
 * Under the lock; the caller updates the plan's row, events, counters and statuses.
 * @param base null for the first version
 * @param describe called once the steps are stored, to digest them
 */
export async function writeVersion(
  tx: Transaction,
  base: PlanRow | null,
  next: NextVersion,
  describe: () => Promise<Omit<VersionRow, 'created_at'>>,
): Promise<void> {
  const { id, version, added, changed, edgesAdded, lanes, begun } = next;
  if (base !== null) await endVersion(tx, base, next);
  if (base !== null && next.removed !== 'all')
    await deleteSeries(
      tx,
      id,
      begun.map(({ series }) => series.id),
    );
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
