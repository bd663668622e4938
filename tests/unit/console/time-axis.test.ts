import { describe, expect, it } from 'vitest';
import {
  placeAxis,
  placeClockTicks,
  restBetween,
} from '../../../adapters/console/page/plan/time-axis.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** In this machine's zone, which is the reader's. */
const at = (year: number, month: number, date: number, hours = 0, minutes = 0) =>
  new Date(year, month - 1, date, hours, minutes).getTime();

describe('the time axis', () => {
  it.each([
    [
      'quarters of an hour',
      at(2026, 3, 3, 9, 7),
      at(2026, 3, 3, 10, 5),
      ['09:15', '09:30', '09:45', '10:00'],
    ],
    ['hours', at(2026, 3, 3, 8, 40), at(2026, 3, 3, 12, 10), ['09:00', '10:00', '11:00', '12:00']],
    ['days', at(2026, 3, 3, 8), at(2026, 3, 6, 9), ['Wed 4 Mar', 'Thu 5 Mar', 'Fri 6 Mar']],
    [
      'weeks from Monday on',
      at(2026, 3, 3),
      at(2026, 3, 31),
      ['Mon 9 Mar', 'Mon 16 Mar', 'Mon 23 Mar', 'Mon 30 Mar'],
    ],
    ['months', at(2026, 1, 15), at(2026, 5, 20), ['Feb 2026', 'Mar 2026', 'Apr 2026', 'May 2026']],
  ])('has ticks on round %s', (_, start, end, labels) => {
    expect(placeClockTicks(start, end, 5).map(({ label }) => label)).toEqual(labels);
  });

  it('says the day at midnight', () => {
    const ticks = placeClockTicks(at(2026, 3, 3, 16), at(2026, 3, 4, 10), 5);
    expect(ticks.map(({ label }) => label)).toEqual(['18:00', 'Wed 4 Mar', '06:00']);
  });

  it('has few ticks however long it is', () => {
    const start = at(2026, 1, 1);
    for (const length of [hour, 7 * hour, 3 * day, 50 * day, 500 * day, 9000 * day]) {
      expect(placeClockTicks(start, start + length, 5).length).toBeLessThanOrEqual(26);
    }
    for (const length of [hour, 7 * hour, 3 * day, 50 * day, 500 * day]) {
      expect(placeClockTicks(start, start + length, 5).length).toBeLessThanOrEqual(6);
    }
  });

  it('counts from its start where no moment is known, or all of it is short', () => {
    expect(placeAxis(0, 2 * hour, false, 4).map(({ label }) => label)).toEqual([
      '+30 min',
      '+1 h',
      '+1 h 30 min',
      '+2 h',
    ]);
    expect(placeAxis(0, 4000, true, 4).map(({ label }) => label)).toContain('+1 s');
  });

  it('shades what lies between the hours of work', () => {
    const working = [
      { from: 10, to: 20 },
      { from: 30, to: 40 },
    ];
    expect(restBetween(working, 0, 45)).toEqual([
      { from: 0, to: 10 },
      { from: 20, to: 30 },
      { from: 40, to: 45 },
    ]);
    expect(restBetween([], 0, 45)).toEqual([]);
  });
});
