// Occurrences are in wall time, within the horizon.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Series } from '#domain/plan/plan.ts';
import {
  endOf,
  horizonMs,
  isCovered,
  isMissed,
  isOccurrenceOf,
  noEnd,
  occurrencesAfter,
  occurrencesBetween,
  readOccurrenceId,
  stepsOfOccurrence,
} from '#plans/series/series.ts';
import { localDate } from '#timeline/recurrence.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { rounds } from '../../rounds.ts';
import { measureTurn, runInTurn } from '../../setup/watch-loop.ts';

const series: Series = {
  id: 'standup',
  title: 'Standup',
  rrule: 'FREQ=DAILY',
  starts_at: '2026-03-20T08:30:00.000Z',
  timezone: 'Europe/Berlin',
  until: null,
  steps: [
    draftStep('collect', 'Collect', 'workspace_list', {}),
    {
      ...draftStep('write', 'Write it down', 'workspace_write', {
        path: 'standup.md',
        content: { $from: 'collect', path: '/text' },
        other: [{ $from: 'setup' }],
      }),
      after: ['collect', { id: 'setup', type: 'SS', lag_minutes: 5 }],
    },
  ],
};
const day = 86_400_000;
const iso = (moments: Date[]) => moments.map((moment) => moment.toISOString());

describe('the steps of an occurrence', () => {
  const moment = new Date('2026-03-21T08:30:00Z');

  test('have the day behind their ids and wait for their moment', () => {
    expect(stepsOfOccurrence(series, moment).map(({ id, not_before }) => [id, not_before])).toEqual(
      [
        ['collect#2026-03-21', '2026-03-21T08:30:00.000Z'],
        ['write#2026-03-21', '2026-03-21T08:30:00.000Z'],
      ],
    );
  });

  test('refer to each other, and to other steps of the plan as they are', () => {
    expect(stepsOfOccurrence(series, moment)[1]).toMatchObject({
      args: {
        content: { $from: 'collect#2026-03-21', path: '/text' },
        other: [{ $from: 'setup' }],
      },
      after: ['collect#2026-03-21', { id: 'setup', type: 'SS', lag_minutes: 5 }],
    });
  });

  test('have the moment behind their ids where a day holds several', () => {
    const hourly = { ...series, rrule: 'FREQ=HOURLY;INTERVAL=6' };
    const twice = { ...series, rrule: 'FREQ=DAILY;BYHOUR=9,15' };
    for (const often of [hourly, twice]) {
      expect(stepsOfOccurrence(often, moment)[0]?.id).toBe('collect#2026-03-21T08:30:00Z');
    }
  });

  test('are known again by their ids', () => {
    const templates = new Set(['collect', 'write']);
    expect(readOccurrenceId('collect#2026-03-21', templates)).toEqual({
      template: 'collect',
      occurrence: '2026-03-21',
    });
    expect(readOccurrenceId('other#2026-03-21', templates)).toBeNull();
    expect(readOccurrenceId('collect', templates)).toBeNull();
    const suffixes = ['2026-03-21', '2026-03-21T08:30:00Z', '2026-03-21T08:30:00Z-2'];
    const wrong = ['2026-03-19', '2026-03-21T09:30:00Z', '2026-03-21T08:30:00Z-02', '2026-03-21-2'];
    const isKnown = (suffix: string) => isOccurrenceOf([series], `collect#${suffix}`);
    expect([...suffixes, ...wrong].filter(isKnown)).toEqual(suffixes);
  });
});

