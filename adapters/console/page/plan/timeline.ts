// When each step ran, runs or should run. Pure.
// Actual times first, then the stored schedule, then a forward pass.
import { headlineOf } from '#cards/calls.ts';
import { describeLength } from '#cards/times.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import type { Plan, Step } from '#domain/plan/plan.ts';
import type { Forecast } from '#domain/planning/forecast.ts';
import { formatDuration, formatMoment } from './format.ts';
import { describeStep } from './words.ts';

/** Epoch milliseconds. */
export type Span = { start: number; end: number };

export type Row = {
  step: ShownStep;
  actual: Span | null;
  expected: Span | null;
  /** By the stored schedule, not estimated here. */
  scheduled: boolean;
  /** The duration is assumed. */
  assumed: boolean;
};

export type Timeline = { rows: Row[]; start: number; end: number };

const minute = 60_000;
const final = new Set(['succeeded', 'failed', 'skipped', 'cancelled']);
const over = new Set<Plan['status']>(['completed', 'failed', 'rejected', 'cancelled']);

/** Topological; steps on a cycle keep their place. */
function orderSteps(steps: ShownStep[]): ShownStep[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const seen = new Set<string>();
  const ordered: ShownStep[] = [];
  for (const first of steps) {
    const stack: { step: ShownStep; left: Dependency[] }[] = [];
    const enter = (step: ShownStep) => {
      if (seen.has(step.id)) return;
      seen.add(step.id);
      stack.push({ step, left: [...step.after] });
    };
    enter(first);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const before = byId.get(top.left.pop()?.id ?? '');
      if (before !== undefined) enter(before);
      else if (top.left.length === 0) {
        ordered.push(top.step);
        stack.pop();
      }
    }
  }
  return ordered;
}

/** Mean of ended steps, else a minute. */
function assumeLength(steps: Step[]): number {
  const lengths = steps.flatMap(({ started_at, ended_at }) =>
    started_at === null || ended_at === null ? [] : [Date.parse(ended_at) - Date.parse(started_at)],
  );
  if (lengths.length === 0) return minute;
  return Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / lengths.length);
}

function earliestStart(
  { after, not_before }: Step,
  length: number,
  from: number,
  spans: Map<string, Span>,
): number {
  let start = Math.max(from, not_before === null ? from : Date.parse(not_before));
  for (const { id, type, lag_minutes } of after) {
    const before = spans.get(id);
    if (before === undefined) continue;
    const { fromFinish, toFinish } = edgeEnds[type];
    const bound = (fromFinish ? before.end : before.start) + lag_minutes * minute;
    start = Math.max(start, toFinish ? bound - length : bound);
  }
  return start;
}

/** From the server; `scheduled`, or an estimate. */
export type Known = Span & { scheduled: boolean };
type Placing = { now: number; usual: number; schedule: ReadonlyMap<string, Known> };

function placeStep(
  step: ShownStep,
  { now, usual, schedule }: Placing,
  spans: Map<string, Span>,
): Row {
  const length = step.duration_minutes === null ? usual : step.duration_minutes * minute;
  const assumed = step.duration_minutes === null;
  if (step.started_at !== null) {
    const start = Date.parse(step.started_at);
    const actual = { start, end: step.ended_at === null ? now : Date.parse(step.ended_at) };
    const expected = step.ended_at === null ? { start, end: Math.max(now, start + length) } : null;
    spans.set(step.id, expected ?? actual);
    return { step, actual, expected: assumed ? null : expected, assumed, scheduled: false };
  }
  if (final.has(step.status))
    return { step, actual: null, expected: null, assumed, scheduled: false };
  const block = schedule.get(step.id);
  const start = earliestStart(step, length, now, spans);
  const expected =
    block === undefined ? { start, end: start + length } : { start: block.start, end: block.end };
  spans.set(step.id, expected);
  return { step, actual: null, expected, assumed, scheduled: block?.scheduled === true };
}

export function readTimes({ steps }: Pick<Forecast, 'steps'>): Map<string, Known> {
  return new Map(
    steps.map(({ id, starts_at, ends_at, scheduled }) => [
      id,
      { start: Date.parse(starts_at), end: Date.parse(ends_at), scheduled },
    ]),
  );
}

const notStarted = new Set<Plan['status']>(['proposed', 'needs_review', 'approved']);
const unscheduled: ReadonlyMap<string, Known> = new Map();

/** Ended plans have no forecast. @param stored server times; actual ones win */
export function layOutTimeline(
  steps: ShownStep[],
  status: Plan['status'],
  now: number,
  stored: ReadonlyMap<string, Known> = unscheduled,
): Timeline {
  const usual = assumeLength(steps);
  const schedule = notStarted.has(status)
    ? stored
    : new Map([...stored].filter(([, { scheduled }]) => !scheduled));
  const spans = new Map<string, Span>();
  const placed = new Map(
    orderSteps(steps).map((step) => [step.id, placeStep(step, { now, usual, schedule }, spans)]),
  );
  const rows = steps.flatMap((step) => placed.get(step.id) ?? []);
  if (over.has(status)) for (const row of rows) row.expected = null;
  const all = rows.flatMap(({ actual, expected }) => [actual ?? [], expected ?? []].flat());
  const start = Math.min(...all.map((span) => span.start), ...(all.length === 0 ? [now] : []));
  const end = Math.max(...all.map((span) => span.end), start + 1);
  return { rows, start, end };
}

const second = 1000;
const hour = 60 * minute;
const day = 24 * hour;
const tickSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500]
  .concat([1, 2, 5, 10, 15, 30].map((n) => n * second))
  .concat([1, 2, 5, 10, 15, 30].map((n) => n * minute))
  .concat([1, 2, 4, 6, 12].map((n) => n * hour))
  .concat([1, 2, 7, 14, 30, 90, 365].map((n) => n * day));

/** Round offsets in ms from the start. */
export function placeTicks(length: number, most: number): number[] {
  const step = tickSteps.find((size) => length / size <= most) ?? length;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
}

/** Otherwise it shows order, not times. */
export function isTimed({ rows }: Timeline): boolean {
  return rows.some(
    ({ step, actual, assumed, scheduled }) =>
      actual !== null || scheduled || !assumed || step.not_before !== null,
  );
}

/** Empty if unstated; a person's in working time. */
export function statedLength(
  step: Pick<Step, 'tool' | 'duration' | 'duration_minutes'>,
  workingDay: number | null,
): string {
  return describeLength(step, workingDay) ?? '';
}

export function lengthOf({ step, actual }: Row, workingDay: number | null): string {
  if (actual !== null) return formatDuration(actual.end - actual.start);
  return statedLength(step, workingDay);
}

export const momentOf = (time: number) => formatMoment(new Date(time).toISOString());

export function describeRow(row: Row, workingDay: number | null): { label: string; text: string } {
  const { step, actual, expected, scheduled } = row;
  const { words } = describeStep(step.status);
  const label = headlineOf(step.call);
  const span = actual ?? expected;
  if (span === null) return { label, text: words };
  const length = lengthOf(row, workingDay) || 'duration unknown';
  const begins = momentOf(span.start);
  if (actual !== null) return { label, text: `${words}; began ${begins}, ${length}` };
  const when = scheduled
    ? `scheduled ${begins} – ${momentOf(span.end)}`
    : `estimate: begins ${begins}`;
  return { label, text: `${words}; ${when}, ${length}` };
}
