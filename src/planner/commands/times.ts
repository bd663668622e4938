// Moments, lengths of time and rules of recurrence, read from tokens. Local times are those of the person's zone, daylight
// saving included, unless another zone stands behind the time of day. What may mean two things is a problem, not a guess.
import { Temporal } from 'temporal-polyfill';
import type { Token } from './tokens.ts';
import { isSameZone, readZone } from './zones.ts';

export type Words = {
  source: string;
  tokens: readonly Token[];
  now: Date;
  timezone: string;
  /** `day`: the one named last, which a bare time of day may be on. */
  focus?: { day?: string };
};
/** `next`: the first token behind what was read. */
export type Read<T> = { value: T; next: number };

/** Something about a time that must be asked. */
export type TimeProblem = { kind: 'hour' | 'date' | 'zone' | 'past'; words: string };

export type Moment = {
  /** ISO 8601 with the zone's offset at that moment. */
  iso: string;
  date: Temporal.PlainDate;
  /** No time of day was named: nine in the morning is assumed. */
  assumedHour: boolean;
  /** Only a time of day, without a date. */
  bare: boolean;
  problem: TimeProblem | null;
};

export type Clock = { hour: number; minute: number; zone: string | null; words: string };
type ReadClock = Clock & { unclear: TimeProblem['kind'] | null; half: boolean; bare: boolean };

const assumedHour = 9;
/** The hour that is assumed for a part of the day, and between which hours it is. */
type DayPart = { hour: number; from: number; to: number };
const night = { hour: 21, from: 18, to: 24 };
const dayParts: Record<string, DayPart> = {
  morning: { hour: 9, from: 0, to: 12 },
  afternoon: { hour: 15, from: 12, to: 19 },
  evening: { hour: 18, from: 16, to: 24 },
  night,
};
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const codes = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const months =
  'january february march april may june july august september october november december'.split(
    ' ',
  );

export const numberWords =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );

const word = ({ tokens }: Pick<Words, 'tokens'>, at: number): string =>
  tokens[at]?.kind === 'quote' ? '' : (tokens[at]?.value ?? '');
const isOneOf = (value: string, ...words: string[]) => words.includes(value);

/** The place in a list of names, by the name or its first three letters or more. */
function placeOf(names: string[], value: string): number {
  if (value.length < 3) return -1;
  const plain = value.replace(/\.$/, '');
  return names.findIndex((name) => name === plain || (plain.length <= 4 && name.startsWith(plain)));
}

const behind = ({ tokens }: Words, end: number, from: number): number => {
  let next = from;
  while (next < tokens.length && (tokens[next]?.start ?? 0) < end) next += 1;
  return next;
};

const wordsBetween = ({ source, tokens }: Words, from: number, to: number): string =>
  source.slice(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0);

/** "at 9", "9:30", "3pm Eastern", "noon". A bare number needs "at" before it. */
function readClock(words: Words, at: number): Read<ReadClock> | null {
  let i = at;
  const marked = isOneOf(word(words, i), 'at', '@');
  if (marked) i += 1;
  const value = word(words, i);
  const found = /^(\d{1,2})(?:[:.h](\d{2}))?\s?(?:([ap])\.?m\.?)?$/.exec(value);
  if (!isOneOf(value, 'noon', 'midnight')) {
    if (found === null || words.tokens[i]?.kind !== 'number') return null;
    if (!marked && found[2] === undefined && found[3] === undefined) return null;
  }
  i += 1;
  if (isOneOf(word(words, i), "o'clock", 'oclock')) i += 1;
  const place = words.tokens[i];
  const zone = place === undefined ? null : readZone(words.source, place.start, words.timezone);
  if (zone !== null) i = behind(words, zone.end, i);
  const raw = value === 'noon' ? 12 : value === 'midnight' ? 0 : Number(found?.[1]);
  const minute = Number(found?.[2] ?? 0);
  const half = found?.[3];
  const hour = half === undefined ? raw : (raw % 12) + (half === 'p' ? 12 : 0);
  if (hour > 23 || minute > 59) return null;
  const bare = found !== null && half === undefined && found[2] === undefined;
  // "5" and "5:30" may be in the afternoon; "05:30" is not.
  const early = half === undefined && hour > 0 && hour < 7 && (bare || !value.startsWith('0'));
  const unclear = zone !== null && zone.zone === null ? 'zone' : early ? 'hour' : null;
  const clock = { hour, minute, zone: zone?.zone ?? null, words: wordsBetween(words, at, i) };
  const isBare = bare && hour <= 12;
  return { value: { ...clock, unclear, half: half !== undefined, bare: isBare }, next: i };
}

