// Moves times from nodes to their steps: a start holds back the first steps; a node's duration is split among its steps.
import type { Schedule, ScheduleBlock } from '#domain/planning/schedule.ts';
import { predecessorsOf, sortSteps } from './durations.ts';
import { type OutlineIndex, seriesOf } from './outline-index.ts';

export type StepTimes = {
  /** Moments of first steps that wait for them (by number), ISO 8601. */
  starts: Map<number, string>;
  /** Minutes of steps that say none themselves. */
  durations: Map<number, number>;
};

/**
 * @param schedule null: none was made, so the moments that were said hold by themselves
 * @param firsts the first steps of a node, by its number
 */
export function timeSteps(
  index: OutlineIndex,
  schedule: Schedule | null,
  firsts: (place: number) => number[],
): StepTimes {
  const times: StepTimes = { starts: new Map(), durations: new Map() };
  const holding: Pick<ScheduleBlock, 'node' | 'starts_at'>[] =
    schedule?.blocks.filter(({ holds }) => holds) ??
    index.nodes.flatMap(({ id, not_before }) =>
      not_before === null ? [] : [{ node: id, starts_at: not_before }],
    );
  for (const { node, starts_at } of holding) {
    const place = index.places.get(node);
    // What comes again begins by its rule, each time anew.
    if (place === undefined || seriesOf(index, place) !== -1) continue;
    const said = index.nodes[place]?.not_before ?? null;
    // The same moment in the words that a person used.
    const start = said !== null && Date.parse(said) === Date.parse(starts_at) ? said : starts_at;
    for (const step of firsts(place)) keepLater(times.starts, index, step, start);
  }
  index.nodes.forEach((node, place) => {
    if (node.duration_minutes !== null) shareDuration(index, place, node.duration_minutes, times);
  });
  return times;
}

function keepLater(
  starts: Map<number, string>,
  index: OutlineIndex,
  step: number,
  start: string,
): void {
  const other = starts.get(step) ?? index.steps[step]?.draft.not_before;
  if (other === undefined || Date.parse(other) < Date.parse(start)) starts.set(step, start);
}

/** Steps without a duration share what their node takes: equally along its longest row, so that the row adds up. */
function shareDuration(
  index: OutlineIndex,
  place: number,
  minutes: number,
  { durations }: StepTimes,
): void {
  const own = index.ownSteps[place] ?? [];
  const isOpen = (step: number) => index.steps[step]?.draft.duration_minutes === undefined;
  if (own.length === 0 || !own.every(isOpen)) return;
  const ranks = new Map<number, number>();
  for (const step of sortSteps(index, place)) {
    const before = predecessorsOf(index, step).map((other) => ranks.get(other) ?? 0);
    ranks.set(step, 1 + Math.max(0, ...before));
  }
  let longest = 1;
  for (const rank of ranks.values()) longest = Math.max(longest, rank);
  for (const step of own) durations.set(step, Math.round((minutes / longest) * 100) / 100);
}
