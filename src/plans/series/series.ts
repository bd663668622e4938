// Expands series into occurrences and steps. Pure and deterministic.
import { isDeepStrictEqual } from 'node:util';
import { renameReferences } from '#domain/plan/arguments.ts';
import { renameConditions } from '#domain/plan/condition.ts';
import type { Series } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { localDate, maxCounted, nextOccurrences } from '#timeline/recurrence.ts';
import { isSameRepetition } from '#timeline/repetition.ts';
import { countOfRule, readRule } from '#timeline/rule.ts';

const dayMs = 86_400_000;
export const horizonMs = 30 * dayMs;
/** Within the horizon; more are refused. */
export const maxOccurrences = 1000;
/** Late, not missed, even across midnight. */
export const lateMs = 3_600_000;
export const noEnd = new Date('9999-12-31T23:59:59.999Z');

/** When `next` enters the horizon. */
export function dueBefore(next: Date | null): Date | null {
  return next === null ? null : new Date(next.getTime() - horizonMs);
}

export type Rhythm = Pick<Series, 'rrule' | 'starts_at' | 'timezone' | 'until'>;

const recurrenceOf = ({ rrule, timezone, starts_at }: Rhythm) => ({
  rrule,
  timezone,
  startsAt: new Date(starts_at),
});

/** Up to `until`. @throws invalid_arguments for a wrong rule or zone */
export function occurrencesAfter(rhythm: Rhythm, after: Date, limit: number): Date[] {
  // Includes the first moment.
  const first = new Date(Date.parse(rhythm.starts_at) - 1);
  const found = nextOccurrences(recurrenceOf(rhythm), after > first ? after : first, limit);
  if (rhythm.until === null) return found;
  const until = new Date(rhythm.until);
  return found.filter((moment) => moment <= until);
}

/** At most `limit` + 1. */
export function occurrencesBetween(
  rhythm: Rhythm,
  after: Date,
  upTo: Date,
  limit = maxOccurrences,
): Date[] {
  const found: Date[] = [];
  // A counted rule is always computed whole.
  const maxPage = countedOut(rhythm) > 0 ? limit + 1 : 40;
  for (let last = after; found.length <= limit; ) {
    const page = occurrencesAfter(rhythm, last, maxPage);
    const within = page.filter((moment) => moment <= upTo);
    found.push(...within);
    const end = within.at(-1);
    if (end === undefined || within.length < maxPage) break;
    last = end;
  }
  return found.slice(0, limit + 1);
}

/** To find the end; 0 without a count. */
export function countedOut(rhythm: Rhythm): number {
  const count = countOfRule(rhythm.rrule) ?? 0;
  return count <= maxCounted ? count : 0;
}

/** Last possible start. */
export function endOf(rhythm: Rhythm): Date {
  const ends: Date[] = rhythm.until === null ? [] : [new Date(rhythm.until)];
  const count = countedOut(rhythm);
  if (count > 0) {
    const last = occurrencesAfter(rhythm, new Date(0), count).at(-1);
    if (last !== undefined) ends.push(last);
  }
  const until = /(?:^|;)UNTIL=([^;]+)/.exec(readRule(rhythm.rrule))?.[1];
  if (until !== undefined) ends.push(endOfUntil(until));
  return ends.sort((a, b) => a.getTime() - b.getTime())[0] ?? noEnd;
}

export function endOfLast(series: readonly Rhythm[]): Date | null {
  const ends = series.map((one) => endOf(one).getTime());
  return ends.length === 0 ? null : new Date(Math.max(...ends));
}

/** `20261231` or `20261231T180000Z`, the latest in any zone. */
function endOfUntil(until: string): Date {
  const [year, month, day] = [until.slice(0, 4), until.slice(4, 6), until.slice(6, 8)].map(Number);
  const midnight = Date.UTC(year ?? 9999, (month ?? 1) - 1, day ?? 1);
  const time = /T(\d\d)(\d\d)(\d\d)(Z?)$/.exec(until);
  if (time === null) return new Date(midnight + 2 * dayMs);
  const [hours, minutes, seconds] = time.slice(1, 4).map(Number);
  const at = midnight + ((hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0)) * 1000;
  return new Date(time[4] === 'Z' ? at : at + dayMs);
}

