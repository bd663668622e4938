import { describe, expect, it } from 'vitest';
import { isByClock, readLag, sayLag } from '#domain/length.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import { parseDuration, readDuration } from '#timeline/durations.ts';

const usual = StrategyProfile.parse({});
const short = StrategyProfile.parse({
  working_hours: [{ days: ['MO', 'TU', 'WE', 'TH'], from: '09:00', to: '15:00' }],
});
const never = StrategyProfile.parse({ working_hours: [] });

describe('the length of a person’s task', () => {
  it.each([
    ['3 working days', 3 * 480, '3 working days'],
    ['1 business day', 480, '1 working day'],
    ['1.5 workdays', 720, '1.5 working days'],
    ['2 working weeks', 10 * 480, '2 working weeks'],
    ['24 working hours', 1440, '24 working hours'],
    ['1 working day 4 h', 720, '1 working day 4 working hours'],
    ['half a day', 240, '0.5 days'],
    ['2 h', 120, '2 h'],
    ['2h30m', 150, '2 h 30 min'],
    ['1 hour and 15 minutes', 75, '1 h 15 min'],
    ['an hour', 60, '1 h'],
    ['90 seconds', 1.5, '90 s'],
    ['  45  MIN. ', 45, '45 min'],
    ['PT2H30M', 150, '2 h 30 min'],
  ])('%s is %d minutes of work, and is written “%s”', (text, minutes, written) => {
    const read = parseDuration(text, usual, 'person');
    expect(read).toEqual({ ok: true, minutes, text: written });
    expect(parseDuration(written, usual, 'person')).toEqual(read);
    expect(isByClock(written)).toBe(false);
  });

  it.each([
    ['3 days', 3 * 1440, '3 days'],
    ['three days', 3 * 1440, '3 days'],
    ['72 h', 3 * 1440, '72 h'],
    ['P3D', 3 * 1440, '3 days'],
    ['a week', 7 * 1440, '1 week'],
    ['2 calendar days', 2 * 1440, '2 days'],
    ['1 day 4 h', 28 * 60, '1 day 4 h'],
  ])('%s is %d minutes by the clock, and is written “%s”', (text, minutes, written) => {
    for (const of of ['person', 'clock'] as const) {
      const read = parseDuration(text, usual, of);
      expect(read).toEqual({ ok: true, minutes, text: written });
      expect(parseDuration(written, usual, of)).toEqual(read);
    }
    expect(isByClock(written)).toBe(true);
  });

  it('counts working days and weeks as long as this person works', () => {
    const minutes = (text: string, profile: typeof usual) => parseDuration(text, profile, 'person');
    expect(minutes('3 working days', short)).toMatchObject({ minutes: 1080 });
    expect(minutes('1 working week', short)).toMatchObject({ minutes: 4 * 360 });
    expect(minutes('2 working days', { ...usual, minutes_a_day: 120 })).toMatchObject({
      minutes: 240,
    });
  });

  it('has no working days where nobody works', () => {
    expect(parseDuration('3 working days', never, 'person')).toEqual({
      ok: false,
      message:
        '“3 working days” can’t be counted: the working hours are empty. Give hours, such as 24 h.',
    });
    expect(parseDuration('3 h', never, 'person')).toMatchObject({ ok: true, minutes: 180 });
  });

  it('is no working time where nobody works on it', () => {
    expect(parseDuration('3 working days', usual, 'clock')).toEqual({
      ok: false,
      message:
        '“3 working days” is working time, and no person works on this. Give hours or days by the clock, such as 72 h.',
    });
  });
});

describe('a wait between steps', () => {
  it.each([
    ['1 day', 1440],
    ['72 h', 4320],
    ['2 weeks', 20_160],
    ['90 min', 90],
    ['-1 h', -60],
  ])('%s is %d minutes', (text, minutes) => {
    expect(readLag(text)).toBe(minutes);
    expect(readLag(sayLag(minutes))).toBe(minutes);
  });

  it.each(['2 working days', '30 s', 'soon', '400 days', ''])('“%s” is refused', (text) => {
    expect(readLag(text)).toEqual(expect.stringContaining('“'));
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
      message: expect.stringMatching(/“3 working days”, “3 days”, “2 h” or “45 min”|at most/),
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
        '4320 minutes are 3 days by the clock, and 72 working hours. Say which in words: “3 days” or “72 working hours”.',
    });
    expect(readDuration(480, usual, 'person')).toMatchObject({ ok: true, minutes: 480 });
    expect(readDuration(4320, usual, 'clock')).toMatchObject({ ok: true, minutes: 4320 });
  });
});
