import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import { toLocalIso } from '#timeline/recurrence.ts';
import {
  dayOf,
  intersectIntervals,
  measureIntervals,
  measureWorkingDay,
  mergeIntervals,
  openWorkingTime,
  printDay,
  subtractIntervals,
  type WorkingTime,
  workingMinutesWithin,
} from '#timeline/working-time.ts';

const berlin = 'Europe/Berlin';
const newYork = 'America/New_York';

function open(overrides: Partial<StrategyProfile> = {}, timezone = berlin) {
  return openWorkingTime({ ...StrategyProfile.parse({}), ...overrides }, timezone);
}

const everyDay = (from: string, to: string): Partial<StrategyProfile> => ({
  working_hours: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from, to }],
});

const at = (iso: string) => Date.parse(iso);

/** Null if none within ten years. */
function nextWorkingInstant(time: WorkingTime, at: number): number | null {
  for (const { from } of time.windowsFrom(at)) return Math.max(from, at);
  return null;
}

function addWorkingMinutes(time: WorkingTime, at: number, minutes: number): number | null {
  let left = minutes * 60_000;
  if (left <= 0) return at;
  for (const window of time.windowsFrom(at)) {
    const from = Math.max(window.from, at);
    if (window.to - from >= left) return from + left;
    left -= window.to - from;
  }
  return null;
}

function print(moment: number | null, timezone = berlin) {
  return moment === null ? null : toLocalIso(new Date(moment), timezone);
}

describe('the next working instant', () => {
  it.each([
    [
      'within the hours it is the moment itself',
      '2026-03-10T10:30:00+01:00',
      '2026-03-10T10:30:00+01:00',
    ],
    [
      'the begin of the hours counts as work',
      '2026-03-10T09:00:00+01:00',
      '2026-03-10T09:00:00+01:00',
    ],
    ['their end does not', '2026-03-10T17:00:00+01:00', '2026-03-11T09:00:00+01:00'],
    ['Friday evening leads to Monday', '2026-03-13T18:00:00+01:00', '2026-03-16T09:00:00+01:00'],
    [
      'over the change to summer time the wall time stays',
      '2026-03-27T17:30:00+01:00',
      '2026-03-30T09:00:00+02:00',
    ],
    ['and over the change back', '2026-10-23T17:30:00+02:00', '2026-10-26T09:00:00+01:00'],
    [
      'the last day of a year leads into the next',
      '2026-12-31T17:30:00+01:00',
      '2027-01-01T09:00:00+01:00',
    ],
  ])('%s', (_, from, expected) => {
    expect(print(nextWorkingInstant(open(), at(from)))).toBe(expected);
  });

  it('steps over days off, and works on a day off that is worked', () => {
    const off = { days_off: ['2026-03-11', '2026-03-12'] };
    const from = at('2026-03-10T18:00:00+01:00');
    expect(print(nextWorkingInstant(open(off), from))).toBe('2026-03-13T09:00:00+01:00');
    expect(print(nextWorkingInstant(open({ ...off, days_on: ['2026-03-12'] }), from))).toBe(
      '2026-03-12T09:00:00+01:00',
    );
  });

  it('uses the usual hours on a Saturday that is worked', () => {
    expect(
      print(nextWorkingInstant(open({ days_on: ['2026-03-14'] }), at('2026-03-13T18:00:00+01:00'))),
    ).toBe('2026-03-14T09:00:00+01:00');
  });

  it('is none where nobody ever works', () => {
    expect(nextWorkingInstant(open({ working_hours: [] }), at('2026-03-10T10:00:00Z'))).toBeNull();
    expect(nextWorkingInstant(open(everyDay('09:00', '09:00')), 0)).toBeNull();
    expect(nextWorkingInstant(open(everyDay('24:00', '24:00')), 0)).toBeNull();
  });
});

