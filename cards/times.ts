// The only formatter of times, durations and ages.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { sayInHours, sayLength } from '#domain/length.ts';
import type { PlanSummary, Step } from '#domain/plan/plan.ts';
import type { BookedWeek } from '#domain/planning/schedule.ts';
import { showTitle } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';

type TimedStep = Pick<Step, 'tool'> & {
  duration?: string | null | undefined;
  duration_minutes?: number | null | undefined;
};

/** Two largest units: `40 s`, `5 min`, `2 h 10 min`, `3 d 4 h` */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds === 0) return 'under 1 s';
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return joinUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return joinUnits(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** `12 ms`, `3.2 s`, then two units. */
export function formatTook(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 10_000 ? `${Number((ms / 1000).toFixed(1))} s` : formatDuration(ms);
}

/** Rounded up: `3 hours 30 minutes`, `2 days 4 hours` */
export function sayMinutes(minutes: number): string {
  const whole = Math.max(1, Math.ceil(minutes - 1e-6));
  const parts: [number, string][] =
    whole >= 2880
      ? [
          [Math.floor(whole / 1440), 'day'],
          [Math.ceil((whole % 1440) / 60), 'hour'],
        ]
      : [
          [Math.floor(whole / 60), 'hour'],
          [whole % 60, 'minute'],
        ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => countOf(count, unit))
    .join(' ');
}

/** `5 hours`, `3 days` */
export function sayHours(hours: number): string {
  if (hours >= 48) return countOf(Math.floor(hours / 24), 'day');
  return hours >= 1 ? countOf(Math.floor(hours), 'hour') : 'a while';
}

/** `3 working days`, `1 working day 2 h` @param day minutes, or null for calendar days */
export function formatWork(minutes: number, day: number | null): string {
  if (day === null || minutes < day) return formatDuration(minutes * 60_000);
  const days = Math.floor(minutes / day);
  const rest = Math.round(minutes - days * day);
  const words = countOf(days, 'working day');
  return rest === 0 ? words : `${words} ${formatDuration(rest * 60_000)}`;
}

/** In the stated words, else working days for people. @param workingDay minutes or null */
export function describeLength(step: TimedStep, workingDay: number | null): string | null {
  const { duration, duration_minutes: minutes } = step;
  if (duration != null) return duration;
  if (minutes == null) return null;
  if (step.tool !== 'human') return sayLength(minutes);
  return workingDay === null ? sayInHours(minutes) : formatWork(minutes, workingDay);
}

/** `3 working days`, `about 10 min`, or empty. */
export function describeExpected(
  facts: Pick<PlanCardFacts, 'expected_minutes' | 'expected_is_work' | 'working_day_minutes'>,
): string[] {
  const { expected_minutes: minutes, expected_is_work: isWork, working_day_minutes: day } = facts;
  if (minutes === null || minutes < 1 / 60) return [];
  const isDays = isWork && day !== null && minutes >= day;
  return [`${isDays ? '' : 'about '}${formatWork(minutes, isWork ? day : null)}`];
}

function partsOf(at: Date, timeZone: string): Record<string, string> {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return Object.fromEntries(format.formatToParts(at).map((part) => [part.type, part.value]));
}

/** Unknown zones become UTC with a remark. */
function knownZone(timezone: string): { zone: string; suffix: string } {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: timezone });
    return { zone: timezone, suffix: '' };
  } catch (error) {
    if (error instanceof RangeError) return { zone: 'UTC', suffix: ' UTC' };
    throw error;
  }
}

/** `CET`, `GMT+9` */
function nameZone(iso: string, zone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' });
  const parts = format.formatToParts(new Date(iso));
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** `14:02`, `Mon 3 Feb, 14:02` this year, else `3 Feb 2027, 14:02` @param named adds another zone: `14:02 CET` */
export function formatTime(iso: string, now: string, timezone: string, named = false): string {
  const { zone, suffix: unknown } = knownZone(timezone);
  const suffix = named && unknown === '' ? ` ${nameZone(iso, zone)}` : unknown;
  const at = partsOf(new Date(iso), zone);
  const today = partsOf(new Date(now), zone);
  const time = `${at.hour}:${at.minute}${suffix}`;
  if (at.year !== today.year) return `${at.day} ${at.month} ${at.year}, ${time}`;
  if (at.month === today.month && at.day === today.day) return time;
  return `${at.weekday} ${at.day} ${at.month}, ${time}`;
}

export function isSameDay(a: string, b: string, timezone: string): boolean {
  const { zone } = knownZone(timezone);
  const [one, other] = [a, b].map((iso) => partsOf(new Date(iso), zone));
  return one?.year === other?.year && one?.month === other?.month && one?.day === other?.day;
}

/** `Wednesday` */
export function dayName(iso: string, timezone: string): string {
  const { zone } = knownZone(timezone);
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'long' }).format(
    new Date(iso),
  );
}

