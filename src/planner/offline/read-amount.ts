// Reads lengths of time, at the beginning of a text or alone: "two days", "an hour and a half", "1h30", "90 min". Minutes.
import { numberWords } from '../number-words.ts';

const numbers: Record<string, number> = {
  a: 1,
  an: 1,
  ...numberWords,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
  'a couple of': 2,
  'a dozen': 12,
  'half a': 0.5,
  'half an': 0.5,
  'a quarter of an': 0.25,
};

/** A month counts 30 days and a year 365, since a lag has no calendar. */
const units: [RegExp, number][] = [
  [/^(?:minutes?|mins?|m)(?![\p{L}\d])/iu, 1],
  [/^(?:hours?|hrs?|h)(?!\p{L})/iu, 60],
  [/^(?:days?|d)(?![\p{L}\d])/iu, 1440],
  [/^(?:weeks?|wks?|w)(?![\p{L}\d])/iu, 10_080],
  [/^fortnights?(?!\p{L})/iu, 20_160],
  [/^months?(?!\p{L})/iu, 43_200],
  [/^years?(?!\p{L})/iu, 525_600],
];

const words = Object.keys(numbers).sort((a, b) => b.length - a.length);
const quantity = new RegExp(
  `^(?:(\\d+(?:[.,]\\d+)?)|(?:((?:twenty|thirty|forty|fifty)[- ](?:one|two|three|four|five|six|seven|eight|nine))|(${words.join('|')}))(?!\\p{L}))\\s*-?\\s*`,
  'iu',
);
const working =
  /^(?:(?:working|business|work|week)[- ]?(?:days?|hours?|weeks?)|weekdays?|workdays?)(?!\p{L})/iu;

/** `workdays`: what of it is days, weeks and longer, as days on which people work; `hours`: the rest of it, in minutes. */
export type Amount = { minutes: number; workdays: number; hours: number; rest: string };

const day = 1440;
const week = 10_080;
const workdaysAWeek = 5;

/** Of `count` units of `unit` minutes. A week has five, and so have seven days. */
function countWorkdays(count: number, unit: number): number {
  if (unit < day) return 0;
  const days = (count * unit) / day;
  return unit >= week || days % 7 === 0 ? (days / 7) * workdaysAWeek : days;
}

/** null: the text does not begin with a length of time. `working`: it counts working days, which no lag can. */
export function takeAmount(text: string): Amount | 'working' | null {
  const first = takeOne(text.trimStart());
  if (first === null || first === 'working') return first;
  let { minutes, workdays, hours, rest, unit } = first;
  for (;;) {
    const half = /^\s*and\s+a\s+(half|quarter)(?!\p{L})/iu.exec(rest);
    if (half) {
      const part = half[1]?.toLowerCase() === 'half' ? 0.5 : 0.25;
      minutes += unit * part;
      workdays += countWorkdays(part, unit);
      if (unit < day) hours += unit * part;
      rest = rest.slice(half[0].length);
      continue;
    }
    // "2 hours 30 minutes", "1h30", "a day and two hours": each unit smaller than the one before.
    const joined = /^\s*(?:and\s+|,\s*)?(?=\d|\p{L})/iu.exec(rest);
    const bare = unit === 60 ? /^(\d{1,2})(?![\d\p{L}])/u.exec(rest) : null;
    if (bare) {
      minutes += Number(bare[1]);
      hours += Number(bare[1]);
      rest = rest.slice(bare[0].length);
      continue;
    }
    const next = joined ? takeOne(rest.slice(joined[0].length)) : null;
    if (next === null || next === 'working' || next.unit >= unit) break;
    minutes += next.minutes;
    workdays += next.workdays;
    hours += next.hours;
    ({ rest, unit } = next);
  }
  return { minutes: Math.round(minutes), workdays, hours, rest: rest.trimStart() };
}

function takeOne(text: string): (Amount & { unit: number }) | 'working' | null {
  const count = quantity.exec(text);
  if (count === null) return null;
  const after = text.slice(count[0].length);
  if (working.test(after)) return 'working';
  for (const [pattern, unit] of units) {
    const found = pattern.exec(after);
    if (found === null) continue;
    const value = readNumber(count);
    const minutes = value * unit;
    const workdays = countWorkdays(value, unit);
    const hours = unit < day ? minutes : 0;
    return { minutes, workdays, hours, unit, rest: after.slice(found[0].length) };
  }
  return null;
}

function readNumber([, digits, compound, word]: RegExpExecArray): number {
  if (digits !== undefined) return Number(digits.replace(',', '.'));
  const parts = (compound?.split(/[- ]/) ?? [word ?? '']).map(
    (part) => numbers[part.toLowerCase().replace(/\s+/g, ' ')] ?? 0,
  );
  return parts.reduce((sum, part) => sum + part, 0);
}

/** Minutes. */
export const usualWorkday = 480;

/** Minutes of a text that is a length of time and nothing else; with a working day of `workday` minutes, days and
 *  weeks are those of work, as they are in any case where the text says so. null: no length of time. */
export function readLength(text: string, workday: number | null): number | null {
  const plain = text.replace(/\b(?:working|business|work)[ -]?(?=days?|weeks?|hours?)/gi, '');
  const read = takeAmount(plain);
  if (read === null || read === 'working' || read.rest !== '') return null;
  const working = workday ?? (plain === text ? null : usualWorkday);
  if (working === null) return read.minutes;
  return Math.round(read.workdays * working + read.hours);
}
