// Expands an event in a range: rules and dates, exclusions, changes.
import { errorMessage } from '#domain/errors.ts';
import { checkRule, readFields, readUntil } from '#timeline/rule.ts';
import { expandWall } from '#timeline/wall-clock.ts';
import { type Component, propertiesOf, propertyOf } from './components.ts';
import type { ContentLine } from './content-lines.ts';
import {
  EventError,
  type EventTimes,
  endOfPeriod,
  type IcsTime,
  instantOf,
  readEventTimes,
  readTime,
  readTimes,
  type ZoneFinder,
} from './event-times.ts';

export type Occurrence = {
  of: Component;
  isDate: boolean;
  /** Moments, or local dates as UTC milliseconds for whole days. */
  start: number;
  end: number;
};

export type Expansion = { occurrences: Occurrence[]; complete: boolean };

/** With a day's margin: whole days begin at the reader's midnight. */
export type Window = { from: number; to: number };

type Context = {
  zoneOf: ZoneFinder;
  window: Window;
  limit: number;
  report(line: number, reason: string): void;
};

const keysOf = ({ wall, zone, isDate }: IcsTime): string[] => {
  const day = new Date(wall).toISOString().slice(0, 10);
  return isDate ? [day] : [String(zone.toInstant(wall)), day];
};
const keyOf = (time: IcsTime, ofDays: boolean): string => {
  const [first = '', day = first] = keysOf(time);
  return ofDays ? day : first;
};

function readEventRule(line: ContentLine, start: IcsTime, report: Context['report']) {
  const fields = readFields(line.value.replaceAll(/\s/g, ''));
  for (const name of fields.keys()) if (/^X-|^RSCALE$|^SKIP$|^$/.test(name)) fields.delete(name);
  const count = fields.get('COUNT');
  // A count that is never reached.
  if (count !== undefined && /^\d{7,}$/.test(count)) fields.delete('COUNT');
  const until = fields.get('UNTIL');
  fields.delete('UNTIL');
  const rrule = [...fields].map(([name, value]) => `${name}=${value}`).join(';');
  const problem = checkRule(rrule);
  if (problem !== null) {
    report(line.line, `${problem} Only its first date is read`);
    return null;
  }
  return {
    rrule,
    last: until === undefined ? Number.POSITIVE_INFINITY : readEnd(until, start, line, report),
  };
}

/** In the series' zone. A date includes its whole day. */
function readEnd(
  until: string,
  start: IcsTime,
  { line }: ContentLine,
  report: Context['report'],
): number {
  try {
    const end = readUntil(until, 'UTC').epochMilliseconds;
    return until.endsWith('Z') ? start.zone.toWall(end) : end;
  } catch {
    report(line, 'UNTIL is not a time; the rule is read as one without an end');
    return Number.POSITIVE_INFINITY;
  }
}

function expandRules(event: Component, name: string, start: IcsTime, context: Context) {
  const { window, limit, report } = context;
  const walls: number[] = [];
  let complete = true;
  for (const line of propertiesOf(event, name)) {
    const rule = readEventRule(line, start, report);
    if (rule === null) continue;
    const to = Math.min(window.to, rule.last);
    try {
      const found = expandWall(rule.rrule, start.wall, window.from, to, limit + 1);
      walls.push(...found.slice(0, limit));
      complete &&= found.length <= limit;
    } catch (error) {
      complete = false;
      report(
        line.line,
        `the rule takes too many steps (${errorMessage(error)}); only its first date is read`,
      );
    }
  }
  return { walls, complete };
}

function toSeries(time: IcsTime, start: IcsTime): number {
  if (start.isDate) return Math.floor(time.wall / 86_400_000) * 86_400_000;
  return time.zone === start.zone || time.isDate ? time.wall : start.zone.toWall(instantOf(time));
}