/** The hour of a clock in its part of the day: "tonight at 11:30". Open where neither or both of its two are in it. */
function settleHour(
  clock: ReadClock | null,
  part: DayPart | null,
): { hour: number; unclear: ReadClock['unclear'] } {
  if (clock === null || part === null)
    return { hour: (clock ?? part)?.hour ?? assumedHour, unclear: clock?.unclear ?? null };
  const { hour, half, unclear } = clock;
  const both = half || hour === 0 || hour > 12 ? [hour] : [hour, hour + 12];
  const [within = hour, ...more] = both.filter((one) => one >= part.from && one < part.to);
  const isOpen = within < part.from || within >= part.to || more.length > 0;
  return { hour: within, unclear: unclear === 'zone' ? unclear : isOpen ? 'hour' : null };
}

type ReadDate = { date: Temporal.PlainDate; part: DayPart | null; unclear: boolean; past: boolean };

/** "tomorrow", "on Friday", "1 December 2026", "2026-12-01", "in 3 days"; with "morning" behind it. */
function readDate(words: Words, at: number): Read<ReadDate> | null {
  const today = Temporal.Instant.fromEpochMilliseconds(words.now.getTime())
    .toZonedDateTimeISO(words.timezone)
    .toPlainDate();
  let i = at;
  const done = (date: Temporal.PlainDate, next: number, unclear = false): Read<ReadDate> => {
    const part = dayParts[word(words, next)] ?? null;
    const past = Temporal.PlainDate.compare(date, today) < 0;
    return { value: { date, part, unclear, past }, next: next + (part === null ? 0 : 1) };
  };
  const first = word(words, i);
  if (first === 'today') return done(today, i + 1);
  if (first === 'tonight')
    return { value: { date: today, part: night, unclear: false, past: false }, next: i + 1 };
  if (first === 'tomorrow') return done(today.add({ days: 1 }), i + 1);
  const after = first === 'the' ? i + 1 : i;
  if (['day', 'after', 'tomorrow'].every((one, k) => word(words, after + k) === one))
    return done(today.add({ days: 2 }), after + 3);
  if (first === 'yesterday') return done(today.subtract({ days: 1 }), i + 1);
  if (first === 'in') {
    const count = readCount(words, i + 1);
    const unit = count === null ? '' : word(words, count.next);
    if (count !== null && /^(?:days?|weeks?)$/.test(unit))
      return done(
        today.add({ days: count.value * (unit.startsWith('w') ? 7 : 1) }),
        count.next + 1,
      );
    return null;
  }
  const on = isOneOf(first, 'on');
  if (on) i += 1;
  const vague = isOneOf(word(words, i), 'next');
  if (vague || word(words, i) === 'this') i += 1;
  const day = placeOf(weekdays, word(words, i));
  if (day >= 0) {
    const ahead = (day + 1 - today.dayOfWeek + 7) % 7;
    // The very day, and "next Friday", mean two days each.
    return done(today.add({ days: ahead }), i + 1, vague || ahead === 0);
  }
  if (i > at + (on ? 1 : 0)) return null;
  const token = words.tokens[i];
  if (token?.kind === 'number' && /^\d{4}-\d{2}-\d{2}$/.test(token.value)) {
    const date = plainDate(token.value);
    return date === null ? null : done(date, i + 1);
  }
  if (token?.kind === 'number' && token.value.includes('/')) return done(today, i + 1, true);
  return readDayOfMonth(words, i, today, done);
}

function plainDate(iso: string | Temporal.PlainDateLike): Temporal.PlainDate | null {
  try {
    return Temporal.PlainDate.from(iso, { overflow: 'reject' });
  } catch {
    return null; // there is no such day
  }
}

