// Normalises a draft's series, or reports every problem.
import { CountersignError, type ErrorCode, Problems } from '#domain/errors.ts';
import type { PlanDraft, Series } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { checkTimezone } from '#timeline/recurrence.ts';
import { checkRule, readRule } from '#timeline/rule.ts';
import {
  countedOut,
  horizonMs,
  isOccurrenceOf,
  maxOccurrences,
  occurrencesAfter,
  occurrencesBetween,
  stepsOfOccurrence,
} from './series.ts';

/** Keeps the plan readable. */
const maxAdded = 20_000;

/** Per proposal, over all series. */
const maxMoments = 3000;

/** Leaves room for `#` and a moment. */
const maxId = 170;

export type Begun = {
  series: Series;
  /** Step IDs of its first occurrence. */
  first: string[];
  /** Occurrences up to this are steps. */
  expandedTo: Date;
  /** The first one beyond. */
  next: Date | null;
};

/** Its own, or from the series' ID and the index. */
function nameSteps({ id, steps }: Series): StepDraft[] {
  return steps.map(({ not_before: _, ...step }, index) => ({
    ...step,
    id: step.id ?? (steps.length === 1 ? id : `${id}-${index + 1}`),
  }));
}

function normalise(series: Series): Series {
  return {
    ...series,
    rrule: readRule(series.rrule),
    starts_at: new Date(series.starts_at).toISOString(),
    until: series.until === null ? null : new Date(series.until).toISOString(),
    steps: nameSteps(series),
  };
}

function isStorableTime(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return year >= 1000 && year <= 9998;
}

/** Evaluates the rule only if it parses. */
function checkRhythm(series: Series, path: string, problems: Problems): boolean {
  const { title, rrule, timezone, starts_at, until } = series;
  const before = problems.count;
  const report = (field: string, message: string) =>
    problems.add(
      'invalid_request',
      `${path}.${field}`,
      `Series ${quoteWords(title, 200)}: ${message}`,
    );
  const rule = checkRule(rrule);
  if (rule !== null) report('rrule', rule);
  const zone = checkTimezone(timezone);
  if (zone !== null) report('timezone', zone);
  if (!isStorableTime(starts_at)) {
    report('starts_at', 'it starts at no time between the years 1000 and 9998.');
  }
  if (until !== null && !isStorableTime(until)) {
    report('until', 'it ends at no time between the years 1000 and 9998.');
  } else if (until !== null && Date.parse(until) < Date.parse(starts_at)) {
    report('until', `it ends (${until}) before it starts (${starts_at}).`);
  }
  return problems.count === before;
}

function checkSteps({ title, steps, starts_at }: Series, path: string, problems: Problems): void {
  for (const [index, { id, not_before }] of steps.entries()) {
    const report = (field: string, message: string) =>
      problems.add(
        'invalid_request',
        `${path}.steps[${index}].${field}`,
        `Step ${id ?? index + 1} of series ${quoteWords(title, 200)} ${message}`,
      );
    // Up to the first occurrence it delays nothing.
    if (not_before !== undefined && Date.parse(not_before) > Date.parse(starts_at)) {
      report(
        'not_before',
        'has a not_before, but its rule already says when it starts. Leave not_before out.',
      );
    }
    if (id !== undefined && (id.includes('#') || id.length > maxId)) {
      report(
        'id',
        `needs an id without “#”, of at most ${maxId} characters: the date is put behind it.`,
      );
    }
  }
}

/** A suffix behind `#` identifies an occurrence. */
export function reservedId(id: string): string {
  return `Step "${id}": “#” is kept for the occurrences of a series, and no series has this one. Give the step an id without it.`;
}

function checkIds(steps: StepDraft[], series: Series[], problems: Problems): void {
  for (const [index, { id }] of steps.entries()) {
    if (id === undefined || !id.includes('#') || isOccurrenceOf(series, id)) continue;
    problems.add('reserved_id', `steps[${index}].id`, reservedId(id));
  }
}

