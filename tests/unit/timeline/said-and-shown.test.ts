// Clock changes and wait notation; end to end: integration/plans/said-and-run.test.ts.
import { describe, expect, it } from 'vitest';
import { formatTime } from '#cards/times.ts';
import { minutesOf, readLag, readLength, sayLag } from '#domain/length.ts';
import { nextOccurrences, toLocalIso, toMoment } from '#timeline/recurrence.ts';
import { describeRecurrence } from '#timeline/repetition.ts';

const dayMs = 86_400_000;

describe.each([
  ['America/Sao_Paulo', '2018-11-03'],
  ['America/Sao_Paulo', '2019-02-16'],
  ['Australia/Lord_Howe', '2026-10-03'],
  ['Europe/Berlin', '2026-10-24'],
])('in %s from %s on', (zone, date) => {
  const days = [0, 1, 2].map((add) =>
    new Date(Date.parse(date) + add * dayMs).toISOString().slice(0, 10),
  );

  it('a local time is shown as it was given', () => {
    for (const day of days) {
      const shown = formatTime(toMoment(`${day}T09:00`, zone).toISOString(), '2000-01-01', zone);
      expect(shown).toMatch(new RegExp(`^${Number(day.slice(8))} .*, 09:00$`));
    }
  });

  it('a repetition keeps its time of day', () => {
    const rule = { rrule: 'FREQ=DAILY', timezone: zone, startsAt: toMoment(`${date}T09:30`, zone) };
    expect(describeRecurrence(rule)).toBe('every day at 09:30');
    const run = nextOccurrences(rule, new Date(rule.startsAt.getTime() - 1), 3);
    expect(run.map((moment) => toLocalIso(moment, zone).slice(0, 16))).toEqual(
      days.map((day) => `${day}T09:30`),
    );
  });
});

it.each(['90 min', '2 h', '72 h', '1 day', '2 days', '1 week', '1 day 4 h', 'PT36H', 'P1D'])(
  '%s is as long when it is written back',
  (form) => {
    const minutes = readLag(form);
    if (typeof minutes === 'string') throw new Error(minutes);
    expect(readLag(sayLag(minutes))).toBe(minutes);
    const length = readLength(form);
    expect(length === null ? null : minutesOf(length)).toBe(minutes);
  },
);