function readDayOfMonth(
  words: Words,
  at: number,
  today: Temporal.PlainDate,
  done: (date: Temporal.PlainDate, next: number, unclear?: boolean) => Read<ReadDate>,
): Read<ReadDate> | null {
  let i = word(words, at) === 'the' ? at + 1 : at;
  const dayAt = (place: number) =>
    words.tokens[place]?.kind === 'number'
      ? /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word(words, place))?.[1]
      : undefined;
  let day = dayAt(i);
  let month = -1;
  if (day !== undefined) {
    i += 1;
    if (word(words, i) === 'of') i += 1;
    month = placeOf(months, word(words, i));
  } else {
    month = placeOf(months, word(words, i));
    day = dayAt(i + 1);
    if (day !== undefined) i += 1;
  }
  // "on the 28th" is the next such day. Today's number, and one that this month lacks, mean two days each.
  const isDay = isOneOf(word(words, at - 1), 'on', 'until', 'till', 'by');
  const isOrdinal = word(words, at) === 'the' && /\D$/.test(word(words, at + 1));
  if (month < 0 && isDay && isOrdinal && day !== undefined) {
    if (isOneOf(word(words, at + 2), 'of', 'every', 'each')) return null;
    const number = Number(day);
    const { year, month: now } = number < today.day ? today.add({ months: 1 }) : today;
    const next = plainDate({ year, month: now, day: number });
    return done(next ?? today, at + 2, next === null || number === today.day);
  }
  if (month < 0 || day === undefined) return null;
  i += 1;
  const gap = word(words, i) === ',' ? 1 : 0;
  const year = /^20\d{2}$/.test(word(words, i + gap)) ? Number(word(words, i + gap)) : null;
  if (year !== null) i += gap + 1;
  const of = (y: number) => plainDate({ year: y, month: month + 1, day: Number(day) });
  const date = of(year ?? today.year);
  if (date === null) return null;
  const past = year === null && Temporal.PlainDate.compare(date, today) < 0;
  const next = past ? of(today.year + 1) : date;
  return next === null ? null : done(next, i);
}

export function readMoment(words: Words, at: number): Read<Moment> | null {
  const span = word(words, at) === 'in' ? readDuration(words, at + 1) : null;
  const here = Temporal.Instant.fromEpochMilliseconds(words.now.getTime()).toZonedDateTimeISO(
    words.timezone,
  );
  if (span?.value.exact) {
    const moment = here.add({ seconds: span.value.seconds });
    const value = { iso: print(moment), date: moment.toPlainDate(), assumedHour: false };
    return { value: { ...value, bare: false, problem: null }, next: span.next };
  }
  let date = readDate(words, at);
  let next = date?.next ?? at;
  const gap = date !== null && word(words, next) === ',' ? 1 : 0;
  const clock = readClock(words, next + gap);
  if (clock !== null) {
    next = clock.next;
    if (date === null) {
      date = readDate(words, next);
      next = date?.next ?? next;
    }
  }
  if (date === null && clock === null) return null;
  return { value: settle(words, at, next, date?.value ?? null, clock?.value ?? null), next };
}

function settle(
  words: Words,
  at: number,
  next: number,
  date: ReadDate | null,
  clock: ReadClock | null,
): Moment {
  const zone = clock?.zone ?? words.timezone;
  const here = Temporal.Instant.fromEpochMilliseconds(words.now.getTime()).toZonedDateTimeISO(zone);
  const { hour, unclear } = settleHour(clock, date?.part ?? null);
  let moment = (date?.date ?? here.toPlainDate())
    .toPlainDateTime({ hour, minute: clock?.minute ?? 0 })
    .toZonedDateTime(zone);
  const passed = Temporal.ZonedDateTime.compare(moment, here) <= 0;
  if (date === null && passed) moment = moment.add({ days: 1 });
  const told = wordsBetween(words, at, next);
  const { day } = words.focus ?? {};
  // "at 9", said at ten, may be this evening too.
  const isOpen = date === null && passed && clock?.bare === true;
  const open = unclear ?? (isOpen ? 'hour' : null);
  const problem: TimeProblem | null =
    open !== null
      ? { kind: open, words: clock?.words ?? told }
      : date?.unclear === true ||
          (date === null && day !== undefined && day !== moment.toPlainDate().toString()) ||
          (date !== null && /midnight/i.test(clock?.words ?? ''))
        ? { kind: 'date', words: told }
        : date !== null && passed
          ? { kind: 'past', words: told }
          : null;
  return {
    iso: print(moment.withTimeZone(words.timezone)),
    date: moment.toPlainDate(),
    assumedHour: clock === null && date?.part == null,
    bare: date === null,
    problem,
  };
}

function print(moment: Temporal.ZonedDateTime): string {
  return moment.toString({ timeZoneName: 'never', smallestUnit: 'second' });
}

export function addMinutes(iso: string, minutes: number, timezone: string): string {
  return print(Temporal.Instant.from(iso).toZonedDateTimeISO(timezone).add({ minutes }));
}

