// Parses spoken times and recurrences; ambiguity becomes a doubt. Pure.
import { Temporal } from 'temporal-polyfill';
import { minutesOf, readLengthAt } from '#domain/length.ts';
import { readZone } from './spoken-zones.ts';

export type Token = { value: string; start: number; end: number };
export type Words = {
  source: string;
  tokens: readonly Token[];
  now: Date;
  timezone: string;
};
/** `next`: first token after it. */
export type Read<T> = { value: T; next: number };

/** `second`: afternoon hour possibly meant. */
export type Clock = { hour: number; minute: number; zone: string | null; second: number | null };
export type When = {
  words: string;
  date: Temporal.PlainDate | null;
  clock: Clock | null;
  /** "in 3 hours": absolute. */
  instant: string | null;
  /** Another possible day, such as in a week. */
  or: Temporal.PlainDate | null;
};
export type Doubt = { about: 'time' | 'date'; choices: string[] };

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const codes = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const months =
  'january february march april may june july august september october november december'.split(
    ' ',
  );

const word = ({ tokens }: Pick<Words, 'tokens'>, at: number): string => tokens[at]?.value ?? '';

const wordsOf = ({ source, tokens }: Words, from: number, next: number): string =>
  source.slice(tokens[from]?.start ?? 0, tokens[next - 1]?.end ?? 0);

function placeOf(names: string[], value: string): number {
  if (value.length < 3) return -1;
  return names.findIndex(
    (name) => name === value || (value.length === 3 && name.startsWith(value)),
  );
}

const here = ({ now, timezone }: Pick<Words, 'now' | 'timezone'>) =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timezone);

/** `2026-11-28`. */
export const todayIn = (words: Pick<Words, 'now' | 'timezone'>): string =>
  here(words).toPlainDate().toString();

const print = (moment: Temporal.ZonedDateTime): string =>
  moment.toString({ timeZoneName: 'never', smallestUnit: 'second' });

/** "9:00", "9:30 pm", "at 9", "noon", with an optional zone. A bare number needs "at". */
export function readClock(words: Words, at: number, marked = false): Read<Clock> | null {
  let i = at;
  const isMarked = marked || word(words, i) === 'at';
  if (word(words, i) === 'at') i += 1;
  const value = word(words, i);
  const found = /^(\d{1,2})(?:[:.](\d{2}))?(?:([ap])\.?m)?$/.exec(value);
  const fixed = value === 'noon' ? 12 : value === 'midnight' ? 0 : null;
  if (found === null && fixed === null) return null;
  i += 1;
  const half = found?.[3] ?? (/^[ap]m$/.test(word(words, i)) ? word(words, i).charAt(0) : null);
  if (half !== null && found?.[3] === undefined) i += 1;
  if (!isMarked && fixed === null && half === null && found?.[2] === undefined) return null;
  const raw = fixed ?? Number(found?.[1]);
  const hour = half === null ? raw : (raw % 12) + (half === 'p' ? 12 : 0);
  const minute = Number(found?.[2] ?? 0);
  if (hour > 23 || minute > 59 || (half !== null && (raw < 1 || raw > 12))) return null;
  const bare = fixed === null && half === null && found?.[2] === undefined;
  const early = fixed === null && half === null && hour < 7 && !value.startsWith('0');
  const second = hour > 0 && hour <= 12 && (bare || early) ? (hour + 12) % 24 : null;
  const place = words.tokens[i];
  const zone = place === undefined ? null : readZone(words.source, place.start, words.timezone);
  if (zone !== null && zone.zone === null) return null;
  while (zone !== null && (words.tokens[i]?.start ?? zone.end) < zone.end) i += 1;
  return { value: { hour, minute, zone: zone?.zone ?? null, second }, next: i };
}

function plainDate(year: number, month: number, day: number): Temporal.PlainDate | null {
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' });
  } catch {
    return null; // no such day
  }
}

type Day = Pick<When, 'or' | 'date'>;

/** "31 February" at `at` or after one word; null if the day exists. */
export function findNoDay(words: Words, at: number): string | null {
  for (const from of [at, at + 1]) {
    const read = readDay(words, from, false);
    if (read !== null && read.value.date === null) return wordsOf(words, from, read.next);
  }
  return null;
}

function readDate(words: Words, at: number, isLimit: boolean): Read<Day> | null {
  const read = readDay(words, at, isLimit);
  return read === null || read.value.date === null ? null : read;
}

