// Recurrences in plain English: read as a rule (RFC 5545), and a rule of this kind said in words.
import { numberWords } from '../number-words.ts';
import { assumedHour, readClockTime } from './times.ts';

export type Recurrence = { rrule: string; words: string; assumedHour: boolean };

const weekdays: [pattern: string, code: string][] = [
  ['mon(?:day)?', 'MO'],
  ['tue(?:s(?:day)?)?', 'TU'],
  ['wed(?:nesday)?', 'WE'],
  ['thu(?:r(?:s(?:day)?)?)?', 'TH'],
  ['fri(?:day)?', 'FR'],
  ['sat(?:urday)?', 'SA'],
  ['sun(?:day)?', 'SU'],
];
const dayName = `(?:${weekdays.map(([pattern]) => pattern).join('|')})s?`;
const separator = String.raw`(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s*\/\s*)(?:on\s+)?(?:every\s+|each\s+)?`;
const ordinals: Record<string, number> = {
  first: 1,
  second: 2,
  third: 3,
  fourth: 4,
  fifth: 5,
  last: -1,
};
const numbers: Record<string, number> = {
  a: 1,
  an: 1,
  ...numberWords,
  other: 2,
  second: 2,
};
const units: Record<string, string> = {
  minute: 'MINUTELY',
  hour: 'HOURLY',
  day: 'DAILY',
  week: 'WEEKLY',
  month: 'MONTHLY',
  year: 'YEARLY',
};
const adverbs: Record<string, string> = {
  hourly: 'HOURLY',
  daily: 'DAILY',
  nightly: 'DAILY',
  weekly: 'WEEKLY',
  monthly: 'MONTHLY',
  yearly: 'YEARLY',
  annually: 'YEARLY',
};
const dayParts: Record<string, number> = {
  morning: 9,
  noon: 12,
  afternoon: 15,
  evening: 18,
  night: 21,
};

type Rule = { freq: string; parts: string[]; words: string; hour?: number };

const every = '(?:every|each)';
const forms: [RegExp, (match: RegExpExecArray) => Omit<Rule, 'words'> | null][] = [
  [
    new RegExp(
      String.raw`\b(?:${every}\s+(?:single\s+)?(?:week|work(?:ing)?|business)\s*-?day|(?:on\s+)?(?:all\s+)?(?:week|work(?:ing)?\s*-?|business\s+)days|(?:from\s+)?mon(?:day)?s?\s*(?:to|through|-|–|until)\s*fri(?:day)?s?)\b`,
      'i',
    ),
    () => ({ freq: 'WEEKLY', parts: ['BYDAY=MO,TU,WE,TH,FR'] }),
  ],
  [
    new RegExp(String.raw`\b(?:${every}\s+weekend|(?:on\s+|at\s+)?(?:the\s+)?weekends)\b`, 'i'),
    () => ({ freq: 'WEEKLY', parts: ['BYDAY=SA,SU'] }),
  ],
  [
    new RegExp(
      String.raw`\b(?:on\s+)?(?:the\s+)?(first|second|third|fourth|fifth|last|\d(?:st|nd|rd|th))\s+(${dayName}|(?:week|work|business\s*)?\s*-?day)\s+(?:of|in)\s+(?:${every}|the)\s+month\b`,
      'i',
    ),
    (m) => readMonthlyDay(m[1] ?? '', m[2] ?? ''),
  ],
  [
    new RegExp(
      String.raw`\b(?:on\s+)?(?:the\s+)?((?:\d{1,2}(?:st|nd|rd|th)?)(?:${separator}(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?)*)\s+(?:day\s+)?of\s+(?:${every}|the)\s+month\b`,
      'i',
    ),
    (m) => readMonthDays(m[1] ?? ''),
  ],
  [
    new RegExp(
      String.raw`\b(?:${every}\s+month|monthly)\s+on\s+(?:the\s+)?((?:\d{1,2}(?:st|nd|rd|th)?)(?:${separator}(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?)*)(?!\s*(?::|am\b|pm\b))`,
      'i',
    ),
    (m) => readMonthDays(m[1] ?? ''),
  ],
  [
    new RegExp(
      String.raw`\b(?:${every}\s+(?:(other|second|two|\d+)\s+)?(?:weeks?\s+on\s+)?)(${dayName}(?:${separator}${dayName})*)\b`,
      'i',
    ),
    (m) => ({ freq: 'WEEKLY', parts: [...readInterval(m[1]), readDays(m[2] ?? '')] }),
  ],
  [
    new RegExp(
      String.raw`\b(?:(?:${every}\s+week|weekly)\s+on\s+)(${dayName}(?:${separator}${dayName})*)\b`,
      'i',
    ),
    (m) => ({ freq: 'WEEKLY', parts: [readDays(m[1] ?? '')] }),
  ],
  [
    new RegExp(
      String.raw`\b(?:on\s+)?((?:mon|tues|wednes|thurs|fri|satur|sun)days(?:${separator}(?:mon|tues|wednes|thurs|fri|satur|sun)days)*)\b`,
      'i',
    ),
    (m) => ({ freq: 'WEEKLY', parts: [readDays(m[1] ?? '')] }),
  ],
  [
    new RegExp(String.raw`\b${every}\s+(morning|afternoon|evening|night)\b`, 'i'),
    (m) => ({
      freq: 'DAILY',
      parts: [],
      hour: dayParts[(m[1] ?? '').toLowerCase()] ?? assumedHour,
    }),
  ],
  [
    new RegExp(
      String.raw`\b${every}\s+(?:(\d+|${Object.keys(numbers).join('|')})\s+)?(minute|hour|day|week|month|year)s?\b`,
      'i',
    ),
    (m) => {
      const freq = units[(m[2] ?? '').toLowerCase()];
      return freq === undefined ? null : { freq, parts: readInterval(m[1]) };
    },
  ],
  [
    new RegExp(String.raw`\b(${Object.keys(adverbs).join('|')})\b`, 'i'),
    (m) => {
      const freq = adverbs[(m[1] ?? '').toLowerCase()];
      return freq === undefined ? null : { freq, parts: [] };
    },
  ],
];

