// Recurrence rule text (RFC 5545): validation, parts, expansion.
import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { shorten } from '#domain/words.ts';

const integers = (min: number, max: number) => (value: string) =>
  value.split(',').every((part) => /^[+-]?\d{1,4}$/.test(part) && isWithin(Number(part), min, max));
const positive = (value: string) => /^[1-9]\d{0,5}$/.test(value);
const days = (value: string) =>
  value.split(',').every((part) => /^([+-]?[1-9]\d?)?(MO|TU|WE|TH|FR|SA|SU)$/.test(part));

/** RFC 5545 §3.3.10. */
const parts: Record<string, { fits: (value: string) => boolean; expects: string }> = {
  FREQ: {
    fits: (value) => /^(YEARLY|MONTHLY|WEEKLY|DAILY|HOURLY|MINUTELY|SECONDLY)$/.test(value),
    expects: 'YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY, MINUTELY or SECONDLY',
  },
  INTERVAL: { fits: positive, expects: 'a whole number from 1' },
  COUNT: { fits: positive, expects: 'a whole number from 1' },
  UNTIL: {
    fits: isUntil,
    expects: 'a date such as 20261231 or 20261231T235959Z',
  },
  BYSECOND: { fits: integers(0, 59), expects: 'numbers from 0 to 59' },
  BYMINUTE: { fits: integers(0, 59), expects: 'numbers from 0 to 59' },
  BYHOUR: { fits: integers(0, 23), expects: 'numbers from 0 to 23' },
  BYDAY: { fits: days, expects: 'weekdays such as MO,TU or -1FR' },
  BYMONTHDAY: { fits: integers(-31, 31), expects: 'days from 1 to 31, or -31 to -1' },
  BYYEARDAY: { fits: integers(-366, 366), expects: 'days from 1 to 366, or -366 to -1' },
  BYWEEKNO: { fits: integers(-53, 53), expects: 'weeks from 1 to 53, or -53 to -1' },
  BYMONTH: { fits: integers(1, 12), expects: 'months from 1 to 12' },
  BYSETPOS: { fits: integers(-366, 366), expects: 'positions from 1 to 366, or -366 to -1' },
  // Days left out; RFC 5545 has them in a property of their own.
  EXDATE: {
    fits: (value) => value.split(',').every((day) => /^\d{8}$/.test(day) && isUntil(day)),
    expects: 'dates such as 20261225,20270101',
  },
  WKST: { fits: (value) => /^(MO|TU|WE|TH|FR|SA|SU)$/.test(value), expects: 'a weekday' },
};

function isUntil(value: string): boolean {
  if (!/^\d{8}(T\d{6}Z?)?$/.test(value)) return false;
  try {
    return readUntil(value, 'UTC').year > 0;
  } catch {
    return false;
  }
}

function isWithin(value: number, min: number, max: number): boolean {
  return value >= min && value <= max && (value !== 0 || min >= 0);
}

/** Null if valid. Accepts a leading `RRULE:`. */
export function checkRule(rrule: string): string | null {
  const seen = new Set<string>();
  for (const part of readRule(rrule).split(';')) {
    const [key = '', value] = part.split('=', 2);
    const known = Object.hasOwn(parts, key) ? parts[key] : undefined;
    if (value === undefined || known === undefined)
      return `"${shorten(part, 60)}" is not part of a recurrence rule; write one such as FREQ=WEEKLY;BYDAY=MO,WE.`;
    if (seen.has(key)) return `The recurrence rule gives ${key} twice.`;
    if (!known.fits(value))
      return `${key} in the recurrence rule must be ${known.expects}, not "${shorten(value, 60)}".`;
    seen.add(key);
  }
  const fields = readFields(rrule);
  if (!seen.has('FREQ')) return 'The recurrence rule has no FREQ; begin it with, say, FREQ=DAILY.';
  if (seen.has('EXDATE') && subDaily.test(fields.get('FREQ') ?? ''))
    return 'EXDATE needs a rule of whole days or longer, such as FREQ=DAILY.';
  if (seen.has('COUNT') && seen.has('UNTIL'))
    return 'A recurrence rule ends by COUNT or by UNTIL, not by both.';
  const timesADay = ['BYHOUR', 'BYMINUTE', 'BYSECOND']
    .map((key) => fields.get(key)?.split(',').length ?? 1)
    .reduce((product, count) => product * count, 1);
  if (timesADay > maxTimesADay)
    return `The recurrence rule names ${timesADay.toLocaleString('en-US')} times of a day; at most ${maxTimesADay} can be used.`;
  const leftOut = timesADay * readExcept(fields).length;
  if (leftOut > maxLeftOut)
    return `EXDATE leaves out ${leftOut.toLocaleString('en-US')} times; at most ${maxLeftOut} can be left out.`;
  if (neverHappens(fields))
    return `The recurrence rule ${shorten(readRule(rrule), 200)} never happens: no year has such a day. Choose another day.`;
  return null;
}

export function readRule(rrule: string): string {
  return rrule
    .trim()
    .replace(/^RRULE:/i, '')
    .replace(/;$/, '')
    .toUpperCase();
}

