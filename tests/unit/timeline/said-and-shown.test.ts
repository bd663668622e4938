// Times and lengths across clock changes, past ones included; from command to executor: integration/plans/said-and-run.test.ts.
import { describe, expect, it } from 'vitest';
import { formatTime } from '#cards/times.ts';
import { minutesOf, readLag, readLength, sayLag } from '#domain/length.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import { runForwardPass, type TimedNode } from '#timeline/forward-pass.ts';
import { nextOccurrences, toLocalIso, toMoment } from '#timeline/recurrence.ts';
import { describeNext, describeRecurrence } from '#timeline/repetition.ts';
import { minuteMs, openWorkingTime } from '#timeline/working-time.ts';

/** Days before a clock change, forward and back; Kathmandu has none, São Paulo had its last ones in 2018 and 2019. */
const changes = [
  ['America/New_York', '2026-03-07', '2026-10-31'],
  ['Australia/Lord_Howe', '2026-10-03', '2026-04-04'],
  ['Asia/Kathmandu', '2026-03-28', '2026-10-24'],
  ['America/Sao_Paulo', '2018-11-03', '2019-02-16'],
  ['Europe/Berlin', '2026-03-28', '2026-10-24'],
] as const;
const days = changes.flatMap(([zone, ...dates]) => dates.map((date) => [zone, date] as const));

const profile = StrategyProfile.parse({
  working_hours: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '09:00', to: '17:00' }],
});
const forms = ['90 min', '2 h', '72 h', '1 day', '2 days', '1 week', '1 day 4 h', 'PT36H', 'P1D'];

function placeAt(zone: string, first: Partial<TimedNode>, second: Partial<TimedNode>, lag: number) {
  const node = { person: null, release: null, fixed: null, deadline: null, minutes: 0 };
  const pass = runForwardPass({
    nodes: [
      { ...node, id: 'a', ...first },
      { ...node, id: 'b', ...second },
    ],
    edges: [{ from: 'a', to: 'b', type: 'FS', lag_minutes: lag }],
    now: 0,
    time: openWorkingTime(profile, zone),
    minutesADay: null,
    busy: new Map(),
  });
  if (pass.kind !== 'placed') throw new Error('not placed');
  return pass.places;
}

describe.each(days)('in %s from %s on', (zone, date) => {
  it('a local time is stored as its moment, and shown as it was said', () => {
    for (const clock of ['00:30', '09:00', '23:45'])
      for (const day of [date, nextDay(date, 1), nextDay(date, 2)]) {
        // The clocks of São Paulo skipped this one.
        if (day === '2018-11-04' && clock === '00:30' && zone === 'America/Sao_Paulo') continue;
        const stored = toMoment(`${day}T${clock}`, zone).toISOString();
        const shown = formatTime(stored, '2000-01-01T00:00:00Z', zone);
        expect(shown.endsWith(`, ${clock}`)).toBe(true);
        expect(shown).toContain(`${Number(day.slice(8))} `);
        expect(toLocalIso(new Date(stored), zone).slice(0, 16)).toBe(`${day}T${clock}`);
      }
  });

  it.each(forms)('a wait of %s lasts as long as it says', (form) => {
    const minutes = readLag(form);
    if (typeof minutes === 'string') throw new Error(minutes);
    expect(readLag(sayLag(minutes))).toBe(minutes);
    const release = toMoment(`${date}T20:00`, zone).getTime();
    const places = placeAt(zone, { release }, {}, minutes);
    expect(((places.get('b')?.from ?? 0) - release) / minuteMs).toBe(minutes);
    const length = readLength(form);
    expect(length === null ? null : minutesOf(length)).toBe(minutes);
  });

  it('a repetition runs at the time that its words say, on the dates that they say', () => {
    const starts_at = toMoment(`${date}T09:30`, zone).toISOString();
    const rule = { rrule: 'FREQ=DAILY', timezone: zone, startsAt: new Date(starts_at) };
    expect(describeRecurrence(rule)).toBe('every day at 09:30');
    const run = nextOccurrences(rule, new Date(Date.parse(starts_at) - 1), 3);
    const local = run.map((moment) => toLocalIso(moment, zone));
    expect(local.map((one) => one.slice(11, 16))).toEqual(['09:30', '09:30', '09:30']);
    const names = local.map((one) =>
      new Date(`${one.slice(0, 10)}T12:00:00Z`).toLocaleDateString('en-GB', {
        day: 'numeric',
        month: 'short',
        timeZone: 'UTC',
      }),
    );
    const repetition = { rrule: rule.rrule, timezone: zone, starts_at, until: null };
    expect(describeNext(repetition, new Date(Date.parse(starts_at) - 60_000))).toBe(
      `${names.join(', ')} …`,
    );
  });
});

function nextDay(date: string, count: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}
