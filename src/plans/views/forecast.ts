// When steps take place, and which determine the end.
import type { Queryable } from '#db/database.ts';
import {
  readRoadmapChoice,
  readScheduledPositions,
  readScheduleHead,
} from '#db/planning/artifacts.ts';
import {
  type LinkColumns,
  readLinkColumns,
  readStepColumns,
  type StepColumns,
} from '#db/plans/columns.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { readPositions } from '#db/steps/versions.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';
import type { Forecast } from '#domain/planning/forecast.ts';
import { createRecent } from '#domain/recent.ts';
import { findCriticalPath, type Placed, type Placing } from '#graph/longest-chain.ts';
import { openWorkingTime, workingTimeWithin } from '#timeline/working-time.ts';

/** Larger plans have none. */
const maxPlaced = { steps: 150_000, links: 600_000 };
const maxNamed = 500;
const maxStretches = 500;
const minuteMs = 60_000;

const notStarted = new Set<PlanStatus>(['proposed', 'needs_review', 'approved']);
export const isOver = (status: PlanStatus): boolean =>
  ['completed', 'failed', 'rejected', 'cancelled'].includes(status);

export type PlacedPlan = Placed & {
  positions: number[];
  /** Minutes that are drawn, not counted. */
  guessed: number;
  basis: Forecast['critical']['basis'];
  scheduled: ReadonlySet<number>;
};

type PlanRow = Awaited<ReturnType<typeof readPlanRow>>;

/** In minutes, assumed for steps without a duration; null if none has ended. */
function averageLength({ started, ended }: StepColumns): number | null {
  let sum = 0;
  let count = 0;
  for (const [step, end] of ended.entries()) {
    const length = end - (started[step] ?? Number.NaN);
    if (Number.isNaN(length)) continue;
    sum += length;
    count += 1;
  }
  return count === 0 ? null : sum / count;
}

/** Without a duration while none has ended. */
const drawnMinutes = 1;

type Scheduled = Awaited<ReturnType<typeof readScheduledPositions>>;

/** Actual, or scheduled before the start. */
function fixTimes(
  columns: StepColumns,
  scheduled: Scheduled,
  { now, usual, basis }: { now: number; usual: number; basis: Forecast['critical']['basis'] },
): Omit<Placing, 'links'> {
  const { positions, durations, notBefore, started, ended, over } = columns;
  const size = positions.length;
  const begins = new Float64Array(size).fill(Number.NaN);
  const ends = new Float64Array(size).fill(Number.NaN);
  const lengths = new Float64Array(size);
  const earliest = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
  const blocks = new Map(scheduled.map((block) => [block.position, block]));
  const valueAt = (column: number[], step: number) => column[step] ?? Number.NaN;
  for (let step = 0; step < size; step++) {
    const stated = valueAt(durations, step);
    const isEnded = valueAt(over, step) === 1;
    // A skipped step took no time; without durations each counts as one.
    lengths[step] = isEnded ? 0 : basis === 'order' ? 1 : Number.isNaN(stated) ? usual : stated;
    const moment = valueAt(notBefore, step);
    if (!Number.isNaN(moment) && !isEnded) earliest[step] = moment;
    const start = valueAt(started, step);
    const block = blocks.get(valueAt(positions, step));
    if (!Number.isNaN(start)) {
      const end = valueAt(ended, step);
      begins[step] = start;
      ends[step] = Number.isNaN(end) ? Math.max(now, start + (lengths[step] ?? 0)) : end;
    } else if (block !== undefined) {
      begins[step] = block.starts;
      ends[step] = block.ends;
    }
  }
  return { durations: lengths, earliest, begins, ends };
}

/** @returns null if too large */
async function place(db: Queryable, row: PlanRow, now: number): Promise<PlacedPlan | null> {
  if (row.total > maxPlaced.steps) return null;
  const [columns, links, scheduled] = await Promise.all([
    readStepColumns(db, row.id),
    readLinkColumns(db, row.id, maxPlaced.links),
    notStarted.has(row.status) ? readScheduledPositions(db, row.id, row.version) : [],
  ]);
  if (links === null) return null;
  const { positions } = columns;
  const index = new Int32Array((positions.at(-1) ?? 0) + 1).fill(-1);
  for (const [step, position] of positions.entries()) index[position] = step;
  // A patch's removed steps don't count.
  const kept: LinkColumns = { from: [], to: [], types: [], lags: [] };
  for (const [link, from] of links.from.entries()) {
    const [a, b] = [index[from] ?? -1, index[links.to[link] ?? 0] ?? -1];
    if (a === -1 || b === -1) continue;
    kept.from.push(a);
    kept.to.push(b);
    kept.types.push(links.types[link] ?? 'FS');
    kept.lags.push(links.lags[link] ?? 0);
  }
  // Without durations, elapsed time doesn't predict the end.
  const isTimed =
    columns.durations.some((minutes) => !Number.isNaN(minutes)) ||
    (isOver(row.status) && columns.started.some((minutes) => !Number.isNaN(minutes)));
  const basis = scheduled.length > 0 ? 'schedule' : isTimed ? 'durations' : 'order';
  const average = averageLength(columns);
  const times = fixTimes(columns, scheduled, { now, usual: average ?? drawnMinutes, basis });
  // An ended plan began in the past; steps that never ran take no time.
  const start = isOver(row.status) ? Math.min(now, leastOf(columns.started)) : now;
  const placed = findCriticalPath({ ...times, links: kept }, start);
  const isGuessed = (step: number) =>
    Number.isNaN(columns.durations[step]) &&
    Number.isNaN(times.begins[step]) &&
    columns.over[step] !== 1;
  return {
    ...placed,
    guessed: average === null ? placed.path.filter(isGuessed).length * drawnMinutes : 0,
    positions,
    basis,
    scheduled: new Set(scheduled.map(({ position }) => position)),
  };
}