export function readFields(rrule: string): Map<string, string> {
  const pairs = readRule(rrule)
    .split(';')
    .map((part) => part.split('=', 2));
  return new Map(pairs.map(([key = '', value = '']) => [key, value]));
}

export function writeFields(fields: Iterable<[string, string]>): string {
  return [...fields].map(([key, value]) => `${key}=${value}`).join(';');
}

/** In any order. */
export const withoutParts = (rrule: string, ...keys: string[]): string =>
  writeFields([...readFields(rrule)].filter(([key]) => !keys.includes(key)));

const maxTimesADay = 500;
const maxLeftOut = 500;
const subDaily = /^(HOURLY|MINUTELY|SECONDLY)$/;
const daysOfYear = ['BYMONTHDAY', 'BYYEARDAY'];
/** Years. */
const calendarCycle = 400;

/** Ignores times, INTERVAL and the end. */
function neverHappens(fields: ReadonlyMap<string, string>): boolean {
  const freq = fields.get('FREQ') ?? '';
  const ofYear = daysOfYear.some((key) => fields.has(key));
  const picks = fields.has('BYSETPOS') && !subDaily.test(freq);
  if (!ofYear && !picks && !fields.has('BYWEEKNO') && !/\d/.test(fields.get('BYDAY') ?? ''))
    return false;
  const ignored = /^(INTERVAL|COUNT|UNTIL|EXDATE)$/;
  const kept = [...fields].filter(
    ([key]) => !ignored.test(key) && (picks || !/^BY(SETPOS|HOUR|MINUTE|SECOND)$/.test(key)),
  );
  // Filtered days are the same every year.
  const yearly = ofYear && !picks && (freq === 'DAILY' || subDaily.test(freq));
  const rule = kept.map(([key, value]): [string, string] =>
    key === 'FREQ' && (yearly || subDaily.test(freq))
      ? [key, yearly ? 'YEARLY' : 'DAILY']
      : [key, value],
  );
  try {
    const dtstart = Temporal.PlainDate.from('2000-01-01').toZonedDateTime('UTC');
    const limits = { maxIterations: calendarCycle * 4, maxCandidateEvaluations: 5000 };
    return openRule(writeFields(rule), dtstart, limits).next(new Date(0), true) === null;
  } catch {
    // The library found nothing within its limits.
    return true;
  }
}

/** A date means its whole day; without `Z` it is in `timezone`. */
export function readUntil(until: string, timezone: string): Temporal.ZonedDateTime {
  if (!until.includes('T'))
    return Temporal.PlainDate.from(until).toZonedDateTime({
      timeZone: timezone,
      plainTime: '23:59:59',
    });
  return until.endsWith('Z')
    ? Temporal.Instant.from(until).toZonedDateTimeISO(timezone)
    : Temporal.PlainDateTime.from(until).toZonedDateTime(timezone);
}

export type Limits = { maxIterations: number; maxCandidateEvaluations: number };

/** Takes under a tenth of a second. */
const usualLimits: Limits = { maxIterations: 2000, maxCandidateEvaluations: 20_000 };

/** @throws Error for rules that `checkRule` rejects */
export function openRule(
  rrule: string,
  dtstart: Temporal.ZonedDateTime,
  limits = usualLimits,
  includeDtstart = false,
): RRuleTemporal {
  const fields = readFields(rrule);
  const until = fields.get('UNTIL');
  return new RRuleTemporal({
    rruleString: withoutParts(rrule, 'UNTIL', 'EXDATE'),
    dtstart,
    includeDtstart,
    exDate: momentsOn(readExcept(fields), fields, dtstart),
    ...limits,
    ...(until === undefined ? {} : { until: readUntil(until, dtstart.timeZoneId) }),
  });
}

/** All times that the rule may have on these days. */
function momentsOn(
  days: Temporal.PlainDate[],
  fields: ReadonlyMap<string, string>,
  dtstart: Temporal.ZonedDateTime,
): Temporal.ZonedDateTime[] {
  const begin = dtstart.toPlainTime();
  const read = (key: string, own: number) => fields.get(key)?.split(',').map(Number) ?? [own];
  const times = read('BYHOUR', begin.hour).flatMap((hour) =>
    read('BYMINUTE', begin.minute).flatMap((minute) =>
      read('BYSECOND', begin.second).map((second) => begin.with({ hour, minute, second })),
    ),
  );
  return days.flatMap((day) =>
    times.map((plainTime) => day.toZonedDateTime({ timeZone: dtstart.timeZoneId, plainTime })),
  );
}

/** Days left out. */
export const readExcept = (fields: ReadonlyMap<string, string>): Temporal.PlainDate[] =>
  (fields.get('EXDATE') ?? '')
    .split(',')
    .flatMap((day) => (day === '' ? [] : [Temporal.PlainDate.from(day)]));

export function countOfRule(rrule: string): number | null {
  const count = readFields(rrule).get('COUNT');
  return count === undefined ? null : Number(count);
}
