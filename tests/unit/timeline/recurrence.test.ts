import { describe, expect, it } from 'vitest';
import { describeLeftOut } from '#timeline/left-out.ts';
import {
  beginAfter,
  checkTimezone,
  formatMoment,
  nextOccurrences,
  toLocalIso,
  toMoment,
} from '#timeline/recurrence.ts';
import { checkRule, withoutParts } from '#timeline/rule.ts';

const berlin = 'Europe/Berlin';

function next(rrule: string, startsAt: string, after: string, limit = 3, timezone = berlin) {
  const recurrence = { rrule, timezone, startsAt: new Date(startsAt) };
  return nextOccurrences(recurrence, new Date(after), limit).map((moment) =>
    toLocalIso(moment, timezone),
  );
}

it.each([
  ['FREQ=HOURLY;COUNT=3', ['10:30', '11:30', '12:30']],
  ['COUNT=2;FREQ=MINUTELY;INTERVAL=20', ['09:50', '10:10']],
  ['FREQ=DAILY;COUNT=2;BYHOUR=9;BYMINUTE=30', ['09:30', '09:30']],
])('a count begins with the first date after the request: %s', (rrule, times) => {
  const now = new Date('2026-03-04T09:30:20Z');
  const rule = { rrule, timezone: 'UTC' };
  const found = nextOccurrences({ ...rule, startsAt: beginAfter(rule, now) }, now, 9);
  expect(found.map((moment) => moment.toISOString().slice(11, 19))).toEqual(
    times.map((time) => `${time}:00`),
  );
});