function leastOf(column: number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const value of column) if (value < least) least = value;
  return least;
}

/** Cached for a while, even as it progresses. */
const keptFrom = 2000;
const keptMs = 20_000;
const maxKept = 4;
const known = createRecent<{ at: number; placed: Promise<PlacedPlan | null> }>({ keep: maxKept });

/** Large plans once per interval, for all readers. @returns null if too large */
export function placeSteps(db: Queryable, row: PlanRow, now: Date): Promise<PlacedPlan | null> {
  const at = now.getTime();
  const key = `${row.id}:${row.version}:${row.total}:${row.status}`;
  const kept = known.get(key);
  const isFresh = kept !== undefined && Math.abs(at - kept.at) < keptMs;
  if (isFresh) return kept.placed;
  const placed = place(db, row, at / minuteMs);
  if (row.total < keptFrom) return placed;
  known.set(key, { at, placed });
  placed.catch(() => known.delete(key));
  return placed;
}

const isoOf = (minutes: number) => new Date(Math.round(minutes * minuteMs)).toISOString();

function describePath(placed: PlacedPlan | null, names: Map<number, string>): Forecast['critical'] {
  if (placed === null || placed.path.length === 0) {
    const left_out = placed === null ? 'too_large' : 'no_steps';
    return { basis: 'order', steps: [], total: 0, minutes: null, left_out };
  }
  const { path, basis, begins, ends, guessed, positions } = placed;
  const [first, last] = [path[0] ?? 0, path.at(-1) ?? 0];
  return {
    basis,
    steps: path.slice(0, maxNamed).flatMap((step) => {
      const position = positions[step] ?? 0;
      const id = names.get(position);
      return id === undefined ? [] : [{ id, position }];
    }),
    total: path.length,
    minutes: basis === 'order' ? null : (ends[last] ?? 0) - (begins[first] ?? 0) - guessed,
    left_out: null,
  };
}

async function readSchedule(db: Queryable, row: PlanRow): Promise<Forecast['schedule']> {
  const head = await readScheduleHead(db, row.id, row.version);
  if (head === null) return null;
  const { timezone, profile, starts_at, ends_at } = head;
  if (starts_at === null || ends_at === null) return { timezone, starts_at, ends_at, working: [] };
  const day = 1440 * minuteMs;
  const span = { from: Date.parse(starts_at) - day, to: Date.parse(ends_at) + day };
  const stretches = workingTimeWithin(openWorkingTime(profile, timezone), span);
  const working = stretches.slice(0, maxStretches).map(({ from, to }) => ({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  }));
  return { timezone, starts_at, ends_at, working };
}

/** @param ids steps to time @throws `plan_not_found` */
export async function readForecast(
  db: Queryable,
  planId: string,
  ids: string[],
  now: Date,
): Promise<Forecast> {
  const row = await readPlanRow(db, planId);
  const [placed, schedule, roadmap] = await Promise.all([
    placeSteps(db, row, now),
    readSchedule(db, row),
    readRoadmapChoice(db, planId, row.version),
  ]);
  const onPath = placed?.path.slice(0, maxNamed).map((step) => placed.positions[step] ?? 0) ?? [];
  const [onPathById, asked] = await Promise.all([
    readPositions(db, planId, { positions: onPath }),
    readPositions(db, planId, { ids: placed === null ? [] : ids }),
  ]);
  const names = new Map([...onPathById].map(([id, position]) => [position, id]));
  const index = new Map(placed?.positions.map((position, step) => [position, step]));
  return {
    critical: describePath(placed, names),
    steps: [...asked].flatMap(([id, position]) => {
      const step = index.get(position);
      if (placed === null || step === undefined) return [];
      return {
        id,
        starts_at: isoOf(placed.begins[step] ?? 0),
        ends_at: isoOf(placed.ends[step] ?? 0),
        scheduled: placed.scheduled.has(position),
      };
    }),
    schedule,
    roadmap:
      roadmap === null
        ? null
        : { options: roadmap.options_tried, chosen: roadmap.chosen, reason: roadmap.reason },
  };
}
