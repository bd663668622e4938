// Includes times skipped by a clock change.
import { describe, expect, it } from 'vitest';
import type { Series } from '#domain/plan/plan.ts';
import { compareTerms, describeTerms } from '#plans/content/terms.ts';
import { occurrencesBetween } from '#plans/series/series.ts';

const nightly: Series = {
  id: 'nightly',
  title: 'Nightly copy',
  rrule: 'FREQ=DAILY',
  timezone: 'Europe/Berlin',
  starts_at: '2026-03-20T02:30:00+01:00',
  until: null,
  steps: [],
};
const termsOf = (changes: Partial<Series>) =>
  describeTerms({ step_approval: 'none', series: [{ ...nightly, ...changes }] }, null).join(' ');

it('says the limit of a plan on what its models cost, and how it changes', () => {
  const context = { tool_outputs: {}, notes: '', artifacts: [] };
  const limited = { ...context, budget_usd: 0.2 };
  const none = { step_approval: 'none' as const, series: [] };
  expect(describeTerms({ ...none, context }, null)).toEqual([]);
  expect(describeTerms({ ...none, context: limited }, null)).toEqual([
    'Once it runs, its models may cost at most $0.20, planning included.',
  ]);
  const terms = { confirm_each: false, series: [] };
  expect(compareTerms({ ...terms, context }, { ...terms, context: limited })).toEqual([
    'cost of models: at most $0.20 instead of no limit of its own',
  ]);
});

describe('a series whose time the clocks skip', () => {
  it('says when it does not come, and does not come then', () => {
    expect(termsOf({})).toBe(
      '“Nightly copy” repeats every day at 02:30 (Europe/Berlin), until you stop it. Not when the clocks go forward (Sun, 29 Mar 2026, 03:00): there is no 02:30 then.',
    );
    const [from, to] = [new Date('2026-03-28T12:00:00Z'), new Date('2026-03-30T12:00:00Z')];
    expect(occurrencesBetween(nightly, from, to).map((moment) => moment.toISOString())).toEqual([
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  it.each<[string, Partial<Series>]>([
    ['a time that there is', { starts_at: '2026-03-20T03:00:00+01:00' }],
    ['the time just before', { starts_at: '2026-03-20T01:59:00+01:00' }],
    ['a series that ends before', { until: '2026-03-28T23:00:00+01:00' }],
    ['a rule that has no such day', { rrule: 'FREQ=WEEKLY;BYDAY=MO' }],
    ['a rule of every hour', { rrule: 'FREQ=HOURLY' }],
    ['a zone whose clocks do not change', { timezone: 'Asia/Tokyo' }],
    ['the hour that comes twice', { rrule: 'FREQ=YEARLY', starts_at: '2026-10-25T02:30:00+02:00' }],
  ])('says nothing of %s', (_, changes) => {
    expect(termsOf(changes)).not.toContain('clocks');
  });

  it('says it of a rule that comes in summer time first, for the change of next year', () => {
    expect(termsOf({ starts_at: '2026-06-01T02:00:00+02:00' })).toContain(
      'Sun, 28 Mar 2027, 03:00',
    );
  });
});
