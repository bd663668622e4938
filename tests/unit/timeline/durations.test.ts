import { describe, expect, it } from 'vitest';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import { parseDuration, readDuration } from '#timeline/durations.ts';

const usual = StrategyProfile.parse({});
const short = StrategyProfile.parse({
  working_hours: [{ days: ['MO', 'TU', 'WE', 'TH'], from: '09:00', to: '15:00' }],
});
const never = StrategyProfile.parse({ working_hours: [] });

describe('the duration of a person’s task', () => {
  it.each([
    ['3 working days', 3 * 480],
    ['three days', 3 * 480],
    ['3 days', 3 * 480],
    ['1 business day', 480],
    ['1.5 workdays', 720],
    ['half a day', 240],
    ['a week', 5 * 480],
    ['2 working weeks', 10 * 480],
    ['7 days', 5 * 480],
    ['1 day 4 h', 720],
    ['2 h', 120],
    ['2h30m', 150],
    ['1 hour and 15 minutes', 75],
    ['an hour', 60],
    ['45 min', 45],
    ['90 seconds', 1.5],
    ['  45  MIN. ', 45],
    ['PT2H30M', 150],
    ['P3D', 3 * 480],
  ])('%s is %d minutes of work', (text, minutes) => {
    expect(parseDuration(text, usual, 'person')).toEqual({ ok: true, minutes });
  });

  it('counts days and weeks as long as this person works', () => {
    expect(parseDuration('3 working days', short, 'person')).toEqual({ ok: true, minutes: 1080 });
    expect(parseDuration('1 week', short, 'person')).toEqual({ ok: true, minutes: 4 * 360 });
    const capped = { ...usual, minutes_a_day: 120 };
    expect(parseDuration('2 days', capped, 'person')).toEqual({ ok: true, minutes: 240 });
  });

  it('has no days where nobody works', () => {
    expect(parseDuration('3 days', never, 'person')).toEqual({
      ok: false,
      message: '“3 days” can’t be counted: the working hours are empty. Give hours, such as 24 h.',
    });
    expect(parseDuration('3 h', never, 'person')).toEqual({ ok: true, minutes: 180 });
  });
});

describe('the duration of anything else', () => {
  it.each([
    ['3 days', 3 * 1440],
    ['1 week', 7 * 1440],
    ['P1W', 7 * 1440],
    ['2 h', 120],
    ['1 d 2 h 3 min', 1563],
  ])('%s is %d minutes by the clock', (text, minutes) => {
    expect(parseDuration(text, usual, 'clock')).toEqual({ ok: true, minutes });
  });

  it('cannot be working time', () => {
    expect(parseDuration('3 working days', usual, 'clock')).toEqual({
      ok: false,
      message:
        '“3 working days” is working time, and no person works on this step. Give hours or days by the clock, such as 72 h.',
    });
  });
});

describe('what is no duration', () => {
  it.each([
    '',
    'soon',
    '3',
    '3 fortnights',
    '-2 h',
    '2 h or so',
    '1 2 h',
    'h 2',
    'P',
    'PT',
    '20 years',
    '3 months',
  ])('“%s” is refused with examples', (text) => {
    expect(parseDuration(text, usual, 'person')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/“3 working days”, “2 h” or “45 min”|at most/),
    });
  });

  it('is longer than ten years', () => {
    expect(parseDuration('600 weeks', usual, 'clock')).toMatchObject({ ok: false });
  });
});

describe('a duration given as a number of minutes', () => {
  it('is asked about where it is whole days of the clock and a person works on it', () => {
    expect(readDuration(4320, usual, 'person')).toEqual({
      ok: false,
      message:
        '4320 minutes are 3 days by the clock, and 72 hours of work. Say which in words: “3 working days” or “72 h”.',
    });
    expect(readDuration(480, usual, 'person')).toEqual({ ok: true, minutes: 480 });
    expect(readDuration(4320, usual, 'clock')).toEqual({ ok: true, minutes: 4320 });
    expect(readDuration('3 working days', usual, 'person')).toEqual({ ok: true, minutes: 1440 });
  });
});
