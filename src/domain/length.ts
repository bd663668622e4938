// Durations: "3 working days", "72 h", "P3D". Anything else is rejected.
import { quoteWords } from './shown-text.ts';

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week';

/** `working`: counted in working hours, days and weeks. */
type Length = { parts: { amount: number; unit: Unit }[]; working: boolean };

const units: [pattern: RegExp, unit: Unit, symbol: string | null][] = [
  [/^(?:s|secs?|seconds?)$/, 'second', 's'],
  [/^(?:m|mins?|minutes?)$/, 'minute', 'min'],
  [/^(?:h|hrs?|hours?)$/, 'hour', 'h'],
  [/^(?:d|days?|workdays?)$/, 'day', null],
  [/^(?:w|wks?|weeks?)$/, 'week', null],
];
const clock: Record<Unit, number> = {
  second: 1 / 60,
  minute: 1,
  hour: 60,
  day: 1440,
  week: 10_080,
};

const counts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const amounts =
  /^(?:\d{1,9}(?:\.\d{1,9})?|half an?\b|an?\b|(?:one|two|three|four|five|six|seven|eight|nine|ten)\b)\s*/;
const work = /^(?:working|work|business)\s+/;
const calendar = /^calendar\s+/;
const word = /^[a-z]+/;
const between = /^\.?\s*(?:,\s*)?(?:and\s+)?/;
const iso =
  /^p(?:(\d{1,9}(?:\.\d+)?)w)?(?:(\d{1,9}(?:\.\d+)?)d)?(?:t(?:(\d{1,9}(?:\.\d+)?)h)?(?:(\d{1,9}(?:\.\d+)?)m)?(?:(\d{1,9}(?:\.\d+)?)s)?)?$/;

function readAmount(text: string): number {
  if (text.startsWith('half')) return 0.5;
  if (text === 'a' || text === 'an') return 1;
  const count = counts.indexOf(text);
  return count === -1 ? Number(text) : count + 1;
}

export function readLengthAt(text: string): { length: Length; end: number } | null {
  const source = text.toLowerCase();
  const length: Length = { parts: [], working: false };
  let [at, end] = [0, 0];
  const take = (pattern: RegExp): string => {
    const found = pattern.exec(source.slice(at, at + 60))?.[0] ?? '';
    at += found.length;
    return found.trim();
  };
  for (;;) {
    const amount = take(amounts);
    const isWork = take(work) !== '';
    if (!isWork) take(calendar);
    const name = take(word);
    const unit = units.find(([pattern]) => pattern.test(name))?.[1];
    if (amount === '' || unit === undefined) break;
    length.parts.push({ amount: readAmount(amount), unit });
    length.working ||= isWork || name.startsWith('workday');
    end = at;
    take(between);
  }
  return end === 0 ? null : { length, end };
}

export function readLength(text: string): Length | null {
  const source = text.trim();
  const found = iso.exec(source.toLowerCase());
  if (found !== null) {
    const order: Unit[] = ['week', 'day', 'hour', 'minute', 'second'];
    const parts = order.flatMap((unit, at) => {
      const amount = found[at + 1];
      return amount === undefined ? [] : [{ amount: Number(amount), unit }];
    });
    return parts.length === 0 ? null : { parts, working: false };
  }
  const read = readLengthAt(source);
  return read !== null && /^\.?$/.test(source.slice(read.end)) ? read.length : null;
}

/** By the clock, or with a working day and week. */
export function minutesOf(
  { parts }: Length,
  { day, week }: { day: number; week: number } = clock,
): number {
  return parts.reduce((sum, { amount, unit }) => {
    const each = unit === 'day' ? day : unit === 'week' ? week : clock[unit];
    return sum + amount * each;
  }, 0);
}

/** Under a day it does: a person's “2 h” are two hours of work. */
export const isWork = (length: Length): boolean => length.working || minutesOf(length) < clock.day;

export function writeLength({ parts, working }: Length): string {
  return parts
    .map(({ amount, unit }) => {
      const symbol = working ? null : (units.find(([, one]) => one === unit)?.[2] ?? null);
      const name = symbol ?? (amount === 1 ? unit : `${unit}s`);
      return `${amount} ${working ? 'working ' : ''}${name}`;
    })
    .join(' ');
}

/** Clock time: `2 weeks`, `1 day 4 h`, `90 s`. */
export function sayLength(minutes: number): string {
  const seconds = Math.round(minutes * 60);
  if (seconds < 60 || (seconds < 3600 && seconds % 60 !== 0)) return `${seconds} s`;
  return sayIn(seconds / 60, ['week', 'day', 'hour', 'minute']);
}

/** `72 h`: the same for work and clock time. */
export const sayInHours = (minutes: number): string => sayIn(minutes, ['hour', 'minute']);

function sayIn(minutes: number, allowed: Unit[]): string {
  let rest = Math.round(minutes);
  const parts = allowed.flatMap((unit) => {
    // Whole weeks only: `10 days`, not `1 week 3 days`.
    const amount = unit === 'week' && rest % clock.week !== 0 ? 0 : Math.floor(rest / clock[unit]);
    rest -= amount * clock[unit];
    return amount === 0 ? [] : [{ amount, unit }];
  });
  return parts.length === 0 ? '0 min' : writeLength({ parts, working: false });
}

export function isByClock(duration: string | null | undefined): boolean {
  const length = duration == null ? null : readLength(duration);
  return length !== null && !isWork(length);
}

export const sayLag = (minutes: number): string =>
  `${minutes < 0 ? '-' : ''}${sayLength(Math.abs(minutes))}`;

const maxLag = 525_600;

/** Clock minutes, negative for a lead. @returns a refusal otherwise */
export function readLag(text: string): number | string {
  const shown = quoteWords(text.trim().slice(0, 100), 200);
  const [, sign = '', rest = ''] = /^\s*([-−]?)(.*)$/s.exec(text) ?? [];
  const length = readLength(rest);
  if (length === null)
    return `${shown} is not a length of time. Write for example “2 days”, “72 h” or “45 min”.`;
  if (length.working)
    return `${shown} is working time, and a wait between steps is counted by the clock. Say it in days or hours, such as “2 days”.`;
  const minutes = minutesOf(length);
  if (!Number.isInteger(minutes) || minutes > maxLag)
    return `${shown} can’t be a wait between steps: it is counted in whole minutes, up to a year.`;
  return sign === '' ? minutes : -minutes;
}
