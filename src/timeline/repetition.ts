// Repetitions in words.
import { RRuleTemporal } from 'rrule-temporal';
import { toText } from 'rrule-temporal/totext';
import { listOf } from '#domain/words.ts';
import {
  formatLimit,
  formatMoment,
  nextOccurrences,
  type Recurrence,
  toZoned,
} from './recurrence.ts';
import { readExcept, readFields, readRule, readUntil, withoutParts } from './rule.ts';

/** ISO 8601. */
type Repetition = {
  rrule: string;
  starts_at: string;
  timezone: string;
  until: string | null;
};

/** `9:30 AM GMT+2` becomes `09:30`: the zone is shown elsewhere. */
function rewriteClock(text: string): string {
  return text.replaceAll(
    /\b(\d{1,2})(?::(\d\d))?(?::\d\d)?\s?(AM|PM)\b(?:\s[A-Z]{2,5}(?:[+-]\d{1,2}(?::\d\d)?)?)?/g,
    (_, hour: string, minute: string | undefined, half: string) => {
      const hours = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
      return `${String(hours).padStart(2, '0')}:${minute ?? '00'}`;
    },
  );
}

/** Words round seconds away. */
export function isSameRepetition(a: Repetition, b: Repetition): boolean {
  const timeOf = (iso: string | null) => (iso === null ? null : Date.parse(iso));
  return (
    readRule(a.rrule) === readRule(b.rrule) &&
    a.timezone === b.timezone &&
    timeOf(a.starts_at) === timeOf(b.starts_at) &&
    timeOf(a.until) === timeOf(b.until)
  );
}

/** ` until Mon 14 Dec 2026`; '' without UNTIL. */
function describeUntil(until: string | undefined, timezone: string): string {
  if (until === undefined) return '';
  const moment = formatMoment(new Date(readUntil(until, timezone).epochMilliseconds), timezone);
  return ` until ${until.includes('T') ? moment : moment.replace(/,? \d\d:\d\d$/, '')}`;
}

/** `every Monday at 09:30`. */
export function describeRecurrence({ rrule, timezone, startsAt }: Recurrence): string {
  const dtstart = toZoned(startsAt, timezone);
  const fields = readFields(rrule);
  const until = fields.get('UNTIL');
  const except = readExcept(fields).map((day) =>
    day.toLocaleString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }),
  );
  const text = toText(
    new RRuleTemporal({ rruleString: withoutParts(rrule, 'UNTIL', 'EXDATE'), dtstart }),
    'en',
  );
  const words = rewriteClock(text)
    .replace(/^every week on /, 'every ')
    .replace(/ on (?=last |\d)/, ' on the ');
  const left = except.length === 0 ? '' : `, not on ${listOf(except)}`;
  return `${words}${describeUntil(until, timezone)}${left}`;
}

const times = ['BYHOUR', 'BYMINUTE', 'BYSECOND', 'COUNT', 'UNTIL', 'EXDATE'];

/** `every 2 weeks on Friday`. */
export function describeRhythm({ rrule, timezone, startsAt }: Recurrence): string {
  const fields = readFields(rrule);
  // Without BYHOUR, its hours are its rhythm.
  if (/^(?:HOURLY|MINUTELY|SECONDLY)$/.test(fields.get('FREQ') ?? ''))
    return describeRecurrence({ rrule, timezone, startsAt });
  const rule = withoutParts(rrule, ...times);
  const midnight = toZoned(startsAt, timezone).startOfDay();
  const at = new Date(midnight.epochMilliseconds);
  return describeRecurrence({ rrule: rule, timezone, startsAt: at }).replace(' at 00:00', '');
}

const shownDates = 3;

/** `30 Nov, 7 Dec, 14 Dec …`; times only if two share a day. */
export function describeNext({ rrule, starts_at, timezone, until }: Repetition, now: Date): string {
  const startsAt = new Date(starts_at);
  const from = now < startsAt ? new Date(startsAt.getTime() - 1) : now;
  const found = nextOccurrences({ rrule, timezone, startsAt }, from, shownDates + 1).filter(
    (moment) => until === null || moment <= new Date(until),
  );
  const write = (moment: Date, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: timezone, ...options }).format(moment);
  const shown = found.slice(0, shownDates).map((moment) => ({
    day: write(moment, { day: 'numeric', month: 'short' }),
    time: write(moment, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  }));
  const timed = new Set(shown.map(({ day }) => day)).size < shown.length;
  const words = shown.map(({ day, time }, at) =>
    timed ? (shown[at - 1]?.day === day ? time : `${day} ${time}`) : day,
  );
  return `${words.join(', ')}${found.length > shownDates ? ' …' : ''}`;
}

/** `, until you stop it`, or '' if the rule ends. */
export function describeEnd({
  rrule,
  timezone,
  until,
}: Pick<Repetition, 'rrule' | 'timezone' | 'until'>): string {
  if (until !== null) return `, until ${formatLimit(new Date(until), timezone)}`;
  const fields = readFields(rrule);
  return fields.has('UNTIL') || fields.has('COUNT') ? '' : ', until you stop it';
}

/** `every Monday at 09:00 (Europe/Berlin), until you stop it`. */
export function describeRule({ rrule, starts_at, timezone, until }: Repetition): string {
  const rule = describeRecurrence({ rrule, timezone, startsAt: new Date(starts_at) });
  return `${rule} (${timezone})${describeEnd({ rrule, timezone, until })}`;
}

export function describeRepetition(repetition: Repetition, now: Date): string {
  const next = describeNext(repetition, now);
  return `${describeRule(repetition)}${next === '' ? '' : `: ${next}`}`;
}
