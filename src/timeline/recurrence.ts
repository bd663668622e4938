// Recurrence rules (RFC 5545) and time zones. Wall time is what repeats: 9:30 stays 9:30 when the clocks change.
import { RRuleTemporal } from 'rrule-temporal';
import { toText } from 'rrule-temporal/totext';
import { Temporal } from 'temporal-polyfill';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { shorten } from '#domain/words.ts';

/** A rule with what it needs to mean anything: its zone and its first moment (DTSTART). */
export type Recurrence = { rrule: string; timezone: string; startsAt: Date };

const integers = (min: number, max: number) => (value: string) =>
  value.split(',').every((part) => /^[+-]?\d{1,4}$/.test(part) && isWithin(Number(part), min, max));
const positive = (value: string) => /^[1-9]\d{0,5}$/.test(value);
const days = (value: string) =>
  value.split(',').every((part) => /^([+-]?[1-9]\d?)?(MO|TU|WE|TH|FR|SA|SU)$/.test(part));

/** What each part of a rule may hold (RFC 5545 §3.3.10). */
const parts: Record<string, { fits: (value: string) => boolean; expects: string }> = {
  FREQ: {
    fits: (value) => /^(YEARLY|MONTHLY|WEEKLY|DAILY|HOURLY|MINUTELY|SECONDLY)$/.test(value),
    expects: 'YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY, MINUTELY or SECONDLY',
  },
  INTERVAL: { fits: positive, expects: 'a whole number from 1' },
  COUNT: { fits: positive, expects: 'a whole number from 1' },
  UNTIL: {
    fits: (value) => /^\d{8}(T\d{6}Z?)?$/.test(value),
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
  WKST: { fits: (value) => /^(MO|TU|WE|TH|FR|SA|SU)$/.test(value), expects: 'a weekday' },
};

function isWithin(value: number, min: number, max: number): boolean {
  return value >= min && value <= max && (value !== 0 || min >= 0);
}

/** What is wrong with a rule, as a sentence; null when it is a rule. `RRULE:` in front is accepted. */
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
  if (!seen.has('FREQ')) return 'The recurrence rule has no FREQ; begin it with, say, FREQ=DAILY.';
  if (seen.has('COUNT') && seen.has('UNTIL'))
    return 'A recurrence rule ends by COUNT or by UNTIL, not by both.';
  return null;
}

/** The rule without the `RRULE:` in front of it. */
export function readRule(rrule: string): string {
  return rrule
    .trim()
    .replace(/^RRULE:/i, '')
    .replace(/;$/, '')
    .toUpperCase();
}

/** What is wrong with a zone, as a sentence; null when it is an IANA zone (or UTC). */
export function checkTimezone(timezone: string): string | null {
  const sentence = `"${shorten(timezone, 60)}" is not a time zone; use a name such as Europe/Berlin or UTC.`;
  if (!/^[A-Za-z]/.test(timezone)) return sentence;
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return null;
  } catch {
    return sentence;
  }
}

/** Rules that count further are not counted out. */
export const countedAtMost = 1000;

/** How often a rule says that it happens; null: it does not say. */
export function saidCount(rrule: string): number | null {
  const count = /(?:^|;)COUNT=(\d+)(?:;|$)/.exec(readRule(rrule))?.[1];
  return count === undefined ? null : Number(count);
}

/**
 * The first `limit` moments of the rule later than `after`, in order; fewer when the rule ends.
 * Times that do not exist on a day (in the hour the clocks skip) are left out, as RFC 5545 has it.
 * @throws CountersignError invalid_arguments for a rule or zone that is wrong, or a rule that never happens
 */
export function nextOccurrences(recurrence: Recurrence, after: Date, limit: number): Date[] {
  const problem = checkRule(recurrence.rrule) ?? checkTimezone(recurrence.timezone);
  if (problem !== null) throw new CountersignError('invalid_arguments', problem);
  const rrule = readRule(recurrence.rrule);
  const found: Date[] = [];
  try {
    const rule = new RRuleTemporal({
      rruleString: rrule,
      dtstart: toZoned(recurrence.startsAt, recurrence.timezone),
      maxIterations: 5000,
      maxCandidateEvaluations: 20_000,
    });
    const count = saidCount(rrule);
    if (count !== null && count <= countedAtMost) {
      // Each "next" of such a rule counts from its beginning: all of them at once cost as much as the last one.
      const moments = rule.all().map(({ epochMilliseconds }) => new Date(epochMilliseconds));
      return moments.filter((moment) => moment > after).slice(0, limit);
    }
    for (let last = after; found.length < limit; ) {
      const next = rule.next(last, false);
      if (next === null || next === undefined) break;
      last = new Date(next.epochMilliseconds);
      found.push(last);
    }
  } catch (error) {
    throw new CountersignError(
      'invalid_arguments',
      `The recurrence rule ${rrule} gives no moments: ${errorMessage(error)}.`,
      { cause: error },
    );
  }
  return found;
}