/** In its zone; then a date doesn't identify one. */
function comesSeveralTimesADay(rrule: string): boolean {
  return readRule(rrule)
    .split(';')
    .some((part) =>
      /^FREQ=(?:HOURLY|MINUTELY|SECONDLY)|^BY(?:HOUR|MINUTE|SECOND)=[^,]*,/.test(part),
    );
}

/** Its date there, or the moment if a day can have several. */
export function nameOfOccurrence({ rrule, timezone }: Rhythm, moment: Date): string {
  return comesSeveralTimesADay(rrule) ? nameOfMoment(moment) : localDate(moment, timezone);
}

const nameOfMoment = (moment: Date): string => moment.toISOString().replace('.000Z', 'Z');

/** By preference: IDs of removed occurrences stay taken. */
export function* namesOfOccurrence(rhythm: Rhythm, moment: Date): Generator<string, never> {
  const [usual, name] = [nameOfOccurrence(rhythm, moment), nameOfMoment(moment)];
  if (usual !== name) yield usual;
  yield name;
  for (let nth = 2; ; nth += 1) yield `${name}-${nth}`;
}

const withoutNumber = (name: string): string => name.replace(/Z-[1-9]\d*$/, 'Z');

export const isNameOf = (rhythm: Rhythm, moment: Date, name: string): boolean =>
  nameOfOccurrence(rhythm, moment) === name || nameOfMoment(moment) === withoutNumber(name);

export type OccurrenceStep = StepDraft & { id: string };

export function stepsOfOccurrence(
  series: Rhythm & Pick<Series, 'steps'>,
  moment: Date,
  name = nameOfOccurrence(series, moment),
): OccurrenceStep[] {
  const own = new Set(series.steps.map(({ id }) => id));
  const rename = (id: string) => (own.has(id) ? `${id}#${name}` : id);
  return series.steps.map((step) => ({
    ...step,
    id: rename(step.id ?? ''),
    ...(step.args === undefined ? {} : { args: renameReferences(step.args, rename) }),
    ...(step.after === undefined
      ? {}
      : {
          after: step.after.map((one) =>
            typeof one === 'string' ? rename(one) : { ...one, id: rename(one.id) },
          ),
        }),
    ...(step.when === undefined ? {} : { when: renameConditions(step.when, rename) }),
    not_before: moment.toISOString(),
  }));
}

/** Null if in no series. */
export function readOccurrenceId(
  id: string,
  templates: ReadonlySet<string>,
): { template: string; occurrence: string } | null {
  const at = id.lastIndexOf('#');
  if (at <= 0) return null;
  const template = id.slice(0, at);
  return templates.has(template) ? { template, occurrence: id.slice(at + 1) } : null;
}

export function isOccurrenceOf(series: readonly Series[], id: string): boolean {
  const place = readOccurrenceId(id, templatesOf(series));
  const own = series.find(({ steps }) => steps.some((step) => step.id === place?.template));
  if (place === null || own === undefined) return false;
  const { occurrence } = place;
  const at = Date.parse(withoutNumber(occurrence));
  if (Number.isNaN(at)) return false;
  // In the series' zone, maybe a day off UTC.
  const around = occurrence.includes('T') ? 1 : 2 * dayMs;
  const near = occurrencesBetween(own, new Date(at - around), new Date(at + around));
  return near.some((moment) => isNameOf(own, moment, occurrence));
}

export function templatesOf(series: readonly Pick<Series, 'steps'>[]): Set<string> {
  return new Set(series.flatMap(({ steps }) => steps.flatMap(({ id }) => id ?? [])));
}

/** Its day there has ended. */
export function isMissed(moment: Date, timezone: string, now: Date): boolean {
  return (
    now.getTime() - moment.getTime() >= lateMs &&
    localDate(moment, timezone) < localDate(now, timezone)
  );
}

/** As approved, or a part of it. */
export function isCovered(
  inForce: Rhythm & Pick<Series, 'id' | 'steps'>,
  approved: readonly Series[],
): boolean {
  const before = approved.find(({ id }) => id === inForce.id);
  if (before === undefined) return false;
  return (
    isSameRepetition(before, inForce) &&
    inForce.steps.every((step) =>
      before.steps.some((one) => one.id === step.id && isDeepStrictEqual(one, step)),
    )
  );
}