/** "tomorrow", "on Friday", "2 December 2026"; as a limit also "June". Null date: no such day. */
function readDay(words: Words, at: number, isLimit: boolean): Read<Day> | null {
  const today = here(words).toPlainDate();
  const done = (date: Day['date'], next: number, or: Day['or'] = null): Read<Day> => ({
    value: { date, or },
    next,
  });
  if (word(words, at) === 'yesterday') return done(today.subtract({ days: 1 }), at + 1);
  if (word(words, at) === 'today') return done(today, at + 1);
  if (word(words, at) === 'tomorrow') return done(today.add({ days: 1 }), at + 1);
  const count = /^\d{1,4}$/.test(word(words, at + 1)) ? Number(word(words, at + 1)) : null;
  if (word(words, at) === 'in' && count !== null) {
    const unit = /^(day|week)s?$/.exec(word(words, at + 2))?.[1];
    return unit === undefined ? null : done(today.add({ [`${unit}s`]: count }), at + 3);
  }
  const i = word(words, at) === 'on' ? at + 1 : at;
  const weekday = placeOf(weekdays, word(words, i));
  if (weekday >= 0) {
    const ahead = (weekday + 8 - today.dayOfWeek) % 7;
    const date = today.add({ days: ahead });
    return done(date, i + 1, ahead === 0 ? date.add({ days: 7 }) : null);
  }
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(word(words, i));
  if (iso !== null) return done(plainDate(Number(iso[1]), Number(iso[2]), Number(iso[3])), i + 1);
  const dayAt = (place: number) => /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word(words, place))?.[1];
  const [first, second] = [word(words, i), word(words, i + 1)];
  const month = Math.max(placeOf(months, first), placeOf(months, second));
  const day = dayAt(i) ?? dayAt(i + 1);
  if (isLimit && day === undefined && placeOf(months, first) === month && month >= 0) {
    const begins = today.with({ month: month + 1, day: 1 });
    const begin = month + 1 < today.month ? begins.add({ years: 1 }) : begins;
    const end = begin.add({ months: 1 }).subtract({ days: 1 });
    return month + 1 === today.month
      ? done(end, i + 1)
      : done(begin.subtract({ days: 1 }), i + 1, end);
  }
  if (month < 0 || day === undefined) return null;
  let next = i + 2;
  const gap = word(words, next) === ',' ? 1 : 0;
  const year = /^20\d{2}$/.test(word(words, next + gap)) ? Number(word(words, next + gap)) : null;
  if (year !== null) next += gap + 1;
  const date = plainDate(year ?? today.year, month + 1, Number(day));
  const isPast = year === null && date !== null && Temporal.PlainDate.compare(date, today) < 0;
  return done(isPast ? plainDate(today.year + 1, month + 1, Number(day)) : date, next);
}

/** "in 3 hours", a day, a time, or both. */
export function readWhen(words: Words, at: number, isLimit = false): Read<When> | null {
  const span = word(words, at) === 'in' ? readSpan(words, at + 1) : null;
  const wordsTo = (next: number) => wordsOf(words, at, next);
  if (span?.value.exact) {
    const instant = print(here(words).add({ seconds: span.value.seconds }));
    const value = { date: null, clock: null, or: null, instant, words: wordsTo(span.next) };
    return { value, next: span.next };
  }
  let day = readDate(words, at, isLimit);
  const gap = day !== null && word(words, day.next) === ',' ? 1 : 0;
  const clock = readClock(words, (day?.next ?? at) + gap);
  if (day === null && clock !== null) day = readDate(words, clock.next, isLimit);
  if (day === null && clock === null) return null;
  const next = Math.max(day?.next ?? at, clock?.next ?? at);
  const { date = null, or = null } = day?.value ?? {};
  const value = { date, or, clock: clock?.value ?? null, instant: null, words: wordsTo(next) };
  return { value, next };
}

const pad = (n: number) => String(n).padStart(2, '0');
export const showClock = ({ hour, minute }: Pick<Clock, 'hour' | 'minute'>): string =>
  `${hour}:${pad(minute)}`;

