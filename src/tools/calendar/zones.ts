// Time zones of ICS files: by IANA name, else from the file's VTIMEZONE.
import windowsData from 'cldr-core/supplemental/windowsZones.json' with { type: 'json' };
import { Temporal } from 'temporal-polyfill';
import { checkTimezone } from '#timeline/recurrence.ts';
import { checkRule, readRule } from '#timeline/rule.ts';
import { lastOnWall } from '#timeline/wall-clock.ts';
import { type Component, propertiesOf, propertyOf } from './components.ts';

/** Local times are UTC milliseconds. Skipped times move forward. */
export type Zone = { toInstant(wall: number): number; toWall(instant: number): number };

const windowsZones = new Map(
  windowsData.supplemental.windowsZones.mapTimezones
    .map(({ mapZone }) => mapZone)
    .filter(({ _territory }) => _territory === '001')
    .map(({ _other, _type }) => [_other.toLowerCase(), _type]),
);

const zonesByCity = new Map(
  Intl.supportedValuesOf('timeZone').map((name) => [
    (name.split('/').at(-1) ?? '').replaceAll('_', ' ').toLowerCase(),
    name,
  ]),
);

export function findZoneName(tzid: string): string | null {
  const name = tzid.trim();
  const segments = name.split('/').filter((part) => part !== '');
  const tails = [name, ...[3, 2, 1].map((count) => segments.slice(-count).join('/'))];
  const iana = tails.find((tail) => checkTimezone(tail) === null);
  if (iana !== undefined) return iana;
  if (/^tzone:\/\/microsoft\/utc$/i.test(name)) return 'UTC';
  const plain = name
    .replace(/^\((?:UTC|GMT)[^)]*\)\s*/i, '')
    .replace(/\(US & Canada\)$/i, '')
    .trim();
  const standard = plain.replace(/\s(?:Daylight Time|Summer Time|Standard Time|Time)$/i, '').trim();
  const windows = [plain, name, `${standard} Standard Time`]
    .map((one) => windowsZones.get(one.toLowerCase()))
    .find((one) => one !== undefined);
  const city = plain
    .split(',')
    .map((one) => zonesByCity.get(one.trim().toLowerCase()))
    .find((one) => one !== undefined);
  return windows ?? city ?? readOffset(name);
}

function readOffset(name: string): string | null {
  const found = /^\(?(?:UTC|GMT)?\s?([+-])(\d{1,2}):?(\d\d)?\b/i.exec(name);
  if (found === null || Number(found[2]) > 14) return null;
  return `${found[1]}${found[2]?.padStart(2, '0')}:${found[3] ?? '00'}`;
}

export function namedZone(name: string): Zone {
  return {
    toInstant: (wall) => {
      const local = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO('UTC');
      return local.toPlainDateTime().toZonedDateTime(name).epochMilliseconds;
    },
    toWall: (instant) => {
      const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name);
      return zoned.toPlainDateTime().toZonedDateTime('UTC').epochMilliseconds;
    },
  };
}

type Observance = { start: number; from: number; to: number; rrule: string | null };

function readUtcOffset(value: string | undefined): number | null {
  const found = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(value?.trim() ?? '');
  if (found === null) return null;
  const [hours = 0, minutes = 0, seconds = 0] = found.slice(2).map((part) => Number(part ?? 0));
  return (found[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds) * 1000;
}

export function readLocal(value: string): number | null {
  const found = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?)?$/i.exec(value.trim());
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  try {
    const time = { year, month, day, hour, minute, second: Math.min(second, 59) };
    const local = Temporal.PlainDateTime.from(time, { overflow: 'reject' });
    return local.toZonedDateTime('UTC').epochMilliseconds;
  } catch {
    return null;
  }
}

export function describedZone(component: Component): Zone | null {
  const observances = component.inside.flatMap((part): Observance[] => {
    const start = readLocal(propertyOf(part, 'DTSTART')?.value ?? '');
    const from = readUtcOffset(propertyOf(part, 'TZOFFSETFROM')?.value);
    const to = readUtcOffset(propertyOf(part, 'TZOFFSETTO')?.value);
    if (start === null || to === null) return [];
    const rules = propertiesOf(part, 'RRULE').map(({ value }) => readRule(value));
    const dates = propertiesOf(part, 'RDATE')
      .flatMap(({ value }) => value.split(','))
      .flatMap((value) => readLocal(value) ?? []);
    const one = { from: from ?? to, to };
    return [
      ...(rules.length === 0 ? [null] : rules).map((rrule) => ({ ...one, start, rrule })),
      ...dates.map((date) => ({ ...one, start: date, rrule: null })),
    ];
  });
  const [first] = observances.toSorted((a, b) => a.start - b.start);
  if (first === undefined) return null;
  const known = new Map<number, number>();
  const offsetAt = (wall: number): number => {
    const found = known.get(wall);
    if (found !== undefined) return found;
    let latest = { at: Number.NEGATIVE_INFINITY, offset: first.from };
    for (const one of observances) {
      const at = lastOnset(one, wall);
      // A skipped time uses the earlier offset.
      const offset = at !== null && wall < at + one.to - one.from ? one.from : one.to;
      if (at !== null && at > latest.at) latest = { at, offset };
    }
    known.set(wall, latest.offset);
    return latest.offset;
  };
  return {
    toInstant: (wall) => wall - offsetAt(wall),
    toWall: (instant) => instant + offsetAt(instant + first.to),
  };
}

function lastOnset(one: Observance, wall: number): number | null {
  if (one.start > wall) return null;
  if (one.rrule === null || checkRule(one.rrule) !== null) return one.start;
  const until = /UNTIL=(\d{8}(?:T\d{6})?)/.exec(one.rrule)?.[1];
  const end = until === undefined ? wall : Math.min(wall, (readLocal(until) ?? wall) + one.from);
  try {
    return lastOnWall(one.rrule.replace(/;?UNTIL=[^;]*/, ''), one.start, end) ?? one.start;
  } catch {
    return one.start;
  }
}