const within =
  (start: IcsTime | null, zoneOf: ZoneFinder): ZoneFinder =>
  (tzid, line) =>
    tzid === null && start !== null ? start.zone : zoneOf(tzid, line);

function readDates(event: Component, name: string, start: IcsTime, context: Context) {
  return propertiesOf(event, name).flatMap((line) => {
    const times = readTimes(line, within(start, context.zoneOf));
    if (times === null) context.report(line.line, `${name} is not a time; it is left out`);
    return times ?? [];
  });
}

type Change = { event: Component; id: IcsTime; times: EventTimes; following: boolean };

function readChanges(changes: Component[], start: IcsTime | null, context: Context): Change[] {
  return changes.flatMap((event) => {
    try {
      const line = propertyOf(event, 'RECURRENCE-ID');
      if (line === null) return [];
      const id = readTime(line, within(start, context.zoneOf));
      const times = readEventTimes(event, context.zoneOf, context.report);
      return [
        {
          event,
          id,
          times,
          following: line.params.get('RANGE')?.toUpperCase() === 'THISANDFUTURE',
        },
      ];
    } catch (error) {
      if (!(error instanceof EventError)) throw error;
      context.report(error.line, `${error.message}; the event was left out`);
      return [];
    }
  });
}

function place(of: Component, { start, endOf }: EventTimes, wall: number): Occurrence {
  const end = endOf(wall);
  const moment = (at: number) => (start.isDate ? at : start.zone.toInstant(at));
  return {
    of,
    isDate: start.isDate,
    start: moment(wall),
    end: 'instant' in end ? end.instant : moment(end.wall),
  };
}

/** @param event null if the file has only its changes @throws EventError without a readable start */
export function expandEvent(
  event: Component | null,
  changed: Component[],
  context: Context,
): Expansion {
  const times = event === null ? null : readEventTimes(event, context.zoneOf, context.report);
  const changes = readChanges(changed, times?.start ?? null, context);
  const single = changes.map(({ event, times }) => place(event, times, times.start.wall));
  if (event === null || times === null) return { occurrences: single, complete: true };
  const { start } = times;
  const lengthMs = place(event, times, start.wall).end - place(event, times, start.wall).start;
  const window = { from: context.window.from - lengthMs, to: context.window.to };
  const inWindow = { ...context, window };
  const rules = expandRules(event, 'RRULE', start, inWindow);
  const excluded = new Set([
    ...readDates(event, 'EXDATE', start, context).map((one) => keyOf(one, start.isDate)),
    ...expandRules(event, 'EXRULE', start, inWindow).walls.flatMap((wall) =>
      keyOf({ ...start, wall }, start.isDate),
    ),
  ]);
  const moved = new Set(changes.map(({ id }) => keyOf(id, start.isDate)));
  const following = changes
    .filter((change) => change.following)
    .sort((a, b) => instantOf(a.id) - instantOf(b.id));
  const dates = readDates(event, 'RDATE', start, context);
  const walls = new Set([
    start.wall,
    ...rules.walls,
    ...dates.map((date) => toSeries(date, start)),
  ]);
  const periods = new Map(
    dates.flatMap((date) =>
      date.end === undefined ? [] : [[toSeries(date, start), date] as const],
    ),
  );
  const occurrences = [...walls].flatMap((wall): Occurrence[] => {
    const keys = keysOf({ ...start, wall });
    if (keys.some((key) => excluded.has(key) || moved.has(key))) return [];
    const change = following.findLast(({ id }) => instantOf(id) <= start.zone.toInstant(wall));
    if (change !== undefined) {
      const shift = change.times.start.wall - toSeries(change.id, start);
      return [place(change.event, change.times, wall + shift)];
    }
    const found = place(event, times, wall);
    const period = periods.get(wall);
    const end = period?.end === undefined ? null : endOfPeriod(period, period.end);
    return [end === null || end < found.start ? found : { ...found, end }];
  });
  return { occurrences: [...single, ...occurrences], complete: rules.complete };
}
