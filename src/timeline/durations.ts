// Reads a duration as people and models write it ("3 working days", "2 h 30 min", "P3D") into minutes. Strict: a text that holds
// anything else is refused with a sentence, never guessed at.
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { measureWorkingDay } from './working-time.ts';

export type ReadDuration = { ok: true; minutes: number } | { ok: false; message: string };

/** Whose minutes they are: `person`: working time, as schedules place it; `clock`: time that passes. */
export type DurationOf = 'person' | 'clock';

/** Ten years; the most that a step can say. */
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

/** The parts of a duration; null: the text is none. */
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

/** Days of the week on which people work. */
function workdaysOf({ working_hours }: Pick<StrategyProfile, 'working_hours'>): number {
  return new Set(working_hours.flatMap(({ days }) => days)).size;
}

/**
 * The minutes that `text` says. For a person's task a day is a working day of `profile`, however it is called, and a week (also
 * seven days) its working week; for anything else they are those of the clock. Hours and minutes are the same in both.
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
 * The minutes of a duration that was written as text or as a number of minutes. Whole days of the clock as a number are refused where
 * working time is meant: 4320 for three days would be placed as nine working days.
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