/** @param wholeDay without a time, the end of the day */
export function settleWhen(
  when: When,
  words: Pick<Words, 'now' | 'timezone'>,
  wholeDay = false,
): { iso: string } | Doubt {
  if (when.instant !== null) return { iso: when.instant };
  const { date, clock } = when;
  const zone = clock?.zone ?? words.timezone;
  const now = Temporal.Instant.fromEpochMilliseconds(words.now.getTime()).toZonedDateTimeISO(zone);
  if (when.or !== null && date !== null)
    return { about: 'date', choices: [date, when.or].map(String) };
  if (clock === null && wholeDay && date !== null) {
    const end = date.add({ days: 1 }).toZonedDateTime(zone);
    return { iso: print(end.withTimeZone(words.timezone)) };
  }
  if (date !== null && Temporal.PlainDate.compare(date, now.toPlainDate()) < 0)
    return { about: 'date', choices: [] };
  if (clock === null) return { about: 'time', choices: ['9:00', '12:00', '17:00'] };
  const { hour, minute, second } = clock;
  if (second !== null)
    return {
      about: 'time',
      choices: [hour, second].map((one) => showClock({ hour: one, minute })),
    };
  const on = (day: Temporal.PlainDate) =>
    day.toPlainDateTime({ hour, minute }).toZonedDateTime(zone);
  let moment = on(date ?? now.toPlainDate());
  if (date === null && Temporal.ZonedDateTime.compare(moment, now) <= 0)
    moment = on(now.toPlainDate().add({ days: 1 }));
  if (Temporal.ZonedDateTime.compare(moment, now) <= 0) return { about: 'date', choices: [] };
  return { iso: print(moment.withTimeZone(words.timezone)) };
}

export function timeOnDay(day: string, time: string, timezone: string): string {
  const [date, clock] = [day, time].map((iso) =>
    Temporal.Instant.from(iso).toZonedDateTimeISO(timezone),
  );
  if (date === undefined || clock === undefined) return time;
  return print(date.withPlainTime(clock.toPlainTime()));
}

/** `2026-12-03T09:00`; null if invalid. */
export function localTime(moment: string, timezone: string): string | null {
  const time = Date.parse(moment);
  if (Number.isNaN(time)) return null;
  return Temporal.Instant.fromEpochMilliseconds(time)
    .toZonedDateTimeISO(timezone)
    .toPlainDateTime()
    .toString({ smallestUnit: 'minute' });
}

