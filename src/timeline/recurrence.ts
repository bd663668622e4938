// Recurrence rules (RFC 5545) and time zones; wall time repeats.
import { Temporal } from 'temporal-polyfill';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { shorten } from '#domain/words.ts';
import { checkRule, countOfRule, openRule, readRule, withoutParts } from './rule.ts';

/** `startsAt`: DTSTART. */
export type Recurrence = { rrule: string; timezone: string; startsAt: Date };

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

export const maxCounted = 1000;

/** Skips nonexistent times (RFC 5545). @throws invalid_arguments */
export function nextOccurrences(recurrence: Recurrence, after: Date, limit: number): Date[] {
  const problem = checkRule(recurrence.rrule) ?? checkTimezone(recurrence.timezone);
  if (problem !== null) throw new CountersignError('invalid_arguments', problem);
  const rrule = readRule(recurrence.rrule);
  const found: Date[] = [];
  try {
    const rule = openRule(rrule, toZoned(recurrence.startsAt, recurrence.timezone));
    const count = countOfRule(rrule);
    if (count !== null && count <= maxCounted) {
      // Each "next" of a counted rule counts from the start.
      const moments = rule.all().map(({ epochMilliseconds }) => new Date(epochMilliseconds));
      return moments.filter((moment) => moment > after).slice(0, limit);
    }
    for (let last = after; found.length < limit; ) {
      const next = rule.next(last, false);
      if (next === null || next === undefined || next.year > 9999) break;
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

/** The first date after `now`, where a count begins. Whole minutes; without a date, `now`. */
export function beginAfter({ rrule, timezone }: Omit<Recurrence, 'startsAt'>, now: Date): Date {
  const startsAt = new Date(Math.floor(now.getTime() / 60_000) * 60_000);
  const endless = withoutParts(rrule, 'COUNT');
  if ((checkRule(endless) ?? checkTimezone(timezone)) !== null) return startsAt;
  return nextOccurrences({ rrule: endless, timezone, startsAt }, now, 1)[0] ?? startsAt;
}

/** ISO 8601, or local in `timezone`; skipped local times move forward. @throws invalid_arguments */
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

/** @param date `2026-05-04` */
export function toNextDay(date: string, timezone: string): Date {
  const next = new Date(toMoment(date, 'UTC').getTime() + 86_400_000);
  return toMoment(next.toISOString().slice(0, 10), timezone);
}

/** A date alone is the end of that day. */
export const toLimit: typeof toMoment = (text, timezone) =>
  /^\d{4}-\d\d-\d\d$/.test(text) ? toNextDay(text, timezone) : toMoment(text, timezone);

type MomentOptions = { zone?: boolean; locale?: string };

/** `Mon, 4 May 2026, 09:30`; `zone` adds its name. */
export function formatMoment(moment: Date, timezone: string, options: MomentOptions = {}): string {
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

/** An end at midnight is `Fri, 4 Dec 2026, 24:00`. */
export function formatLimit(moment: Date, timezone: string, options: MomentOptions = {}): string {
  const shown = formatMoment(moment, timezone, options);
  if (!/ 00:00\b/.test(shown)) return shown;
  const before = new Date(moment.getTime() - 60_000);
  return formatMoment(before, timezone, options).replace('23:59', '24:00');
}

/** `2026-05-04T09:30:00+02:00`. */
export function toLocalIso(moment: Date, timezone: string): string {
  return toZoned(moment, timezone).toString({
    timeZoneName: 'never',
    fractionalSecondDigits: 0,
  });
}

/** `2026-05-04`, comparable as text. */
export function localDate(moment: Date, timezone: string): string {
  return toZoned(moment, timezone).toPlainDate().toString();
}

export function toZoned(moment: Date, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timezone);
}