/** Clock changes looked at for times that they skip: those of about a year. */
const changesLookedAt = 2;

/**
 * The first moment after which the clocks go forward past a time that the rule would have had, in the changes that follow its
 * start; with that time as `02:30`. Null: they skip none of it. What comes every hour or oftener is counted by the hour, not by
 * the clock on the wall, and loses nothing.
 */
export function firstSkipped(recurrence: Recurrence): { at: Date; time: string } | null {
  const { rrule, timezone, startsAt } = recurrence;
  if (/(?:^|;)FREQ=(?:HOURLY|MINUTELY|SECONDLY)/.test(readRule(rrule))) return null;
  const start = toZoned(startsAt, timezone);
  const wall = (moment: Temporal.ZonedDateTime) => moment.toPlainDateTime().toZonedDateTime('UTC');
  // The same rule on a clock that never changes.
  const unchanged = {
    rrule,
    timezone: 'UTC',
    startsAt: new Date(wall(start).epochMilliseconds),
  };
  let change = start.getTimeZoneTransition('next');
  for (let seen = 0; change !== null && seen < changesLookedAt; seen++) {
    const before = change.subtract({ milliseconds: 1 });
    const [from, to] = [wall(before).epochMilliseconds + 1, wall(change).epochMilliseconds];
    const [would] = from < to ? nextOccurrences(unchanged, new Date(from - 1), 1) : [];
    if (would !== undefined && would.getTime() < to)
      return { at: new Date(change.epochMilliseconds), time: would.toISOString().slice(11, 16) };
    change = change.getTimeZoneTransition('next');
  }
  return null;
}

/**
 * Reads a moment: ISO 8601 with an offset or `Z`, or a local date and time meant in `timezone`.
 * A local time that the clocks skip moves forward by the skipped hour.
 * @throws CountersignError invalid_arguments
 */
export function toMoment(text: string, timezone: string): Date {
  const problem = checkTimezone(timezone);
  if (problem !== null) throw new CountersignError('invalid_arguments', problem);
  try {
    if (/(Z|[+-]\d\d:?\d\d)$/i.test(text))
      return new Date(Temporal.Instant.from(text).epochMilliseconds);
    const local = Temporal.PlainDateTime.from(text);
    return new Date(local.toZonedDateTime(timezone).epochMilliseconds);
  } catch (error) {
    throw new CountersignError(
      'invalid_arguments',
      `"${shorten(text, 60)}" is not a moment; write one such as 2026-05-04T09:30 or 2026-05-04T09:30:00Z.`,
      { cause: error },
    );
  }
}

/** A moment for people, in their zone: `Mon, 4 May 2026, 09:30`; with `zone: true` also its name. */
export function formatMoment(
  moment: Date,
  timezone: string,
  options: { zone?: boolean; locale?: string } = {},
): string {
  return new Intl.DateTimeFormat(options.locale ?? 'en-GB', {
    timeZone: timezone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(options.zone === true ? { timeZoneName: 'short' } : {}),
  }).format(moment);
}

/** A moment as ISO 8601 with the zone's offset at that time: `2026-05-04T09:30:00+02:00`. */
export function toLocalIso(moment: Date, timezone: string): string {
  return toZoned(moment, timezone).toString({
    timeZoneName: 'never',
    fractionalSecondDigits: 0,
  });
}

/** The day of `moment` in `timezone`: `2026-05-04`. Earlier days compare as less. */
export function localDate(moment: Date, timezone: string): string {
  return toZoned(moment, timezone).toPlainDate().toString();
}

function toZoned(moment: Date, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timezone);
}

// Rules as people read them: `every weekday at 09:30`.

/** `9:30 AM GMT+2`, `2:05 PM` and `9 AM` as `09:30`, `14:05` and `09:00`: the zone is said elsewhere. */
function rewriteClock(text: string): string {
  return text
    .replaceAll(
      /\b(\d{1,2})(?::(\d\d))?(?::\d\d)?\s?(AM|PM)\b/g,
      (_, hour: string, minute: string | undefined, half: string) => {
        const hours = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
        return `${String(hours).padStart(2, '0')}:${minute ?? '00'}`;
      },
    )
    .replaceAll(/ (GMT|UTC)([+-]\d{1,2}(:\d\d)?)?(?=\s|,|$)/g, '');
}

/** The rule in words, with the time of day in its own zone. It must be one that `checkRule` takes. */
export function describeRecurrence({ rrule, timezone, startsAt }: Recurrence): string {
  const dtstart = toZoned(startsAt, timezone);
  return rewriteClock(toText(new RRuleTemporal({ rruleString: readRule(rrule), dtstart }), 'en'));
}
