// Parses a duration ("3 working days", "2 h 30 min", "P3D") into minutes. Strict: anything else is rejected, never guessed.
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { measureWorkingDay } from './working-time.ts';

export type ReadDuration = { ok: true; minutes: number } | { ok: false; message: string };

/** `person`: working time, as schedules place it; `clock`: elapsed time. */
export type DurationOf = 'person' | 'clock';

/** Ten years. */
const maxMinutes = 5_256_000;

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week';

const units: [pattern: RegExp, unit: Unit][] = [
  [/^(s|secs?|seconds?)$/, 'second'],
  [/^(m|mins?|minutes?)$/, 'minute'],
  [/^(h|hrs?|hours?)$/, 'hour'],
  [/^(d|days?|workdays?)$/, 'day'],
  [/^(w|wks?|weeks?)$/, 'week'],
];

const counts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

type Part = { amount: number; unit: Unit; working: boolean };

const amounts =
  /^(?:\d+(?:\.\d+)?|half an?|an?|one|two|three|four|five|six|seven|eight|nine|ten)\s*/;
const work = /^(?:working|work|business)\s+/;
const word = /^[a-z]+/;
/** Between two parts. */
const between = /^\.?\s*(?:,\s*)?(?:and\s+)?/;
const iso =
  /^p(?:(\d+(?:\.\d+)?)w)?(?:(\d+(?:\.\d+)?)d)?(?:t(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?)?$/;

function readAmount(word: string): number {
  if (word.startsWith('half')) return 0.5;
  if (word === 'a' || word === 'an') return 1;
  const count = counts.indexOf(word);
  return count === -1 ? Number(word) : count + 1;
}

/** The parts of a duration, or null if it isn't one. */
function readParts(text: string): Part[] | null {
  const found = iso.exec(text);
  const parts: Part[] = [];
  if (found !== null) {
    const order: Unit[] = ['week', 'day', 'hour', 'minute', 'second'];
    order.forEach((unit, at) => {
      const amount = found[at + 1];
      if (amount !== undefined) parts.push({ amount: Number(amount), unit, working: false });
    });
    return parts.length === 0 ? null : parts;
  }
  let rest = text;
  const take = (pattern: RegExp): string => {
    const found = pattern.exec(rest)?.[0] ?? '';
    rest = rest.slice(found.length);
    return found;
  };
  while (rest !== '') {
    const [amount, working, name] = [take(amounts).trim(), take(work), take(word)];
    const unit = units.find(([pattern]) => pattern.test(name))?.[1];
    if (amount === '' || unit === undefined) return null;
    const isWork = working !== '' || name.startsWith('workday');
    parts.push({ amount: readAmount(amount), unit, working: isWork });
    take(between);
  }
  return parts.length === 0 ? null : parts;
}

/** Working days per week. */
function workdaysOf({ working_hours }: Pick<StrategyProfile, 'working_hours'>): number {
  return new Set(working_hours.flatMap(({ days }) => days)).size;
}

/**
 * The minutes of `text`. For a person, a day is a working day of `profile` and a week (or seven days) a working week; otherwise
 * both are elapsed time.
 */
export function parseDuration(
  text: string,
  profile: Pick<StrategyProfile, 'working_hours' | 'minutes_a_day'>,
  of: DurationOf,
): ReadDuration {
  const shown = text.trim().slice(0, 100);
  const parts = readParts(text.trim().toLowerCase());
  if (parts === null)
    return {
      ok: false,
      message: `${quoteWords(shown, 200)} is no duration. Write one such as “3 working days”, “2 h” or “45 min”.`,
    };
  if (of === 'clock' && parts.some(({ working }) => working))
    return {
      ok: false,
      message: `${quoteWords(shown, 200)} is working time, and no person works on this step. Give hours or days by the clock, such as 72 h.`,
    };
  const day = of === 'clock' ? 1440 : measureWorkingDay(profile);
  if (day === null && parts.some(({ unit }) => unit === 'day' || unit === 'week'))
    return {
      ok: false,
      message: `${quoteWords(shown, 200)} can’t be counted: the working hours are empty. Give hours, such as 24 h.`,
    };
  const week = (day ?? 0) * (of === 'clock' ? 7 : workdaysOf(profile));
  const minutesOf = ({ amount, unit, working }: Part): number => {
    switch (unit) {
      case 'second':
        return amount / 60;
      case 'minute':
        return amount;
      case 'hour':
        return amount * 60;
      case 'day':
        return !working && amount > 0 && amount % 7 === 0
          ? (amount / 7) * week
          : amount * (day ?? 0);
      case 'week':
        return amount * week;
      default:
        return unit satisfies never;
    }
  };
  const minutes = parts.reduce((sum, one) => sum + minutesOf(one), 0);
  if (minutes > maxMinutes)
    return {
      ok: false,
      message: `${quoteWords(shown, 200)} is too long: a step takes at most ten years.`,
    };
  return { ok: true, minutes };
}

/**
 * The minutes of a text or number. Whole elapsed days are refused as a number for working time: 4320 meant as three days would be
 * placed as nine.
 */
export function readDuration(
  written: string | number,
  profile: Pick<StrategyProfile, 'working_hours' | 'minutes_a_day'>,
  of: DurationOf,
): ReadDuration {
  if (typeof written === 'string') return parseDuration(written, profile, of);
  if (of === 'clock' || written === 0 || written % 1440 !== 0)
    return { ok: true, minutes: written };
  const days = written / 1440;
  const [byDays, byHours] = [countOf(days, 'working day'), `${written / 60} h`];
  return {
    ok: false,
    message: `${written} minutes are ${countOf(days, 'day')} by the clock, and ${written / 60} hours of work. Say which in words: ${quoteWords(byDays, 40)} or ${quoteWords(byHours, 40)}.`,
  };
}