/** The time of day of `time` on the day of `day`. */
export function timeOnDay(day: string, time: string, timezone: string): string {
  const [date, clock] = [day, time].map((iso) =>
    Temporal.Instant.from(iso).toZonedDateTimeISO(timezone),
  );
  if (date === undefined || clock === undefined) return time;
  return print(date.withPlainTime(clock.toPlainTime()));
}

/** The last moment of a day, exclusive: "until 1 June" includes that day. */
function endOfDay({ date }: Moment, timezone: string): string {
  const end = date.add({ days: 1 }).toZonedDateTime(timezone);
  return new Date(end.epochMilliseconds).toISOString();
}

/** A rule that holds its own end, as reminders have it: the last second of a day. null: it ends at a time of day. */
export function printRule({ rrule, until }: Rule, timezone: string): string | null {
  if (until === null) return rrule;
  const end = Temporal.Instant.from(until).toZonedDateTimeISO(timezone);
  if (end.hour !== 0 || end.minute !== 0) return null;
  const last = end.subtract({ seconds: 1 }).toInstant().toString({ smallestUnit: 'second' });
  return `${rrule};UNTIL=${last.replace(/[-:]/g, '')}`;
}

/** "from 2 to 3pm", "15:00-16:00", "9:00 to 9:30": times of day, the second behind the first. */
export function readRange(words: Words, at: number): Read<{ from: Clock; to: Clock }> | null {
  let i = isOneOf(word(words, at), 'from') ? at + 1 : at;
  const bare = (place: number): Read<ReadClock> | null => {
    const value = word(words, place);
    if (words.tokens[place]?.kind !== 'number' || !/^\d{1,2}$/.test(value)) return null;
    const hour = Number(value);
    const clock = { hour, minute: 0, zone: null, words: value, half: false, bare: true };
    return hour > 23 ? null : { value: { ...clock, unclear: 'hour' }, next: place + 1 };
  };
  const from = readClock(words, i) ?? (i > at ? bare(i) : null);
  if (from === null) return null;
  i = from.next;
  if (!isOneOf(word(words, i), 'to', '-', '–', 'until')) return null;
  const to = readClock(words, i + 1) ?? bare(i + 1);
  if (to === null) return null;
  const start = { ...from.value };
  // "2 to 3pm": both in the same half of the day.
  const shared = from.value.unclear === 'hour' && to.value.half && to.value.hour >= 12;
  if (shared && start.hour < 12 && start.hour + 12 <= to.value.hour) start.hour += 12;
  const isPlain = (clock: ReadClock) => clock.unclear === null;
  if (!(shared || isPlain(start)) || !isPlain(to.value)) return null;
  return { value: { from: start, to: to.value }, next: to.next };
}

/** "3", "an", "two", "half an": how many of what follows. */
function readCount(words: Words, at: number): Read<number> | null {
  const value = word(words, at);
  if (value === 'half' && isOneOf(word(words, at + 1), 'a', 'an'))
    return { value: 0.5, next: at + 2 };
  if (isOneOf(value, 'a', 'an')) return { value: 1, next: at + 1 };
  const named = numberWords.indexOf(value) + 1;
  const isNumber = words.tokens[at]?.kind === 'number' && /^\d+(?:[.,]\d+)?$/.test(value);
  const number = isNumber ? Number(value.replace(',', '.')) : named;
  return isNumber || named > 0 ? { value: number, next: at + 1 } : null;
}

export type Duration = {
  seconds: number;
  /** In seconds, minutes or hours alone, so that it means the same at any time of the year. */
  exact: boolean;
  /** The same where a person works it, in working days of eight hours, and weeks of five of them. */
  workSeconds: number;
};

const units: [RegExp, seconds: number, work: number][] = [
  [/^(?:s|secs?|seconds?)$/, 1, 1],
  [/^(?:m|mins?|minutes?)$/, 60, 60],
  [/^(?:h|hrs?|hours?)$/, 3600, 3600],
  [/^days?$/, 86_400, 28_800],
  [/^weeks?$/, 604_800, 144_000],
];

/** "10 minutes", "an hour and a half", "1 hour 30 minutes", "2 working days", "90s". */
export function readDuration(words: Words, at: number): Read<Duration> | null {
  let [i, seconds, workSeconds, exact] = [at, 0, 0, true];
  for (;;) {
    const joined = i > at && word(words, i) === 'and' ? 1 : 0;
    const one = readPart(words, i + joined);
    if (one === null) break;
    seconds += one.value.seconds;
    workSeconds += one.value.workSeconds;
    exact = exact && one.value.exact;
    i = one.next;
  }
  return i === at ? null : { value: { seconds, workSeconds, exact }, next: i };
}

