import { expect, test } from 'vitest';
import { describeRecurrence } from '#timeline/repetition.ts';

test.each([
  ['FREQ=DAILY', 'every day at 09:30'],
  ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'every weekday at 09:30'],
  ['FREQ=WEEKLY;BYDAY=MO', 'every Monday at 09:30'],
  ['FREQ=MONTHLY;BYDAY=1MO', 'every month on the 1st Monday at 09:30'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', 'every 2 weeks on Monday at 09:30'],
  ['FREQ=MONTHLY;BYDAY=-1FR', 'every month on the last Friday at 09:30'],
  ['RRULE:FREQ=DAILY;COUNT=5', 'every day at 09:30 for 5 times'],
  ['FREQ=DAILY;BYHOUR=14;BYMINUTE=5', 'every day at 14:05'],
  ['FREQ=HOURLY;INTERVAL=3', 'every 3 hours'],
  [
    'FREQ=WEEKLY;BYDAY=FR;EXDATE=20261225,20270101',
    'every Friday at 09:30, not on 25 Dec 2026 and 1 Jan 2027',
  ],
])('%s is %s', (rrule, words) => {
  const startsAt = new Date('2026-05-04T07:30:00Z');
  expect(describeRecurrence({ rrule, timezone: 'Europe/Berlin', startsAt })).toBe(words);
});

test('hours are said on the clock of 24, and seconds are not', () => {
  const words = (startsAt: string) =>
    describeRecurrence({ rrule: 'FREQ=DAILY', timezone: 'UTC', startsAt: new Date(startsAt) });
  expect(words('2026-05-04T00:41:22Z')).toBe('every day at 00:41');
  expect(words('2026-05-04T12:00:05Z')).toBe('every day at 12:00');
  expect(words('2026-05-04T09:00:00Z')).toBe('every day at 09:00');
  expect(words('2026-05-04T21:00:00Z')).toBe('every day at 21:00');
});
