// A plan by groups of steps, bounded.
import type { Queryable } from '#db/database.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { countsOf } from '#db/steps/accounting.ts';
import {
  countGroupLinks,
  countGroups,
  countKinds,
  type Grouping,
  type GroupRow,
} from '#db/steps/groups.ts';
import { CountersignError } from '#domain/errors.ts';
import type { GroupBy, PlanGroups, StepGroup } from '#domain/plan/groups.ts';
import { createRecent, shareByKey } from '#domain/recent.ts';
import { isOver, type PlacedPlan, placeSteps } from './forecast.ts';

const groupsShown = 200;
const edgesShown = 600;
/** Stages are read with pages of steps. */
const maxStaged = 20_000;

type PlanRow = Awaited<ReturnType<typeof readPlanRow>>;

async function findChoices(db: Queryable, { id, total }: PlanRow): Promise<GroupBy[]> {
  const kinds = await countKinds(db, id, groupsShown + 1);
  const partitions = kinds.partitions + (kinds.unpartitioned ? 1 : 0);
  const few = partitions >= 2 && partitions <= groupsShown;
  const choices: GroupBy[] = [
    ...(few ? ['partition' as const] : []),
    ...(kinds.operations >= 2 ? ['operation' as const] : []),
    ...(kinds.links && total <= maxStaged ? ['stage' as const] : []),
    ...(partitions > groupsShown ? ['partition' as const] : []),
  ];
  return choices.length === 0 ? ['operation'] : choices;
}

/** From position 1; stages start at 1. */
function stagesOf({ positions, levels }: PlacedPlan): Int32Array {
  const stages = new Int32Array(positions.at(-1) ?? 0);
  for (const [step, position] of positions.entries())
    stages[position - 1] = (levels[step] ?? 0) + 1;
  return stages;
}

/** In order. @throws `invalid_request` without stages */
export async function findStage(
  db: Queryable,
  planId: string,
  stage: number,
  now: Date,
): Promise<number[]> {
  const row = await readPlanRow(db, planId);
  const placed = row.total > maxStaged ? null : await placeSteps(db, row, now);
  if (placed === null)
    throw new CountersignError(
      'invalid_request',
      `stage: plans of more than ${maxStaged.toLocaleString('en-US')} steps are not divided into stages.`,
    );
  return placed.positions.filter((_, step) => (placed.levels[step] ?? 0) + 1 === stage);
}

/** From position 1, in seconds from now. */
function columnOf(placed: PlacedPlan, values: Float64Array, now: number): Int32Array {
  const column = new Int32Array(placed.positions.at(-1) ?? 0);
  for (const [step, position] of placed.positions.entries())
    column[position - 1] = Math.round(((values[step] ?? 0) - now) * 60);
  return column;
}

/** Links change only with the version. */
const linksKept = createRecent<ReturnType<typeof countGroupLinks>>({ keep: 16 });

function readLinks(
  db: Queryable,
  { id, version, total }: PlanRow,
  grouping: Grouping,
  keys: string[],
): ReturnType<typeof countGroupLinks> {
  const key = `${id}:${version}:${total}:${grouping.by}`;
  return shareByKey(linksKept, key, () => countGroupLinks(db, id, grouping, keys, edgesShown));
}

/** @param asked default: the most useful grouping @throws `plan_not_found`, `invalid_request` */
export async function readGroups(
  db: Queryable,
  planId: string,
  { by: asked, times }: { by?: GroupBy; times: boolean },
  now: Date,
): Promise<PlanGroups> {
  const row = await readPlanRow(db, planId);
  const [choices, placed] = await Promise.all([findChoices(db, row), placeSteps(db, row, now)]);
  const by = asked ?? choices[0] ?? 'operation';
  if (by === 'stage' && (placed === null || row.total > maxStaged))
    throw new CountersignError('invalid_request', 'by: the plan is too large for stages.');
  const grouping: Grouping =
    by === 'stage' && placed !== null
      ? { by, stages: stagesOf(placed) }
      : { by: by === 'stage' ? 'operation' : by };
  const minutes = now.getTime() / 60_000;
  const expected = placed !== null && times && !isOver(row.status);
  const rows = await countGroups(
    db,
    planId,
    grouping,
    {
      times: expected
        ? {
            begins: columnOf(placed, placed.begins, minutes),
            ends: columnOf(placed, placed.ends, minutes),
          }
        : null,
      critical: placed?.path.map((step) => placed.positions[step] ?? 0) ?? [],
    },
    groupsShown,
  );
  const keys = rows.map(({ key }) => key);
  const { edges, total } = await readLinks(db, row, grouping, keys);
  const shown = rows.reduce((sum, { steps }) => sum + steps, 0);
  const [first] = rows;
  return {
    by,
    choices,
    groups: rows.map((one) => toGroup(one, now.getTime())),
    rest: {
      groups: (first?.groups ?? 0) - rows.length,
      steps: (first?.all_steps ?? 0) - shown,
    },
    edges,
    edges_total: total,
  };
}

function toGroup(row: GroupRow, now: number): StepGroup {
  const { key, steps, first, started_at, ended_at, critical, begins, ends } = row;
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
  return {
    key,
    steps,
    counts: countsOf(row),
    first,
    started_at,
    ended_at,
    expected:
      begins === null || ends === null ? null : { starts_at: at(begins), ends_at: at(ends) },
    critical,
  };
}
