import { describe, expect, it } from 'vitest';
import { formatAge, formatDuration, formatTime, formatWork, tellSpan } from '#cards/times.ts';
import { describeRetry, formatCost } from '#cards/words.ts';
import { listOf } from '#domain/words.ts';

describe('a span of time', () => {
  const now = '2026-02-03T14:10:00.000Z';
  it.each([
    ['2026-02-04T09:00:00Z', '2026-02-04T10:30:00Z', 'Wed 4 Feb, 09:00 to 10:30'],
    ['2026-02-04T23:00:00Z', '2026-02-05T01:00:00Z', 'Wed 4 Feb, 23:00 to Thu 5 Feb, 01:00'],
    ['2026-02-03T15:00:00Z', '2026-02-03T16:00:00Z', '15:00 to 16:00'],
    ['2026-02-03T23:00:00Z', '2026-02-04T01:00:00Z', '23:00 to Wed 4 Feb, 01:00'],
    ['2026-02-04T09:00:00Z', '2026-02-04T09:00:00Z', 'Wed 4 Feb, 09:00'],
  ])('from %s to %s', (from, to, words) => {
    const reading = { now, viewer: { user: 'ana', timezone: 'UTC' } };
    expect(tellSpan(from, to, reading)).toBe(words);
  });

  it.each([
    ['2026-02-04T09:00:00Z', '2026-02-04T10:30:00Z', 'Wed 4 Feb, 10:00 to 11:30 CET'],
    ['2026-02-04T09:00:00Z', '2026-02-04T09:00:00Z', 'Wed 4 Feb, 10:00 CET'],
    ['2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z', 'Sun 29 Mar, 01:30 CET to 03:30 CEST'],
  ])('from %s to %s for many readers says where', (from, to, words) => {
    const reading = { now, viewer: { user: '', timezone: 'Europe/Berlin' } };
    expect(tellSpan(from, to, reading)).toBe(words);
  });
});

describe('durations', () => {
  it.each([
    [0, 'under 1 s'],
    [59_000, '59 s'],
    [60_000, '1 min'],
    [3_599_000, '1 h'],
    [7_800_000, '2 h 10 min'],
    [86_400_000, '1 d'],
    [273_600_000, '3 d 4 h'],
  ])('%i ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('working time', () => {
  it.each([
    [90, 480, '1 h 30 min'],
    [480, 480, '1 working day'],
    [1440, 480, '3 working days'],
    [600, 480, '1 working day 2 h'],
    [1440, 360, '4 working days'],
    [1440, null, '1 d'],
  ])('%i min with %s min a day is %s', (minutes, day, text) => {
    expect(formatWork(minutes, day)).toBe(text);
  });
});

describe('costs', () => {
  it.each([
    [0, '$0.00'],
    [0.0004, 'under $0.001'],
    [0.0042, '$0.004'],
    [0.0134, '$0.01'],
    [1.5, '$1.50'],
  ])('%d is %s', (usd, text) => {
    expect(formatCost(usd)).toBe(text);
  });
});

describe('times', () => {
  const now = '2026-03-29T00:30:00.000Z';
  it.each([
    ['2026-03-29T00:59:00.000Z', 'Europe/Berlin', '01:59'],
    ['2026-03-29T01:00:00.000Z', 'Europe/Berlin', '03:00'],
    ['2026-03-30T07:00:00.000Z', 'Europe/Berlin', 'Mon 30 Mar, 09:00'],
    ['2027-01-01T00:00:00.000Z', 'UTC', '1 Jan 2027, 00:00'],
  ])('%s in %s reads %s', (at, zone, text) => {
    expect(formatTime(at, now, zone)).toBe(text);
  });

  it.each([
    ['2026-03-29T00:59:00.000Z', 'Europe/Berlin', '01:59 CET'],
    ['2026-03-29T01:00:00.000Z', 'Europe/Berlin', '03:00 CEST'],
    ['2026-03-30T07:00:00.000Z', 'Asia/Tokyo', 'Mon 30 Mar, 16:00 GMT+9'],
    ['2026-03-30T07:00:00.000Z', 'Mars/Olympus', 'Mon 30 Mar, 07:00 UTC'],
  ])('%s in %s reads %s to somebody elsewhere', (at, zone, text) => {
    expect(formatTime(at, now, zone, true)).toBe(text);
  });

  it.each([
    ['2026-03-29T00:29:30.000Z', 'just now'],
    ['2026-03-29T00:00:00.000Z', '30 min'],
    ['2026-03-27T00:00:00.000Z', '2 d'],
  ])('%s was %s ago', (at, text) => {
    expect(formatAge(at, now)).toBe(text);
  });
});

it('lists names as a sentence does', () => {
  expect(listOf(['Ana'])).toBe('Ana');
  expect(listOf(['Ana', 'Ben', 'Cy'], 'or')).toBe('Ana, Ben or Cy');
});

describe('a step that failed', () => {
  const step = {
    status: 'ready',
    available_at: '2026-02-03T14:02:00.000Z',
    error: { code: 'tool_failed', message: 'It answered 429.', retry: { attempt: 2, of: 3 } },
  } as const;
  const formatAt = (iso: string) => iso.slice(11, 16);

  it('says when it is tried again and which attempt that is', () => {
    expect(describeRetry(step, formatAt)).toBe('retrying at 14:02 (attempt 2 of 3)');
  });

  it('says nothing of the kind once it runs, has ended or waiting for a person', () => {
    for (const status of ['running', 'failed', 'succeeded', 'waiting'] as const)
      expect(describeRetry({ ...step, status }, formatAt)).toBeNull();
    expect(describeRetry({ ...step, error: null }, formatAt)).toBeNull();
    const { retry: _retry, ...error } = step.error;
    expect(describeRetry({ ...step, error }, formatAt)).toBeNull();
  });
});
