// Views of a plan at constant cost.
import { decodeCursor, encodeCursor } from '#db/cursor.ts';
import type { Queryable } from '#db/database.ts';
import { countOpenFindings } from '#db/plans/findings.ts';
import { readPartitions, readPlanRow } from '#db/plans/plans.ts';
import { countsOf } from '#db/steps/accounting.ts';
import { readCompactDiff, readDiff, readRecentEvents } from '#db/steps/events.ts';
import {
  readAsking,
  readLabels,
  readSteps,
  readStepsAt,
  readStepsById,
  readStepsForReview,
} from '#db/steps/pages.ts';
import { countByPartition } from '#db/steps/partitions.ts';
import { CountersignError } from '#domain/errors.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { Step } from '#domain/plan/plan.ts';
import type {
  Diff,
  Overview,
  PartitionPage,
  PartitionSummary,
  StepPage,
} from '#domain/plan/views.ts';
import type { StepFilter } from '#domain/service.ts';
import type { Catalogue } from '#domain/tool.ts';
import { compareSteps, describeSteps, sourcesOf } from '#tools/describe-call.ts';
import { findNextOccurrence } from '../series/next-occurrence.ts';
import { findBlocked } from './blocked.ts';
import { findStage } from './groups.ts';

const partitionsShown = 1000;
const eventsShown = 20;

export async function readOverview(db: Queryable, planId: string): Promise<Overview> {
  const [{ row, blocked, next_at }, partitions, recent_events, findings_open] = await Promise.all([
    readPlanRow(db, planId).then(async (row) => {
      const [blocked, next_at] = await Promise.all([
        findBlocked(db, { ...row, paused: row.paused_at !== null }),
        findNextOccurrence(db, { ...row, open_until: row.open_until?.toISOString() ?? null }),
      ]);
      return { row, blocked, next_at };
    }),
    readPartitions(db, planId, partitionsShown),
    readRecentEvents(db, planId, eventsShown),
    countOpenFindings(db, planId),
  ]);
  return {
    revision: row.revision,
    status: row.status,
    counts: countsOf(row),
    total: row.total,
    partitions,
    recent_events,
    blocked,
    findings_open,
    next_at,
  };
}

/** @throws `plan_not_found`, `invalid_request` if `since` is in the future */
export async function readPlanDiff(
  db: Queryable,
  planId: string,
  since: number,
  limit: number,
  compact: boolean,
): Promise<Diff> {
  const read = compact ? readCompactDiff : readDiff;
  const diff = await read(db, planId, since, limit);
  // Changes prove that the plan exists and reached `since`.
  if (diff.changes.length > 0) return diff;
  const { revision } = await readPlanRow(db, planId);
  if (since <= revision) return diff;
  throw new CountersignError(
    'invalid_request',
    `since: the plan is at revision ${revision}; ${since} has not happened yet.`,
  );
}

/** Cursor: last position. @throws `plan_not_found`, `invalid_request` */
export async function listPlanSteps(
  db: Queryable,
  catalogue: Pick<Catalogue, 'get'>,
  planId: string,
  filter: StepFilter,
  now: Date,
): Promise<StepPage> {
  const { cursor, limit, order, stage, ...conditions } = filter;
  const after = cursor === undefined ? 0 : Number(decodeCursor(cursor, /^\d{1,9}$/));
  const rows =
    stage !== undefined
      ? await readStage(db, planId, stage, { after, limit: limit + 1, now })
      : order === 'review'
        ? await readStepsForReview(db, planId, after, limit + 1)
        : await readSteps(db, planId, conditions, after, limit + 1);
  if (rows.length === 0) await readPlanRow(db, planId);
  const steps = rows.slice(0, limit);
  const last = steps.at(-1);
  const labels = await readLabels(db, planId, sourcesOf(steps));
  const asking = await readAsking(db, planId, steps);
  return {
    steps:
      order === 'review'
        ? await compareSteps(catalogue, steps, labels, asking)
        : describeSteps(catalogue, steps, labels, asking),
    next_cursor:
      rows.length > limit && last !== undefined ? encodeCursor(String(last.position)) : null,
  };
}

async function readStage(
  db: Queryable,
  planId: string,
  stage: number,
  { after, limit, now }: { after: number; limit: number; now: Date },
): Promise<Step[]> {
  const positions = await findStage(db, planId, stage, now);
  const page = positions.filter((position) => position > after).slice(0, limit);
  return readStepsAt(db, planId, page);
}

/** With a sample step. */
export async function readPartitionSummaries(
  db: Queryable,
  catalogue: Pick<Catalogue, 'get'>,
  planId: string,
  after: string | null,
  limit: number,
): Promise<PartitionSummary[]> {
  const counted = await countByPartition(db, planId, after, limit);
  const samples = await readStepsAt(
    db,
    planId,
    counted.flatMap(({ sample }) => sample ?? []),
  );
  const labels = await readLabels(db, planId, sourcesOf(samples));
  const shown = new Map(
    describeSteps(catalogue, samples, labels).map((step) => [step.position, step]),
  );
  return counted.map(({ sample, ...rest }) => ({
    ...rest,
    sample: shown.get(sample ?? 0) ?? null,
  }));
}

/** Cursor: last name. @throws `plan_not_found`, `invalid_request` */
export async function listPlanPartitions(
  db: Queryable,
  catalogue: Pick<Catalogue, 'get'>,
  planId: string,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<PartitionPage> {
  const after = cursor === undefined ? null : decodeCursor(cursor, /^[^\0]{1,200}$/s);
  const rows = await readPartitionSummaries(db, catalogue, planId, after, limit + 1);
  if (rows.length === 0) await readPlanRow(db, planId);
  const partitions = rows.slice(0, limit);
  const last = partitions.at(-1);
  return {
    partitions,
    next_cursor: rows.length > limit && last !== undefined ? encodeCursor(last.name) : null,
  };
}

/** @throws `unknown_step` naming the missing ones */
export async function getPlanSteps(
  db: Queryable,
  catalogue: Pick<Catalogue, 'get'>,
  planId: string,
  ids: string[],
): Promise<ShownStep[]> {
  await readPlanRow(db, planId);
  const steps = await readStepsById(db, planId, ids);
  const known = new Set(steps.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  const labels = await readLabels(db, planId, sourcesOf(steps));
  if (missing.length === 0)
    return compareSteps(catalogue, steps, labels, await readAsking(db, planId, steps));
  throw new CountersignError(
    'unknown_step',
    `This plan has no step ${missing.slice(0, 10).join(', ')}.`,
    { details: { missing } },
  );
}
