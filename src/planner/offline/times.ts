// Reads moments and times of day out of plain English, and prints them. They are those of the person's zone, daylight saving
// included, unless another zone stands behind the time of day.

// English alone: the package's own entry brings sixteen languages.
import { type ParsedResult, parse } from 'chrono-node/en';
import { Temporal } from 'temporal-polyfill';
import { findZones } from './zones.ts';

export type Moment = {
  /** ISO 8601 with the zone's offset at that moment. */
  iso: string;
  /** The words that were read. */
  words: string;
  /** Where the words stand. */
  index: number;
  /** The end, where a range was named: "15:00-16:00". */
  end: string | null;
  /** No hour was named: nine in the morning is assumed. */
  assumedHour: boolean;
};

/** Where no hour is named: nine in the morning. */
export const assumedHour = 9;

const clock = String.raw`(?:(\d{1,2})(?:[:.h](\d{2}))?\s*(a\.?m\.?|p\.?m\.?)?|(noon|midday|midnight))`;
const atClock = new RegExp(
  String.raw`\s*,?\s*\b(?:at|@|by)\s+${clock}(?:\s*o['’]?clock|\s*h\b)?(?![\d\p{L}])`,
  'iu',
);
const bareClock =
  /(?<![\d\p{L}.])(\d{1,2})(?::(\d{2})\s*(a\.?m\.?|p\.?m\.?)?|\s*(a\.?m\.?|p\.?m\.?))(?![\d\p{L}])/iu;

export type ClockTime = { hour: number; minute: number; words: string };

/** "at 9:30", "9am", "at noon". */
export function readClockTime(text: string): ClockTime | null {
  const match = atClock.exec(text);
  if (match) {
    if (match[4]) return { hour: /midnight/i.test(match[4]) ? 0 : 12, minute: 0, words: match[0] };
    return toClock(match[1], match[2], match[3], match[0]);
  }
  const bare = bareClock.exec(text);
  return bare ? toClock(bare[1], bare[2], bare[3] ?? bare[4], bare[0]) : null;
}

function toClock(
  h: string | undefined,
  m: string | undefined,
  half: string | undefined,
  words: string,
): ClockTime | null {
  const raw = Number(h);
  const minute = m === undefined ? 0 : Number(m);
  const afternoon = /^p/i.test(half ?? '');
  const hour = half === undefined ? raw : (raw % 12) + (afternoon ? 12 : 0);
  return hour > 23 || minute > 59 || raw > 24 ? null : { hour, minute, words };
}

/** The moment `text` speaks of: the one with a clock time if there is one. null when there is none. */
export function readMoment(given: string, now: Date, timezone: string): Moment | null {
  const zones = findZones(given);
  // Without the zones' words, everything stands where it stood.
  const text = zones.reduce(
    (left, { index, length }) =>
      left.slice(0, index) + ' '.repeat(length) + left.slice(index + length),
    given,
  );
  const moment = readMomentIn(text, now, timezone);
  const end = moment === null ? 0 : moment.index + moment.words.length;
  const said = zones.find(({ index }) => moment !== null && index > moment.index && index <= end);
  if (said === undefined || said.zone === null) return moment;
  const there = readMomentIn(text, now, said.zone);
  if (there === null) return moment;
  const toHere = (iso: string) =>
    printMomentIn(new Date(Temporal.Instant.from(iso).epochMilliseconds), timezone);
  return {
    ...there,
    words: given.slice(there.index, Math.max(end, said.index + said.length)),
    iso: toHere(there.iso),
    end: there.end === null ? null : toHere(there.end),
  };
}

function readMomentIn(text: string, now: Date, timezone: string): Moment | null {
  const here = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timezone);
  const results = parse(
    text.slice(0, 5000),
    { instant: now, timezone: here.offsetNanoseconds / 60_000_000_000 },
    { forwardDate: true },
  );
  const found = results.find((result) => result.start.isCertain('hour')) ?? results[0];
  if (!found) return null;
  const place = { words: found.text, index: found.index };
  const relative = /^(?:in|after)\b/i.test(found.text.trim()) && found.start.isCertain('hour');
  if (relative) {
    const exact = Temporal.Instant.fromEpochMilliseconds(found.date().getTime());
    return {
      ...place,
      iso: printMoment(exact.toZonedDateTimeISO(timezone)),
      end: null,
      assumedHour: false,
    };
  }
  const named =
    found.start.isCertain('hour') ||
    /\b(?:morning|afternoon|evening|night|tonight|noon|midnight)\b/i.test(found.text);
  let moment = toZoned(found.start, here, named, timezone);
  let end = found.end ? toZoned(found.end, here, named, timezone) : null;
  const dated = (['day', 'weekday', 'month'] as const).some((part) => found.start.isCertain(part));
  if (!dated && Temporal.ZonedDateTime.compare(moment, here) <= 0) {
    moment = moment.add({ days: 1 });
    end = end?.add({ days: 1 }) ?? null;
  }
  return {
    ...place,
    iso: printMoment(moment),
    end: end && printMoment(end),
    assumedHour: !named,
  };
}

function toZoned(
  part: ParsedResult['start'],
  here: Temporal.ZonedDateTime,
  named: boolean,
  timezone: string,
): Temporal.ZonedDateTime {
  // "Tomorrow morning" names no hour: chrono takes six.
  const said = named ? (part.get('hour') ?? assumedHour) : assumedHour;
  return Temporal.PlainDateTime.from({
    year: part.get('year') ?? here.year,
    month: part.get('month') ?? here.month,
    day: part.get('day') ?? here.day,
    hour: part.isCertain('hour') ? said : Math.max(said, assumedHour),
    minute: named ? (part.get('minute') ?? 0) : 0,
  }).toZonedDateTime(timezone);
}

function printMoment(moment: Temporal.ZonedDateTime): string {
  return moment.toString({ timeZoneName: 'never', smallestUnit: 'second' });
}

/** ISO 8601 with the zone's offset at that moment. */
export function printMomentIn(moment: Date, timezone: string): string {
  return printMoment(
    Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timezone),
  );
}

/** `2026-03-02 09:30` in the person's zone. */
export function formatMoment(iso: string, timezone: string): string {
  const moment = Temporal.Instant.from(iso).toZonedDateTimeISO(timezone);
  return `${moment.toPlainDate().toString()} ${moment.toPlainTime().toString({ smallestUnit: 'minute' })}`;
}

export function printDate(now: Date, timezone: string, days = 0): string {
  return Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timezone)
    .add({ days })
    .toPlainDate()
    .toString();
}

export function printClock(now: Date, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timezone)
    .toPlainTime()
    .toString({ smallestUnit: 'minute' });
}
