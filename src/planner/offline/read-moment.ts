// Moments in wishes for other times: what plain requests know, and besides "the 20th", "24:00", "Friday midnight" and
// days without an hour.
import { Temporal } from 'temporal-polyfill';
import { readMoment } from './times.ts';

export type SaidMoment = {
  /** The hour that was named, or nine where none was; milliseconds since 1970. */
  at: number;
  /** The end, where a range was named. */
  until: number | null;
  /** The first moment of the day that was named, where no hour was; otherwise null. */
  day: number | null;
  index: number;
  length: number;
};

/** The moment that a text names; null: none. Indexes are those of `prepareMoments(text)`. */
export function findMoment(prepared: string, now: Date, timezone: string): SaidMoment | null {
  const late = /\b24:00\b/.exec(prepared);
  const text = prepared.replace(/\b24:00\b/g, '00:00');
  const found = readMoment(text, now, timezone);
  if (found === null) return null;
  const inside = (index: number) =>
    index >= found.index && index < found.index + found.words.length;
  const midnight = /\bmidnight\b/i.exec(found.words);
  const next =
    (late !== null && inside(late.index)) ||
    (midnight !== null && found.words.trim().toLowerCase() !== 'midnight');
  const at = toZoned(found.iso, timezone);
  return {
    at: (next ? at.add({ days: 1 }) : at).epochMilliseconds,
    until: found.end === null ? null : Date.parse(found.end),
    day: found.assumedHour ? at.startOfDay().epochMilliseconds : null,
    index: found.index,
    length: found.words.length,
  };
}

/** The text with "the 20th" as the next such date, and words that say only what a day without an hour says. */
export function prepareMoments(text: string, now: Date, timezone: string): string {
  return text
    .replace(
      /\b(?:by\s+)?(?:(?:the\s+)?close of business|the end of (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow)|(?:the\s+)?end of (?:the\s+)?(?:working\s+|business\s+)?day|eod|cob)\s*(?:on\s+)?/gi,
      (words) => (/^by\b/i.test(words) ? 'by ' : ''),
    )
    .replace(/\b((?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|today) morning\b/gi, '$1 9:00')
    .replace(
      /\bthe (\d{1,2})(?:st|nd|rd|th)\b(?!\s*(?:of\b|step|task|item|part|phase|milestone|one\b|[A-Za-z]*\s*\d{4}))/gi,
      (words, day: string) => findNextDay(Number(day), now, timezone) ?? words,
    );
}

/** The next date with this day of the month, today included. */
function findNextDay(day: number, now: Date, timezone: string): string | null {
  if (day < 1 || day > 31) return null;
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timezone)
    .toPlainDate();
  for (let months = 0; months < 12; months += 1) {
    const month = today.with({ day: 1 }).add({ months });
    if (day > month.daysInMonth) continue;
    const date = month.with({ day });
    if (Temporal.PlainDate.compare(date, today) >= 0) return date.toString();
  }
  return null;
}

/** The moment with the clock time of another. */
export function keepClock(day: number, clock: number, timezone: string): number {
  const time = Temporal.Instant.fromEpochMilliseconds(clock)
    .toZonedDateTimeISO(timezone)
    .toPlainTime();
  return Temporal.Instant.fromEpochMilliseconds(day)
    .toZonedDateTimeISO(timezone)
    .withPlainTime(time).epochMilliseconds;
}

/** Later by minutes, or earlier by negative ones. Whole days keep the time of the clock over a change of the clocks. */
export function shiftMoment(at: number, minutes: number, timezone: string): number {
  if (minutes % 1440 !== 0) return at + minutes * 60_000;
  return Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(timezone)
    .add({ days: minutes / 1440 }).epochMilliseconds;
}

/** The first moment of the day after. */
export function endOfDay(day: number, timezone: string): number {
  return Temporal.Instant.fromEpochMilliseconds(day)
    .toZonedDateTimeISO(timezone)
    .startOfDay()
    .add({ days: 1 }).epochMilliseconds;
}

/** `2026-03-14` */
export function printDate(at: number, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .toString();
}

function toZoned(iso: string, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.from(iso).toZonedDateTimeISO(timezone);
}