describe('adding working minutes', () => {
  it.each([
    [
      'ends with the hours, not on the next morning',
      '2026-03-10T09:00:00+01:00',
      480,
      '2026-03-10T17:00:00+01:00',
    ],
    [
      'a minute more is the next day’s',
      '2026-03-10T09:00:00+01:00',
      481,
      '2026-03-11T09:01:00+01:00',
    ],
    ['goes on over a weekend', '2026-03-13T16:00:00+01:00', 120, '2026-03-16T10:00:00+01:00'],
    [
      'nothing takes no time, whenever it is',
      '2026-03-14T12:00:00+01:00',
      0,
      '2026-03-14T12:00:00+01:00',
    ],
    ['goes on into the next month', '2026-02-27T16:30:00+01:00', 60, '2026-03-02T09:30:00+01:00'],
  ])('%s', (_, from, minutes, expected) => {
    expect(print(addWorkingMinutes(open(), at(from), minutes))).toBe(expected);
  });

  it('loses the hour that the clocks skip in Berlin, and works the one that comes twice', () => {
    const night = open(everyDay('00:00', '06:00'));
    const spring = { from: at('2026-03-29T00:00:00+01:00'), to: at('2026-03-30T00:00:00+02:00') };
    const autumn = { from: at('2026-10-25T00:00:00+02:00'), to: at('2026-10-26T00:00:00+01:00') };
    expect(workingMinutesWithin(night, spring)).toBe(5 * 60);
    expect(workingMinutesWithin(night, autumn)).toBe(7 * 60);
    expect(print(addWorkingMinutes(night, spring.from, 240))).toBe('2026-03-29T05:00:00+02:00');
  });

  it('does so in New York on its own days', () => {
    const night = open(everyDay('00:00', '06:00'), newYork);
    const spring = { from: at('2026-03-08T00:00:00-05:00'), to: at('2026-03-09T00:00:00-04:00') };
    const autumn = { from: at('2026-11-01T00:00:00-04:00'), to: at('2026-11-02T00:00:00-05:00') };
    expect(workingMinutesWithin(night, spring)).toBe(5 * 60);
    expect(workingMinutesWithin(night, autumn)).toBe(7 * 60);
  });

  it('takes hours that begin inside the skipped hour from where the clocks go on', () => {
    expect(
      print(nextWorkingInstant(open(everyDay('02:30', '04:00')), at('2026-03-29T00:00:00+01:00'))),
    ).toBe('2026-03-29T03:30:00+02:00');
    const gone = open(everyDay('02:00', '03:00'));
    expect(print(nextWorkingInstant(gone, at('2026-03-29T00:00:00+01:00')))).toBe(
      '2026-03-30T02:00:00+02:00',
    );
  });

  it('works until midnight with 24:00, and around the clock with 00:00 to 24:00', () => {
    expect(
      print(
        addWorkingMinutes(open(everyDay('22:00', '24:00')), at('2026-03-10T23:00:00+01:00'), 61),
      ),
    ).toBe('2026-03-11T22:01:00+01:00');
    const always = open(everyDay('00:00', '24:00'));
    expect(print(addWorkingMinutes(always, at('2026-03-28T12:00:00+01:00'), 1440))).toBe(
      '2026-03-29T13:00:00+02:00',
    );
  });

  it('goes over midnight where hours end before they begin', () => {
    const shift = open({ working_hours: [{ days: ['FR'], from: '22:00', to: '06:00' }] });
    expect(print(nextWorkingInstant(shift, at('2026-03-14T03:00:00+01:00')))).toBe(
      '2026-03-14T03:00:00+01:00',
    );
    expect(print(addWorkingMinutes(shift, at('2026-03-13T22:00:00+01:00'), 480))).toBe(
      '2026-03-14T06:00:00+01:00',
    );
    expect(print(nextWorkingInstant(shift, at('2026-03-14T06:00:00+01:00')))).toBe(
      '2026-03-20T22:00:00+01:00',
    );
  });

  it('is as long as the work, in any zone, at any moment', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(berlin, newYork, 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'),
        fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') }),
        fc.integer({ min: 1, max: 5000 }),
        fc.constantFrom(everyDay('00:00', '24:00'), everyDay('21:00', '05:30'), {}),
        (timezone, from, minutes, profile) => {
          const time = open(profile, timezone);
          const end = addWorkingMinutes(time, from, minutes);
          expect(end).not.toBeNull();
          expect(workingMinutesWithin(time, { from, to: end ?? 0 })).toBeCloseTo(minutes, 6);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('local days', () => {
  it('change at local midnight', () => {
    expect(printDay(dayOf(at('2026-03-31T23:59:59.999+02:00'), berlin))).toBe('2026-03-31');
    expect(printDay(dayOf(at('2026-04-01T00:00:00+02:00'), berlin))).toBe('2026-04-01');
    expect(printDay(dayOf(at('2026-04-01T00:00:00+02:00'), newYork))).toBe('2026-03-31');
  });
});

describe('intervals as sets', () => {
  const list = fc
    .array(
      fc
        .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 8 }))
        .map(([from, length]) => ({ from, to: from + length })),
      { maxLength: 12 },
    )
    .map(mergeIntervals);
  const has = (intervals: { from: number; to: number }[], moment: number) =>
    intervals.some(({ from, to }) => moment >= from && moment < to);

  it('hold what both hold, or what only the first holds', () => {
    fc.assert(
      fc.property(list, list, (a, b) => {
        const both = intersectIntervals(a, b);
        const only = subtractIntervals(a, b);
        for (let moment = 0; moment < 50; moment += 1) {
          expect(has(both, moment)).toBe(has(a, moment) && has(b, moment));
          expect(has(only, moment)).toBe(has(a, moment) && !has(b, moment));
        }
        expect(measureIntervals(both) + measureIntervals(only)).toBe(measureIntervals(a));
      }),
    );
  });
});

describe('a working day', () => {
  const days: StrategyProfile['working_hours'][number]['days'] = ['MO', 'TU', 'WE', 'TH'];
  it.each([
    ['of usual hours', {}, 480],
    [
      'with a break',
      {
        working_hours: [
          { days, from: '08:00', to: '12:00' },
          { days, from: '13:00', to: '16:00' },
          { days: ['FR'], from: '08:00', to: '12:00' },
        ],
      },
      420,
    ],
    ['on which less is done than it is long', { minutes_a_day: 240 }, 240],
    ['that nobody works', { working_hours: [] }, null],
  ])('%s has its minutes of work', (_, profile, minutes) => {
    expect(measureWorkingDay(StrategyProfile.parse(profile))).toBe(minutes);
  });
});
