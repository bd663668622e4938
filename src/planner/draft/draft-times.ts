// Dates a draft's steps and describes changed times. Pure.
import { describeLength } from '#cards/times.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import { runForwardPass } from '#timeline/forward-pass.ts';
import { formatLimit } from '#timeline/recurrence.ts';
import { describeRepetition } from '#timeline/repetition.ts';
import { type Interval, measureWorkingDay, openWorkingTime } from '#timeline/working-time.ts';
import { collectEdges } from '../order/collect-edges.ts';
import { readOperations } from '../order/durations.ts';
import { buildTimeModel, placeOfWork } from '../schedule/time-model.ts';
import { sayPeriod } from '../schedule/time-words.ts';
import type { ToolContext } from '../tool.ts';
import type { DraftDates } from './show-draft.ts';

export function datesOfSession({
  schedule,
  timezone,
  now,
}: Pick<PlanningState, 'schedule' | 'timezone' | 'now'>): DraftDates {
  const places = (schedule?.blocks ?? []).map(
    ({ node, starts_at, ends_at }) =>
      [node, { from: Date.parse(starts_at), to: Date.parse(ends_at) }] as const,
  );
  return { places: new Map(places), timezone, now: new Date(now) };
}

type Dating = Pick<ToolContext, 'tools' | 'settings' | 'now' | 'user'> & {
  state: Pick<ToolContext['state'], 'timezone'>;
};

/** Larger drafts get dates from their schedule. */
const maxDated = 500;

const isTimed = ({ steps, ...node }: OutlineNode): boolean =>
  [node.duration_minutes, node.not_before, node.deadline, node.recurs].some(
    (one) => one !== null,
  ) ||
  node.after.some(({ lag_minutes }) => lag_minutes !== 0) ||
  steps.some(({ not_before, duration_minutes }) => (not_before ?? duration_minutes) !== undefined);

/** As if approved now, calendars ignored. */
export function dateDraft(outline: PlanOutline, context: Dating): Map<string, Interval> {
  const { nodes } = outline;
  if (nodes.length > maxDated || !nodes.some(isTimed)) return new Map();
  const { tools, settings, now, user, state } = context;
  const { profile } = settings;
  const operations = readOperations(tools.manifest());
  const { edges } = collectEdges(outline);
  const pools = tools.capacity?.pools;
  const options = { operations, user, buffer: profile.buffer, pools };
  const model = buildTimeModel(outline, { edges }, options);
  const pass = runForwardPass({
    ...model,
    now: now.getTime(),
    time: openWorkingTime(profile, state.timezone),
    minutesADay: profile.minutes_a_day,
    busy: new Map(),
  });
  if (pass.kind !== 'placed') return new Map();
  return new Map(
    nodes.flatMap(({ id }) => {
      const place = placeOfWork(pass.places, id);
      return place === undefined ? [] : [[id, place] as const];
    }),
  );
}

/** `step 3: Thu 3 Dec, 09:00 – Mon 7 Dec, 12:00 (2 working days), by Fri 11 Dec, 12:00` */
function describeStepTimes(
  step: OutlineNode['steps'][number],
  node: OutlineNode,
  place: Interval | undefined,
  { settings, state: { timezone }, now }: Dating,
): string | null {
  const { recurs, deadline } = node;
  const length = describeLength(step, measureWorkingDay(settings.profile));
  const repeats = recurs === null ? null : describeRepetition(recurs, now);
  const words = [
    ...(repeats !== null
      ? [repeats]
      : place === undefined
        ? []
        : [sayPeriod(place, timezone, now)]),
    ...(length === null ? [] : [`(${length})`]),
  ].join(' ');
  const isLate = deadline !== null && place !== undefined && place.to > Date.parse(deadline);
  const limit =
    deadline === null
      ? ''
      : `, by ${formatLimit(new Date(deadline), timezone)}${isLate ? ': it ends too late' : ''}`;
  return words === '' ? null : words + limit;
}

const keyOf = (step: OutlineNode['steps'][number], node: OutlineNode): string =>
  JSON.stringify([
    [step.duration, step.duration_minutes, step.not_before, step.after],
    [node.not_before, node.deadline, node.recurs, node.duration_minutes],
    node.after.map(({ lag_minutes }) => lag_minutes),
  ]);

const maxShownSteps = 10;

export function describeChangedTimes(
  before: OutlineNode[],
  outline: PlanOutline,
  context: Dating,
): string[] {
  const known = new Map(
    before.flatMap((node) => node.steps.map((step) => [step.id, keyOf(step, node)] as const)),
  );
  const changed = outline.nodes.flatMap((node) =>
    isTimed(node)
      ? node.steps.flatMap((step) =>
          known.get(step.id) === keyOf(step, node) ? [] : [{ step, node }],
        )
      : [],
  );
  if (changed.length === 0) return [];
  const places = dateDraft(outline, context);
  const lines = changed.slice(0, maxShownSteps).flatMap(({ step, node }) => {
    const words = describeStepTimes(step, node, places.get(node.id), context);
    return words === null ? [] : [`step ${step.id}: ${words}`];
  });
  return lines;
}