function readPart(words: Words, at: number): Read<Duration> | null {
  const short = /^(\d+)(s|m|min|h)$/.exec(word(words, at));
  const count = short === null ? readCount(words, at) : { value: Number(short[1]), next: at };
  if (count === null) return null;
  let [i, amount] = [count.next, count.value];
  const half = (place: number) =>
    word(words, place) === 'and' &&
    word(words, place + 1) === 'a' &&
    word(words, place + 2) === 'half';
  if (half(i)) [i, amount] = [i + 3, amount + 0.5];
  const working = isOneOf(word(words, i), 'working', 'work', 'business');
  if (working) i += 1;
  const name = short?.[2] ?? word(words, i);
  const unit = units.find(([pattern]) => pattern.test(name));
  if (unit === undefined) return null;
  i += 1;
  if (half(i)) [i, amount] = [i + 3, amount + 0.5];
  const [, seconds, ofDay] = unit;
  // Seven days are a week, of which people work five.
  const weeks = seconds === 86_400 && !working && amount > 0 && amount % 7 === 0;
  const work = weeks ? (ofDay * 5) / 7 : ofDay;
  const each = { seconds: (working ? work : seconds) * amount, workSeconds: work * amount };
  return { value: { ...each, exact: seconds <= 3600 }, next: i };
}

export type Rule = {
  rrule: string;
  words: string;
  assumedHour: boolean;
  /** No occurrence begins after it; null: none was said. */
  until: string | null;
  problem: TimeProblem | null;
};

const frequencyOf = (unit: string): string | null => {
  if (!/^(?:minute|hour|day|week|month|year)$/.test(unit)) return null;
  return unit === 'day' ? 'DAILY' : `${unit.toUpperCase()}LY`;
};

type Frequency = { freq: string; parts: string[]; part?: DayPart };

/** "every weekday at 9:30", "every Monday and Friday", "every 2 weeks on Friday", "daily", "on the 1st of every month". */
export function readRule(words: Words, at: number): Read<Rule> | null {
  const found = readEvery(words, at) ?? readMonthly(words, at);
  if (found === null) return null;
  const { freq, parts, part } = found.value;
  let i = found.next;
  const clock = readClock(words, i);
  if (clock !== null) i = clock.next;
  const often = isOneOf(freq, 'MINUTELY', 'HOURLY');
  const elsewhere =
    clock !== null &&
    clock.value.zone !== null &&
    !isSameZone(clock.value.zone, words.timezone, words.now);
  const { hour, unclear } = settleHour(clock?.value ?? null, part ?? null);
  const time =
    often && clock === null
      ? []
      : [
          ...(often ? [] : [`BYHOUR=${hour}`]),
          `BYMINUTE=${clock?.value.minute ?? 0}`,
          'BYSECOND=0',
        ];
  const told = wordsBetween(words, at, i);
  const until = readUntil(words, i);
  const problem: TimeProblem | null = elsewhere
    ? { kind: 'zone', words: clock?.value.words ?? told }
    : unclear !== null
      ? { kind: unclear, words: clock?.value.words ?? told }
      : (until?.value.problem ?? null);
  return {
    value: {
      rrule: [`FREQ=${freq}`, ...parts, ...time].join(';'),
      words: told,
      assumedHour: clock === null && !often && part === undefined,
      until: until?.value.iso ?? null,
      problem,
    },
    next: until?.next ?? i,
  };
}

/** "until 1 June", "until the end of December". */
export function readUntil(
  words: Words,
  at: number,
): Read<{ iso: string; problem: TimeProblem | null }> | null {
  if (!isOneOf(word(words, at), 'until', 'till')) return null;
  const ends =
    word(words, at + 1) === 'the' && word(words, at + 2) === 'end' && word(words, at + 3) === 'of';
  if (ends) {
    const month = placeOf(months, word(words, at + 4));
    if (month < 0) return null;
    const first = Temporal.Instant.fromEpochMilliseconds(words.now.getTime())
      .toZonedDateTimeISO(words.timezone)
      .toPlainDate();
    const year = first.year + (month + 1 < first.month ? 1 : 0);
    const date = Temporal.PlainDate.from({ year, month: month + 1, day: 31 });
    const iso = new Date(date.add({ days: 1 }).toZonedDateTime(words.timezone).epochMilliseconds);
    return { value: { iso: iso.toISOString(), problem: null }, next: at + 5 };
  }
  const moment = readMoment(words, at + 1);
  if (moment === null) return null;
  const { iso, problem, assumedHour: open } = moment.value;
  return {
    value: { iso: open ? endOfDay(moment.value, words.timezone) : iso, problem },
    next: moment.next,
  };
}