function readInterval(word: string | undefined): string[] {
  if (word === undefined) return [];
  const count = numbers[word.toLowerCase()] ?? Number.parseInt(word, 10);
  return Number.isInteger(count) && count > 1 ? [`INTERVAL=${count}`] : [];
}

function readDays(text: string): string {
  const codes = weekdays
    .filter(([pattern]) => new RegExp(`\\b${pattern}s?\\b`, 'i').test(text))
    .map(([, code]) => code);
  return `BYDAY=${codes.join(',')}`;
}

function readMonthDays(text: string): Omit<Rule, 'words'> | null {
  const days = [...text.matchAll(/\d{1,2}/g)].map((m) => Number(m[0]));
  if (days.length === 0 || days.some((day) => day < 1 || day > 31)) return null;
  return { freq: 'MONTHLY', parts: [`BYMONTHDAY=${days.join(',')}`] };
}

function readMonthlyDay(which: string, day: string): Omit<Rule, 'words'> | null {
  const place = ordinals[which.toLowerCase()] ?? Number.parseInt(which, 10);
  if (!Number.isInteger(place)) return null;
  if (/^day$/i.test(day)) return { freq: 'MONTHLY', parts: [`BYMONTHDAY=${place}`] };
  if (/day$/i.test(day) && /^(?:week|work|business)/i.test(day)) {
    return { freq: 'MONTHLY', parts: ['BYDAY=MO,TU,WE,TH,FR', `BYSETPOS=${place}`] };
  }
  return { freq: 'MONTHLY', parts: [readDays(day).replace('=', `=${place}`)] };
}

/** The recurrence `text` speaks of, and all the words that say so, in pieces to be removed. */
export function readRecurrence(text: string): (Recurrence & { pieces: string[] }) | null {
  for (const [pattern, build] of forms) {
    const match = pattern.exec(text);
    const rule = match && build(match);
    if (!match || !rule) continue;
    const pieces = [match[0]];
    const parts = [`FREQ=${rule.freq}`, ...rule.parts];
    const rest = text.replace(match[0], ' ');
    const time = readClockTime(rest);
    const within = rule.freq === 'MINUTELY' || rule.freq === 'HOURLY';
    if (time) pieces.push(time.words);
    if (!within || time) {
      parts.push(
        ...(within ? [] : [`BYHOUR=${time?.hour ?? rule.hour ?? assumedHour}`]),
        `BYMINUTE=${time?.minute ?? 0}`,
        'BYSECOND=0',
      );
    }
    const count = /,?\s*\b(?:for\s+)?(\d+)\s+times\b/i.exec(rest);
    if (count) {
      parts.push(`COUNT=${count[1]}`);
      pieces.push(count[0]);
    }
    return {
      rrule: parts.join(';'),
      words: [match[0], time?.words ?? ''].join(' ').replace(/\s+/g, ' ').trim(),
      assumedHour: !time && !within && rule.hour === undefined,
      pieces,
    };
  }
  return null;
}

const dayWords: Record<string, string> = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
};
const unitWords: Record<string, string> = {
  MINUTELY: 'minute',
  HOURLY: 'hour',
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  YEARLY: 'year',
};

/** "every weekday at 09:30": a rule as this file writes it, in words. */
export function describeRule(rrule: string): string {
  const part = Object.fromEntries(rrule.split(';').map((item) => item.split('=')));
  const interval = Number(part.INTERVAL ?? 1);
  const unit = unitWords[part.FREQ ?? ''] ?? 'time';
  const days: string = part.BYDAY ?? '';
  let words = interval > 1 ? `every ${interval} ${unit}s` : `every ${unit}`;
  if (part.BYSETPOS) words = `on weekday ${part.BYSETPOS} of every month`;
  else if (days === 'MO,TU,WE,TH,FR') words = 'every weekday';
  else if (/^-?\d/.test(days)) {
    const place = Number.parseInt(days, 10);
    const name = Object.entries(ordinals).find(([, value]) => value === place)?.[0] ?? `${place}.`;
    words = `on the ${name} ${dayWords[days.slice(-2)]} of every month`;
  } else if (days !== '') {
    const names = days.split(',').map((day) => dayWords[day] ?? day);
    words = `${interval > 1 ? `${words} on` : 'every'} ${names.join(' and ')}`;
  } else if (part.BYMONTHDAY === '-1') words = 'on the last day of every month';
  else if (part.BYMONTHDAY)
    words = `on day ${part.BYMONTHDAY.replaceAll(',', ' and ')} of every month`;
  if (part.BYHOUR !== undefined) {
    words += ` at ${part.BYHOUR.padStart(2, '0')}:${(part.BYMINUTE ?? '0').padStart(2, '0')}`;
  }
  return part.COUNT ? `${words}, ${part.COUNT} times` : words;
}