describe('occurrences', () => {
  test('keep their time of day when the clocks change', () => {
    const after = new Date('2026-03-27T12:00:00Z');
    expect(iso(occurrencesAfter(series, after, 4))).toEqual([
      '2026-03-28T08:30:00.000Z',
      '2026-03-29T07:30:00.000Z',
      '2026-03-30T07:30:00.000Z',
      '2026-03-31T07:30:00.000Z',
    ]);
    const autumn = occurrencesAfter(series, new Date('2026-10-24T00:00:00Z'), 3);
    expect(autumn.map((moment) => localDate(moment, 'Europe/Berlin'))).toEqual([
      '2026-10-24',
      '2026-10-25',
      '2026-10-26',
    ]);
    expect(iso(autumn)[2]).toBe('2026-10-26T08:30:00.000Z');
  });

  test('begin with the first moment and end with the last one that is allowed', () => {
    const bounded = { ...series, until: '2026-03-22T08:30:00.000Z' };
    expect(iso(occurrencesAfter(bounded, new Date(0), 10))).toEqual([
      '2026-03-20T08:30:00.000Z',
      '2026-03-21T08:30:00.000Z',
      '2026-03-22T08:30:00.000Z',
    ]);
    const early = { ...bounded, until: '2026-03-22T08:29:59.999Z' };
    expect(occurrencesAfter(early, new Date(0), 10)).toHaveLength(2);
  });

  test('are counted out to say when a series ends', () => {
    expect(endOf(series)).toEqual(noEnd);
    expect(endOf({ ...series, rrule: 'FREQ=DAILY;COUNT=3' }).toISOString()).toBe(
      '2026-03-22T08:30:00.000Z',
    );
    expect(
      endOf({
        ...series,
        rrule: 'FREQ=DAILY;COUNT=3',
        until: '2026-03-21T00:00:00.000Z',
      }).toISOString(),
    ).toBe('2026-03-20T08:30:00.000Z');
    expect(endOf({ ...series, rrule: 'FREQ=DAILY;UNTIL=20260401T100000Z' }).toISOString()).toBe(
      '2026-04-01T10:00:00.000Z',
    );
  });

  const rules = fc.constantFrom(
    'FREQ=DAILY',
    'FREQ=WEEKLY;BYDAY=MO,WE,FR',
    'FREQ=MONTHLY;BYMONTHDAY=31',
    'FREQ=DAILY;COUNT=40',
    'FREQ=DAILY;INTERVAL=3;UNTIL=20270101T000000Z',
    'FREQ=HOURLY;INTERVAL=11',
    'FREQ=DAILY;BYHOUR=1,2,3',
    'FREQ=YEARLY',
  );
  const zones = fc.constantFrom(
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'UTC',
  );
  const moments = fc.date({
    min: new Date('2026-01-01T00:00:00Z'),
    max: new Date('2026-12-31T00:00:00Z'),
    noInvalidDate: true,
  });

  test('come out the same however often and at whatever moments the plan is extended, each once', () => {
    fc.assert(
      fc.property(
        rules,
        zones,
        moments,
        fc.array(fc.integer({ min: 0, max: 40 * day }), { minLength: 1, maxLength: 4 }),
        (rrule, timezone, starts, waits) => {
          const one = { ...series, rrule, timezone, starts_at: starts.toISOString() };
          const stretch = (from: Date, upTo: Date) =>
            occurrencesBetween(one, from, upTo, 5000).flatMap((moment) =>
              stepsOfOccurrence(one, moment).map(({ id }) => id),
            );
          let now = starts.getTime() - 1;
          let upTo = new Date(now);
          const pieces: string[] = [];
          for (const wait of waits) {
            now += wait;
            const next = new Date(Math.max(upTo.getTime(), now + horizonMs));
            const from = upTo;
            pieces.push(...runInTurn(() => stretch(from, next)));
            upTo = next;
          }
          // Larger than any real extension.
          const whole = measureTurn(() => stretch(new Date(starts.getTime() - 1), upTo));
          expect(pieces).toEqual(whole.value);
          expect(new Set(pieces).size).toBe(pieces.length);
        },
      ),
      { numRuns: rounds(25) },
    );
  }, 60_000);
});

describe('what was not begun', () => {
  const due = new Date('2026-05-04T07:30:00Z');

  test('is missed once its day in the zone of the series is over', () => {
    expect(isMissed(due, 'Europe/Berlin', new Date('2026-05-04T21:59:59Z'))).toBe(false);
    expect(isMissed(due, 'Europe/Berlin', new Date('2026-05-04T22:00:00Z'))).toBe(true);
    expect(isMissed(due, 'America/New_York', new Date('2026-05-05T03:59:00Z'))).toBe(false);
    expect(isMissed(due, 'America/New_York', new Date('2026-05-05T04:00:00Z'))).toBe(true);
  });

  test('just before midnight is late, not missed, for an hour', () => {
    const late = new Date('2026-05-04T21:59:30Z');
    expect(isMissed(late, 'Europe/Berlin', new Date('2026-05-04T22:00:10Z'))).toBe(false);
    expect(isMissed(late, 'Europe/Berlin', new Date('2026-05-04T22:59:30Z'))).toBe(true);
  });
});

describe('what is in force', () => {
  const [first, second] = series.steps;

  test('is covered by what was approved, or by more than that', () => {
    expect(isCovered(series, [series])).toBe(true);
    expect(isCovered({ ...series, steps: first === undefined ? [] : [first] }, [series])).toBe(
      true,
    );
  });

  test('is not covered when anything of it differs', () => {
    const others: Series[] = [
      { ...series, id: 'other' },
      { ...series, rrule: 'FREQ=HOURLY' },
      { ...series, timezone: 'UTC' },
      { ...series, starts_at: '2026-03-20T08:31:00.000Z' },
      { ...series, until: '2026-06-01T00:00:00.000Z' },
      { ...series, steps: second === undefined ? [] : [{ ...second, args: { path: 'other.md' } }] },
    ];
    for (const other of others) expect(isCovered(other, [series])).toBe(false);
    expect(isCovered(series, [])).toBe(false);
  });
});