function readDays(words: Words, at: number): Read<string[]> | null {
  const days: string[] = [];
  let i = at;
  for (;;) {
    const skip = days.length > 0 && isOneOf(word(words, i), 'and', ',') ? 1 : 0;
    const value = word(words, i + skip).replace(/days$/, 'day');
    const day = placeOf(weekdays, value);
    if (day < 0 || (days.length > 0 && skip === 0)) break;
    days.push(codes[day] ?? '');
    i += skip + 1;
  }
  return days.length === 0 ? null : { value: days, next: i };
}

function readEvery(words: Words, at: number): Read<Frequency> | null {
  const adverb = /^(hour|dai|week|month|year)ly$/.exec(word(words, at))?.[1];
  if (adverb !== undefined) {
    return withDays(words, at + 1, { freq: word(words, at).toUpperCase(), parts: [] });
  }
  if (!isOneOf(word(words, at), 'every', 'each')) return null;
  let i = at + 1;
  const value = word(words, i);
  const isWorking = isOneOf(value, 'working', 'business') && word(words, i + 1) === 'day';
  if (isWorking || isOneOf(value, 'weekday', 'workday')) {
    const parts = ['BYDAY=MO,TU,WE,TH,FR'];
    return { value: { freq: 'WEEKLY', parts }, next: i + (isWorking ? 2 : 1) };
  }
  const part = dayParts[value];
  if (part !== undefined) return { value: { freq: 'DAILY', parts: [], part }, next: i + 1 };
  const days = readDays(words, i);
  if (days !== null)
    return { value: { freq: 'WEEKLY', parts: [`BYDAY=${days.value.join(',')}`] }, next: days.next };
  const count = value === 'other' ? { value: 2, next: i + 1 } : readCount(words, i);
  if (count !== null) i = count.next;
  const freq = frequencyOf(word(words, i).replace(/s$/, ''));
  if (freq === null || (count !== null && !Number.isInteger(count.value))) return null;
  const parts = count !== null && count.value > 1 ? [`INTERVAL=${count.value}`] : [];
  return withDays(words, i + 1, { freq, parts });
}

/** "every week on Friday", "every month on the 1st". */
function withDays(words: Words, at: number, found: Frequency): Read<Frequency> {
  if (word(words, at) !== 'on') return { value: found, next: at };
  if (found.freq === 'WEEKLY') {
    const days = readDays(words, at + 1);
    if (days !== null)
      return {
        value: { ...found, parts: [...found.parts, `BYDAY=${days.value.join(',')}`] },
        next: days.next,
      };
  }
  const day = /^(\d{1,2})(?:st|nd|rd|th)$/.exec(word(words, at + 2))?.[1];
  if (found.freq === 'MONTHLY' && word(words, at + 1) === 'the' && day !== undefined)
    return { value: { ...found, parts: [...found.parts, `BYMONTHDAY=${day}`] }, next: at + 3 };
  return { value: found, next: at };
}

const places = ['first', 'second', 'third', 'fourth'];

function readMonthly(words: Words, at: number): Read<Frequency> | null {
  let i = word(words, at) === 'on' ? at + 1 : at;
  if (word(words, i) !== 'the') return null;
  i += 1;
  const place = word(words, i) === 'last' ? -1 : places.indexOf(word(words, i)) + 1;
  const day = /^(\d{1,2})(?:st|nd|rd|th)$/.exec(word(words, i))?.[1];
  const weekday = place === 0 ? -1 : placeOf(weekdays, word(words, i + 1));
  i += weekday >= 0 ? 2 : 1;
  const ends = ['of every month', 'of each month'].includes(
    [0, 1, 2].map((k) => word(words, i + k)).join(' '),
  );
  if (!ends || (weekday < 0 && day === undefined)) return null;
  const part = weekday >= 0 ? `BYDAY=${place}${codes[weekday]}` : `BYMONTHDAY=${day}`;
  return { value: { freq: 'MONTHLY', parts: [part] }, next: i + 3 };
}