export function momentOf(text: string, timezone: string): string | null {
  const [, day = '', time] = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})$/.exec(text) ?? [];
  const exact = /(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(exact)) return new Date(exact).toISOString();
  if (time === undefined) return null;
  try {
    const { epochMilliseconds } = Temporal.PlainDateTime.from(`${day}T${time}`, {
      overflow: 'reject',
    }).toZonedDateTime(timezone);
    return new Date(epochMilliseconds).toISOString();
  } catch (error) {
    // No such day or hour.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** `exact`: minutes and hours, equal on every day. */
export type Span = { words: string; seconds: number; exact: boolean; working: boolean };

/** "1 hour 30 minutes", "2 working days". */
export function readSpan({ source, tokens }: Words, at: number): Read<Span> | null {
  const start = tokens[at]?.start;
  const read =
    start === undefined
      ? null
      : readLengthAt(/^.{0,200}/.exec(source.slice(start, start + 200))?.[0] ?? '');
  if (start === undefined || read === null) return null;
  const { length } = read;
  const end = start + read.end;
  const seconds = minutesOf(length) * 60;
  // Zero takes no time.
  const last = tokens.findIndex((token, index) => index >= at && token.end === end);
  if (last === -1 || seconds === 0) return null;
  const exact = length.parts.every(({ unit }) => unit !== 'day' && unit !== 'week');
  const words = source.slice(start, end);
  return { value: { words, seconds, exact, working: length.working }, next: last + 1 };
}

/** `clock`: null if missing. */
export type Every = { words: string; freq: string; parts: string[]; clock: Clock | null };

/** "every first Monday of the month at 9:30", "every day for 5 times". */
export function readEvery(words: Words, at: number, anyZone = false): Read<Every> | null {
  if (word(words, at) !== 'every') return null;
  const found = readFrequency(words, at + 1);
  if (found === null) return null;
  const clock = readClock(words, found.next);
  const zone = clock?.value.zone ?? null;
  if (!anyZone && zone !== null && zone !== words.timezone) return null;
  const end = clock?.next ?? found.next;
  const i = word(words, end) === 'for' ? end + 1 : end;
  const isCounted = /^[1-9]\d{0,3}$/.test(word(words, i)) && word(words, i + 1) === 'times';
  const next = isCounted ? i + 2 : end;
  const parts = [...found.value.parts, ...(isCounted ? [`COUNT=${word(words, i)}`] : [])];
  const spoken = wordsOf(words, at, next);
  const { freq } = found.value;
  return { value: { freq, parts, clock: clock?.value ?? null, words: spoken }, next };
}

type Frequency = Pick<Every, 'freq' | 'parts'>;

const ordinals = ['first', 'second', 'third', 'fourth'];

/** "first Monday", "last Friday": `1MO`, `-1FR`. */
function readNth(words: Words, at: number): string | null {
  const nth = word(words, at) === 'last' ? -1 : ordinals.indexOf(word(words, at)) + 1;
  const day = placeOf(weekdays, word(words, at + 1));
  return nth === 0 || day < 0 ? null : `${nth}${codes[day]}`;
}

function readFrequency(words: Words, at: number): Read<Frequency> | null {
  const nth = readNth(words, at);
  if (nth !== null) {
    const rest = [2, 3, 4].map((place) => word(words, at + place)).join(' ');
    if (rest !== 'of the month' && rest !== 'of every month') return null;
    return { value: { freq: 'MONTHLY', parts: [`BYDAY=${nth}`] }, next: at + 5 };
  }
  if (word(words, at) === 'weekday')
    return { value: { freq: 'WEEKLY', parts: ['BYDAY=MO,TU,WE,TH,FR'] }, next: at + 1 };
  const days = readDays(words, at);
  if (days !== null)
    return { value: { freq: 'WEEKLY', parts: [`BYDAY=${days.value}`] }, next: days.next };
  const count = /^\d{1,3}$/.test(word(words, at)) ? Number(word(words, at)) : null;
  const i = count === null ? at : at + 1;
  const unit = /^(minute|hour|day|week|month|year)s?$/.exec(word(words, i))?.[1];
  if (unit === undefined || count === 0) return null;
  const freq = unit === 'day' ? 'DAILY' : `${unit.toUpperCase()}LY`;
  const parts = count !== null && count > 1 ? [`INTERVAL=${count}`] : [];
  const plain = { value: { freq, parts }, next: i + 1 };
  if (word(words, i + 1) !== 'on') return plain;
  const on = freq === 'WEEKLY' ? readDays(words, i + 2) : null;
  if (on !== null)
    return { value: { freq, parts: [...parts, `BYDAY=${on.value}`] }, next: on.next };
  const placed = word(words, i + 2) === 'the' ? readNth(words, i + 3) : null;
  if (freq === 'MONTHLY' && placed !== null)
    return { value: { freq, parts: [...parts, `BYDAY=${placed}`] }, next: i + 5 };
  const day = /^(\d{1,2})(?:st|nd|rd|th)$/.exec(word(words, i + 3))?.[1];
  const isDay = freq === 'MONTHLY' && word(words, i + 2) === 'the' && day !== undefined;
  return isDay ? { value: { freq, parts: [...parts, `BYMONTHDAY=${day}`] }, next: i + 4 } : plain;
}

function readDays(words: Words, at: number): Read<string> | null {
  const days: string[] = [];
  for (let i = at; ; ) {
    const joint = days.length > 0 && /^(?:,|and)$/.test(word(words, i)) ? 1 : 0;
    const day = placeOf(weekdays, word(words, i + joint));
    if (day < 0 || (days.length > 0 && joint === 0))
      return days.length === 0 ? null : { value: days.join(','), next: i };
    days.push(codes[day] ?? '');
    i += joint + 1;
  }
}

/** RFC 5545, or a doubt about its time. */
export function settleEvery({ freq, parts, clock }: Every): { rrule: string } | Doubt {
  const often = freq === 'MINUTELY' || freq === 'HOURLY';
  if (clock === null && often) return { rrule: [`FREQ=${freq}`, ...parts].join(';') };
  if (clock === null) return { about: 'time', choices: ['9:00', '12:00', '17:00'] };
  const { hour, minute, second } = clock;
  if (second !== null)
    return {
      about: 'time',
      choices: [hour, second].map((one) => showClock({ hour: one, minute })),
    };
  const time = [...(often ? [] : [`BYHOUR=${hour}`]), `BYMINUTE=${minute}`, 'BYSECOND=0'];
  return { rrule: [`FREQ=${freq}`, ...parts, ...time].join(';') };
}

/** Reminders store the end in the rule. */
export function withUntil(rrule: string, until: string | null): string {
  if (until === null) return rrule;
  const last = Temporal.Instant.from(until).subtract({ seconds: 1 });
  return `${rrule};UNTIL=${last.toString({ smallestUnit: 'second' }).replace(/[-:]/g, '')}`;
}
