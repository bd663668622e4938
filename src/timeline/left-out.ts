// Gaps of a rule: periods without its day, skipped times.
import { Temporal } from 'temporal-polyfill';
import { listOf } from '#domain/words.ts';
import { formatMoment, nextOccurrences, type Recurrence, toZoned } from './recurrence.ts';
import { openRule, readFields, readUntil, withoutParts } from './rule.ts';

/** Four years have one leap year. */
const maxMonths = 48;
const maxYears = 8;
const shownPeriods = 6;

const monthNames = Array.from({ length: 12 }, (_, month) =>
  new Date(Date.UTC(2026, month)).toLocaleString('en-US', { month: 'long', timeZone: 'UTC' }),
);

type Fields = ReadonlyMap<string, string>;

function periodOf(fields: Fields): 'month' | 'year' | null {
  const freq = fields.get('FREQ');
  const nth = /\d/.test(fields.get('BYDAY') ?? '');
  const months = fields.get('BYMONTH')?.split(',').length ?? 12;
  if (freq === 'MONTHLY') return 'month';
  if (freq === 'WEEKLY') return null;
  if (fields.has('BYMONTHDAY') || (nth && fields.has('BYMONTH')))
    return months > 1 ? 'month' : 'year';
  return freq === 'YEARLY' ? 'year' : null;
}

function findEmptyPeriods({ rrule, timezone, startsAt }: Recurrence, unit: 'month' | 'year') {
  const fields = readFields(rrule);
  const start = toZoned(startsAt, timezone).toPlainDateTime();
  const freq = fields.get('FREQ');
  const interval = Number(fields.get('INTERVAL') ?? 1);
  const horizon = unit === 'month' ? maxMonths : maxYears;
  const first = start.toPlainDate().with(unit === 'month' ? { day: 1 } : { month: 1, day: 1 });
  const after = (count: number) =>
    first.add(unit === 'month' ? { months: count } : { years: count });
  const wall = (date: Temporal.PlainDate) => date.toZonedDateTime('UTC');
  // Days that the rule leaves out are no missing days.
  const whole = withoutParts(rrule, 'EXDATE');
  const found = openRule(whole, start.toZonedDateTime('UTC')).between(
    new Date(wall(first).epochMilliseconds),
    new Date(wall(after(horizon + 1)).epochMilliseconds),
    true,
  );
  const keyOf = ({ year, month }: { year: number; month: number }) =>
    unit === 'year' ? year : year * 12 + month - 1;
  const held = new Set(found.map(keyOf));
  const until = fields.get('UNTIL');
  const end =
    until !== undefined
      ? readUntil(until, timezone).toPlainDate()
      : fields.has('COUNT')
        ? found.at(-1)?.toPlainDate()
        : undefined;
  const months = fields.get('BYMONTH')?.split(',').map(Number);
  return Array.from({ length: horizon }, (_, index) => index + 1).flatMap((index) => {
    const period = after(index);
    const years = period.year - start.year;
    const isDue =
      (unit === 'year' || months?.includes(period.month) !== false) &&
      (freq === 'MONTHLY' ? unit === 'year' || index % interval === 0 : true) &&
      (freq === 'YEARLY' ? years % interval === 0 : true) &&
      (end === undefined || Temporal.PlainDate.compare(period, end) < 0);
    return isDue ? [{ period, empty: !held.has(keyOf(period)) }] : [];
  });
}

function describeMonths(periods: { period: Temporal.PlainDate; empty: boolean }[]): string[] {
  const empty = periods.filter((one) => one.empty).map(({ period }) => period);
  const names = monthNames.flatMap((name, index) => {
    const own = periods.filter(({ period }) => period.month === index + 1);
    const gaps = own.filter((one) => one.empty);
    if (gaps.length === 0) return [];
    if (gaps.length === own.length) return [name];
    return gaps.every(({ period }) => index === 1 && !period.inLeapYear)
      ? [`${name} outside leap years`]
      : [null];
  });
  const same = names.flatMap((name) => name ?? []);
  if (same.length === names.length) return same;
  const dated = empty
    .slice(0, shownPeriods)
    .map(({ year, month }) => `${monthNames[month - 1]} ${year}`);
  return empty.length > shownPeriods ? [...dated, 'others'] : dated;
}

/** ` Not in April and June: there is no such day.`, or ''. */
function describeEmptyPeriods(recurrence: Recurrence): string {
  const unit = periodOf(readFields(recurrence.rrule));
  if (unit === null) return '';
  const periods = findEmptyPeriods(recurrence, unit);
  const empty = periods.filter((one) => one.empty);
  if (empty.length === 0) return '';
  if (unit === 'month') return ` Not in ${listOf(describeMonths(periods))}: there is no such day.`;
  if (periods.every(({ period, empty }) => empty !== period.inLeapYear))
    return ' Only in leap years.';
  const years = empty.slice(0, shownPeriods).map(({ period }) => String(period.year));
  return ` Not in ${listOf(empty.length > shownPeriods ? [...years, 'others'] : years)}: there is no such day.`;
}

/** A year's. */
const maxChanges = 2;

/** With its time as `02:30`. Rules by the hour or shorter use elapsed time. */
function findSkipped({ rrule, timezone, startsAt }: Recurrence): { at: Date; time: string } | null {
  if (/^(HOURLY|MINUTELY|SECONDLY)$/.test(readFields(rrule).get('FREQ') ?? '')) return null;
  const start = toZoned(startsAt, timezone);
  const wall = (moment: Temporal.ZonedDateTime) =>
    new Date(moment.toPlainDateTime().toZonedDateTime('UTC').epochMilliseconds);
  const unchanged = { rrule, timezone: 'UTC', startsAt: wall(start) };
  let change = start.getTimeZoneTransition('next');
  for (let seen = 0; change !== null && seen < maxChanges; seen++) {
    const [before, to] = [wall(change.subtract({ milliseconds: 1 })), wall(change)];
    const [would] = before < to ? nextOccurrences(unchanged, before, 1) : [];
    if (would !== undefined && would < to)
      return { at: new Date(change.epochMilliseconds), time: would.toISOString().slice(11, 16) };
    change = change.getTimeZoneTransition('next');
  }
  return null;
}

/** Cards are redrawn often, and walking a rule takes milliseconds. */
const described = new Map<string, string>();
const maxDescribed = 500;

/** Sentences, each after a space. @param until an additional end @throws invalid_arguments */
export function describeLeftOut(recurrence: Recurrence, until: Date | null = null): string {
  const key = JSON.stringify([recurrence, until]);
  const known = described.get(key);
  if (known !== undefined) return known;
  const words = findLeftOut(recurrence, until);
  if (described.size >= maxDescribed) described.clear();
  described.set(key, words);
  return words;
}

function findLeftOut(recurrence: Recurrence, until: Date | null): string {
  const skipped = findSkipped(recurrence);
  const clock =
    skipped === null || (until !== null && skipped.at > until)
      ? ''
      : ` Not when the clocks go forward (${formatMoment(skipped.at, recurrence.timezone)}): there is no ${skipped.time} then.`;
  return `${describeEmptyPeriods(recurrence)}${clock}`;
}