describe('a recurrence rule', () => {
  it.each<[string, Parameters<typeof next>, string[]]>([
    [
      'keeps 9:30 at 9:30 when summer time begins',
      ['FREQ=DAILY;BYHOUR=9;BYMINUTE=30', '2026-03-01T00:00:00Z', '2026-03-28T00:00:00Z'],
      ['2026-03-28T09:30:00+01:00', '2026-03-29T09:30:00+02:00', '2026-03-30T09:30:00+02:00'],
    ],
    [
      'keeps 9:30 at 9:30 when summer time ends, and skips the weekend',
      [
        'RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=30',
        ...(['2020-01-01T00:00:00Z', '2026-10-22T12:00:00Z'] as const),
      ],
      ['2026-10-23T09:30:00+02:00', '2026-10-26T09:30:00+01:00', '2026-10-27T09:30:00+01:00'],
    ],
    [
      'leaves out a time that does not exist on a day',
      ['FREQ=DAILY;BYHOUR=2;BYMINUTE=30', '2026-03-01T00:00:00Z', '2026-03-28T00:00:00Z'],
      ['2026-03-28T02:30:00+01:00', '2026-03-30T02:30:00+02:00', '2026-03-31T02:30:00+02:00'],
    ],
    [
      'counts from its first moment and then ends',
      ['FREQ=DAILY;COUNT=3', '2026-05-01T07:00:00Z', '2026-05-02T07:00:00Z', 5],
      ['2026-05-03T09:00:00+02:00'],
    ],
    [
      'leaves out the given days',
      [
        'FREQ=WEEKLY;BYDAY=FR;EXDATE=20261225,20270101',
        ...(['2026-12-18T14:00:00Z', '2026-12-01T00:00:00Z'] as const),
      ],
      ['2026-12-18T15:00:00+01:00', '2027-01-08T15:00:00+01:00', '2027-01-15T15:00:00+01:00'],
    ],
    [
      'leaves out every time of a day, and counts them',
      [
        'FREQ=DAILY;BYHOUR=9,15;COUNT=5;EXDATE=20261225,20270101',
        ...(['2026-12-24T14:00:00Z', '2026-12-01T00:00:00Z'] as const),
      ],
      ['2026-12-24T15:00:00+01:00', '2026-12-26T09:00:00+01:00', '2026-12-26T15:00:00+01:00'],
    ],
    [
      'answers moments strictly later than the one it is asked about',
      ['FREQ=HOURLY', '2026-05-01T07:00:00Z', '2026-05-01T07:00:00Z', 1, 'UTC'],
      ['2026-05-01T08:00:00+00:00'],
    ],
  ])('%s', (_, asked, moments) => {
    expect(next(...asked)).toEqual(moments);
  });

  it.each([
    ['FREQ=FOO', /FREQ.*must be YEARLY/],
    ['FREQ=DAILY;BYHOUR=25', /BYHOUR.*0 to 23.*"25"/],
    ['FREQ=DAILY;INTERVAL=0', /INTERVAL/],
    ['FREQ=WEEKLY;BYDAY=XX', /BYDAY.*weekdays/],
    ['FREQ=DAILY;BYMONTHDAY=0', /BYMONTHDAY/],
    ['FREQ=DAILY;EXDATE=20261340', /EXDATE.*dates/],
    ['FREQ=HOURLY;EXDATE=20261225', /EXDATE needs/],
    [
      `FREQ=DAILY;BYHOUR=${[...Array(24).keys()]};EXDATE=${Array(21).fill('20261225')}`,
      /EXDATE leaves out 504 times/,
    ],
    ['INTERVAL=2', /no FREQ/],
    ['', /not part of a recurrence rule/],
    ['FREQ=DAILY;FREQ=WEEKLY', /FREQ twice/],
    ['FREQ=DAILY;COUNT=2;UNTIL=20270101', /not by both/],
    ['FREQ=DAILY;constructor=1', /"CONSTRUCTOR=1" is not part/],
    ['every monday', /is not part of a recurrence rule/],
  ])('that reads "%s" is refused with what is wrong', (rule, sentence) => {
    expect(checkRule(rule)).toMatch(sentence);
    expect(() => next(rule, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')).toThrow(sentence);
  });

  it.each([
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=SECONDLY;BYMONTH=4,6;BYMONTHDAY=31',
    'FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6',
    'FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1',
    'FREQ=MONTHLY;BYDAY=6MO',
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;BYSETPOS=7',
    'FREQ=DAILY;BYHOUR=9,17;BYSETPOS=3',
  ])('that never happens is refused: %s', (rule) => {
    expect(checkRule(rule)).toMatch(/never happens/);
  });

  it.each([
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO',
    'FREQ=YEARLY;BYWEEKNO=53',
    'FREQ=DAILY;BYHOUR=9,17;BYSETPOS=2',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=5',
    'FREQ=YEARLY;BYDAY=53MO',
  ])('that happens seldom is taken: %s', (rule) => {
    expect(checkRule(rule)).toBeNull();
  });

  it('that names too many times of a day is refused', () => {
    const all = (count: number) => Array.from({ length: count }, (_, index) => index).join();
    expect(checkRule(`FREQ=DAILY;BYHOUR=${all(24)};BYMINUTE=${all(60)}`)).toMatch(/1,440 times/);
  });

  it.each([
    ['20260506', ['04', '05', '06']],
    ['20260506T065959Z', ['04', '05']],
    ['20260506T090000', ['04', '05', '06']],
  ])('holds its last day until %s', (until, days) => {
    const rule = `FREQ=DAILY;UNTIL=${until}`;
    const start = '2026-05-04T07:00:00Z';
    expect(next(rule, start, '2026-01-01T00:00:00Z', 9)).toEqual(
      days.map((day) => `2026-05-${day}T09:00:00+02:00`),
    );
  });

  it.each([
    ['FREQ=MONTHLY;BYMONTHDAY=31', '2026-01-05', /February, April, June, September and November/],
    ['FREQ=MONTHLY', '2026-01-31', /February, April, June, September and November/],
    ['FREQ=DAILY;BYMONTHDAY=31', '2026-01-05', /February, April, June, September and November/],
    ['FREQ=MONTHLY;BYMONTHDAY=30', '2026-01-05', /in February:/],
    ['FREQ=MONTHLY;BYMONTHDAY=29', '2026-01-05', /February outside leap years/],
    ['FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=31', '2026-02-05', /February, April and June/],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', '2026-01-05', /Only in leap years/],
    ['FREQ=YEARLY', '2028-02-29', /Only in leap years/],
    ['FREQ=MONTHLY;BYDAY=5MO', '2026-02-05', /April 2026, May 2026/],
    ['FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO', '2026-03-05', /2027, 2028/],
    ['FREQ=DAILY;BYHOUR=2;BYMINUTE=30', '2026-02-05', /no 02:30/],
    ['FREQ=MONTHLY;BYMONTHDAY=31;UNTIL=20260401', '2026-03-05', /^$/],
    ['FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1', '2026-01-05', /^$/],
    ['FREQ=WEEKLY;BYDAY=MO', '2026-01-05', /^$/],
    ['FREQ=MONTHLY;BYMONTHDAY=28', '2026-01-05', /^$/],
    ['FREQ=MONTHLY;BYMONTHDAY=25;EXDATE=20261225', '2026-01-05', /^$/],
  ])('says what it leaves out: %s from %s', (rrule, day, words) => {
    const startsAt = new Date(`${day}T08:00:00Z`);
    expect(describeLeftOut({ rrule, timezone: berlin, startsAt })).toMatch(words);
  });
});

describe('a time zone', () => {
  it('is checked by name', () => {
    expect(checkTimezone('America/New_York')).toBeNull();
    expect(checkTimezone('UTC')).toBeNull();
    expect(checkTimezone('Europe/Berln')).toMatch(/not a time zone; use a name such as/);
    expect(checkTimezone('+02:00')).toMatch(/not a time zone/);
  });

  it('gives a local time its moment, and a moment its local words', () => {
    expect(toMoment('2026-05-04T09:30', berlin).toISOString()).toBe('2026-05-04T07:30:00.000Z');
    expect(toMoment('2026-05-04T09:30:00Z', berlin).toISOString()).toBe('2026-05-04T09:30:00.000Z');
    expect(formatMoment(new Date('2026-05-04T07:30:00Z'), berlin)).toBe('Mon, 4 May 2026, 09:30');
    expect(() => toMoment('tomorrow', berlin)).toThrow(/is not a moment/);
  });
});

it('parts are dropped from a rule wherever they are', () => {
  const rule = 'COUNT=5;FREQ=DAILY;EXDATE=20261225';
  expect(withoutParts(rule, 'COUNT', 'UNTIL')).toBe('FREQ=DAILY;EXDATE=20261225');
});