/** Within the horizon, or else the next one. @param room occurrences left to compute */
async function begin(
  series: Series,
  now: Date,
  room: number,
  path: string,
  problems: Problems,
): Promise<[Begun, Date[]] | null> {
  const report = (message: string, code: ErrorCode = 'invalid_request') =>
    problems.add(code, `${path}.rrule`, `Series ${quoteWords(series.title, 200)}: ${message}`);
  const tooMany = () => {
    report(
      `with it the series of this plan come more than ${maxMoments.toLocaleString('en-US')} times, which is the limit. Let them come less often, or make several plans.`,
      'limit_exceeded',
    );
    return null;
  };
  const counted = countedOut(series);
  if (counted >= room) return tooMany();
  if (isSliceOver()) await nextTurn();
  const horizon = new Date(now.getTime() + horizonMs);
  try {
    const limit = Math.min(maxOccurrences, room - counted);
    const near = occurrencesBetween(series, now, horizon, limit);
    if (near.length > maxOccurrences) {
      report(
        `it comes more than ${maxOccurrences.toLocaleString('en-US')} times in 30 days, which is the limit. Let it come less often.`,
        'limit_exceeded',
      );
      return null;
    }
    if (near.length > limit) return tooMany();
    if (isSliceOver()) await nextTurn();
    const moments = near.length > 0 ? near : occurrencesAfter(series, now, 1);
    const last = moments.at(-1);
    if (last === undefined) {
      report('nothing of it is left to come. Give it a later end, or leave it out.');
      return null;
    }
    if (isSliceOver()) await nextTurn();
    const expandedTo = last > horizon ? last : horizon;
    const [next] = occurrencesAfter(series, expandedTo, 1);
    const first = stepsOfOccurrence(series, moments[0] ?? last).map(({ id }) => id);
    return [{ series, first, expandedTo, next: next ?? null }, moments];
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    report(error.message);
    return null;
  }
}

/** Each series once, as written, for problems of its template. */
export function withTemplates(
  draft: PlanDraft,
  series: Series[],
): { draft: PlanDraft; places: string[] } {
  const steps = series.flatMap((one) => one.steps);
  const places = [
    ...draft.steps.map((_, index) => `steps[${index}]`),
    ...series.flatMap((one, index) => one.steps.map((_, at) => `series[${index}].steps[${at}]`)),
  ];
  return { draft: { ...draft, steps: [...draft.steps, ...steps] }, places };
}

/**
 * First occurrences become steps; a draft step of the same ID replaces one.
 * @throws `invalid_request`, `limit_exceeded`, `reserved_id`
 */
export async function expandDraft(
  draft: PlanDraft,
  now: Date,
): Promise<{ draft: PlanDraft; begun: Begun[] }> {
  const given = draft.series ?? [];
  const problems = new Problems();
  const begun: Begun[] = [];
  const taken = new Set(draft.steps.flatMap(({ id }) => id ?? []));
  const added: StepDraft[] = [];
  const ids = new Set<string>();
  let room = maxMoments;
  for (const [index, one] of given.entries()) {
    if (isSliceOver()) await nextTurn();
    const path = `series[${index}]`;
    if (ids.has(one.id)) {
      problems.add(
        'invalid_request',
        `${path}.id`,
        `Two series have the id "${one.id}". Give each series its own ID.`,
      );
    }
    ids.add(one.id);
    checkSteps(one, path, problems);
    if (!checkRhythm(one, path, problems)) continue;
    const series = normalise(one);
    const found = await begin(series, now, room, path, problems);
    // Rules that fire too often or never are slow to detect: one refuses the plan.
    if (found === null) break;
    const [start, moments] = found;
    room -= moments.length + countedOut(series);
    begun.push(start);
    if (added.length + moments.length * one.steps.length > maxAdded) {
      problems.add(
        'limit_exceeded',
        path,
        `Series ${quoteWords(one.title, 200)}: with it the plan has more than ${maxAdded.toLocaleString('en-US')} steps in its first 30 days. Let it come less often, or give it fewer steps.`,
      );
      break;
    }
    for (const moment of moments) {
      added.push(...stepsOfOccurrence(start.series, moment).filter(({ id }) => !taken.has(id)));
    }
  }
  problems.settle();
  checkIds(
    draft.steps,
    begun.map(({ series }) => series),
    problems,
  );
  problems.settle();
  if (begun.length === 0) return { draft, begun };
  return { draft: { ...draft, steps: [...draft.steps, ...added] }, begun };
}