export const formatBooked = (share: number): string => `${Math.round(share * 100)} % booked`;

/** `ana, week of 2 Feb: 40 % booked` */
export function tellBooked({ person, from, share }: BookedWeek): string {
  const { day, month } = partsOf(new Date(`${from}T12:00:00Z`), 'UTC');
  return `${showTitle(person, 60)}, week of ${day} ${month}: ${formatBooked(share)}`;
}

/** `user` is empty for several readers. */
type Reading = { now: string; viewer: { user: string; timezone: string } };

/** Shared cards name the zone. */
export function tellTime(iso: string, { now, viewer }: Reading): string {
  return formatTime(iso, now, viewer.timezone, viewer.user === '');
}

/** Midnight ends the day before: `Fri 4 Dec, 24:00` */
export function tellLimit(iso: string, reading: Reading): string {
  const shown = tellTime(iso, reading);
  if (!/\b00:00\b/.test(shown)) return shown;
  const before = new Date(Date.parse(iso) - 60_000).toISOString();
  return tellTime(before, reading).replace('23:59', '24:00');
}

/** `14:02` */
export function tellClock(iso: string, reading: Reading): string {
  return tellTime(iso, reading).replace(/^.*, /, '');
}

/** `Mon 3 Feb, 14:02 to 15:30`: day and zone once. */
export function tellSpan(from: string, to: string, reading: Reading, between = ' to '): string {
  const [start, end] = [from, to].map((iso) => tellTime(iso, reading));
  if (start === undefined || end === undefined || start === end) return start ?? '';
  const dayOf = (text: string) => text.slice(0, Math.max(0, text.lastIndexOf(', ')));
  const zoneOf = (text: string) => /\d\d:\d\d( .*)/.exec(text)?.[1] ?? '';
  const begins =
    zoneOf(start) === zoneOf(end) ? start.slice(0, start.length - zoneOf(start).length) : start;
  const ends = dayOf(start) === dayOf(end) ? end.slice(end.lastIndexOf(', ') + 1).trim() : end;
  return begins + between + ends;
}

const undecided = new Set<string>(['proposed', 'needs_review']);

export function describeRepeats([rhythm, ...others]: readonly string[] = []): string | null {
  if (rhythm === undefined) return null;
  return others.length === 0 ? `repeats ${rhythm}` : 'repeats';
}

/** `3 of 5 steps done`; a recurring plan's scheduled steps are no total: `3 steps done, repeats every Monday` */
export function describeDone({ plan, repeats }: Pick<PlanCardFacts, 'plan' | 'repeats'>): string {
  const { succeeded } = plan.counts;
  const rhythm = describeRepeats(repeats);
  return rhythm === null
    ? `${succeeded.toLocaleString('en-US')} of ${countOf(plan.total_steps, 'step')} done`
    : `${countOf(succeeded, 'step')} done, ${rhythm}`;
}

/** Unchanged if it says when by itself. */
export function addRun(
  text: string,
  run: string | null,
  join = (run: string) => ` · ${run}`,
): string {
  const isIncluded = run === null || text.includes(run.replace(/^\w+ /, ''));
  return isIncluded ? text : text + join(run);
}

export function titleListed({
  title,
  id,
  repeats,
}: Pick<PlanSummary, 'title' | 'id' | 'repeats'>): string {
  return addRun(showTitle(title, 200) || id, describeRepeats(repeats));
}

/** `repeats every Monday`, `starts Thu 3 Dec, 09:00`, null for once and now. */
export function describeRun(facts: PlanCardFacts): string | null {
  const { plan, repeats, steps, now } = facts;
  const rhythm = describeRepeats(repeats);
  if (rhythm !== null) return rhythm;
  if (!undecided.has(plan.status) || steps.length < plan.total_steps) return null;
  const starts = steps.flatMap(({ after, not_before }) => (after.length === 0 ? [not_before] : []));
  const [first] = starts.flatMap((at) => at ?? []).sort();
  const later = starts.every((at) => at !== null && at > now);
  return first === undefined || !later ? null : `starts ${tellTime(first, facts)}`;
}

/** `5 min`, `3 h`, `2 d`, null under a minute. */
function readAge(iso: string, now: string): string | null {
  const minutes = Math.floor((Date.parse(now) - Date.parse(iso)) / 60_000);
  if (minutes < 1) return null;
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`;
}

/** `just now`, `5 min` */
export function formatAge(iso: string, now: string): string {
  return readAge(iso, now) ?? 'just now';
}

/** `just now`, `5 min ago` */
export function formatAgo(iso: string, now: string): string {
  const age = readAge(iso, now);
  return age === null ? 'just now' : `${age} ago`;
}
