import { describe, expect, test } from 'vitest';
import { CountersignError } from '#domain/errors.ts';
import type { PlanDraft, Series } from '#domain/plan/plan.ts';
import { expandDraft } from '#plans/series/normalise.ts';
import { draftStep } from '../../fixtures/steps.ts';

const now = new Date('2026-05-04T10:00:00Z');

function makeSeries(rest: Partial<Series> = {}): Series {
  return {
    id: 'daily',
    title: 'Daily look',
    rrule: 'FREQ=DAILY',
    starts_at: '2026-05-01T07:30:00.000Z',
    timezone: 'Europe/Berlin',
    until: null,
    steps: [draftStep('look', 'Look', 'control_noop')],
    ...rest,
  };
}

const draftOf = (...series: Series[]): PlanDraft => ({ title: 'Again', steps: [], series });

async function problemsOf(...series: Series[]): Promise<string[]> {
  try {
    await expandDraft(draftOf(...series), now);
    return [];
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    const { errors } = error.details as { errors: { path: string; message: string }[] };
    return errors.map(({ path, message }) => `${path} — ${message}`);
  }
}

describe('what cannot come again', () => {
  test.each([
    [
      'a bad rule',
      makeSeries({ rrule: 'FREQ=SOMETIMES' }),
      'series[0].rrule — Series “Daily look”: FREQ',
    ],
    [
      'an unknown zone',
      makeSeries({ timezone: 'Mars/Base' }),
      'series[0].timezone — Series “Daily look”: "Mars/Base" is not a time zone',
    ],
    [
      'an end before its start',
      makeSeries({ until: '2026-04-30T00:00:00Z' }),
      'series[0].until — Series “Daily look”: it ends (2026-04-30T00:00:00Z) before it starts (2026-05-01T07:30:00.000Z).',
    ],
    [
      'what is over already',
      makeSeries({ until: '2026-05-03T00:00:00Z' }),
      'series[0].rrule — Series “Daily look”: nothing of it is left to come.',
    ],
    [
      'what comes every minute',
      makeSeries({ rrule: 'FREQ=MINUTELY' }),
      'it comes more than 1,000 times in 30 days, which is the limit.',
    ],
    [
      'a step with a time of its own',
      makeSeries({
        steps: [
          { ...draftStep('look', 'Look', 'control_noop'), not_before: '2026-05-04T10:00:00Z' },
        ],
      }),
      'series[0].steps[0].not_before — Step look of series “Daily look” has a not_before',
    ],
    [
      'an id that holds the sign of dates',
      makeSeries({
        steps: [draftStep('a#b', 'Look', 'control_noop')],
      }),
      'series[0].steps[0].id — Step a#b of series “Daily look” needs an id without “#”',
    ],
  ])('is told: %s', async (_name, series, message) => {
    expect((await problemsOf(series)).join('\n')).toContain(message);
  });

  const many = (rrule: string) =>
    Array.from({ length: 100 }, (_, index) => makeSeries({ id: `s${index}`, rrule }));

  test.each([
    ['every minute', 'FREQ=MINUTELY', /1,000 times in 30 days, which is the limit/],
    ['every hour', 'FREQ=HOURLY', /more than 3,000 times, which is the limit/],
    ['a counted number of times', 'FREQ=YEARLY;COUNT=1000', /more than 3,000 times, which is the/],
  ])(
    'is refused with the limit where 100 series come %s, and looked at no further',
    async (_, rrule, words) => {
      await expect(expandDraft(draftOf(...many(rrule)), now)).rejects.toThrow(
        expect.objectContaining({
          code: 'limit_exceeded',
          message: expect.stringMatching(words),
          details: expect.objectContaining({ problem_count: 1 }),
        }),
      );
    },
  );

  test('is planned where 100 series come every day', async () => {
    expect((await expandDraft(draftOf(...many('FREQ=DAILY')), now)).begun).toHaveLength(100);
  });

  test('is told once for each, with all that is wrong', async () => {
    expect(await problemsOf(makeSeries({ rrule: 'x', timezone: 'y' }), makeSeries())).toHaveLength(
      3,
    );
  });
});

describe('what comes again', () => {
  test('begins with what is still to come within 30 days', async () => {
    const { draft, begun } = await expandDraft(draftOf(makeSeries()), now);
    expect(draft.steps).toHaveLength(30);
    expect(draft.steps[0]?.id).toBe('look#2026-05-05');
    expect(draft.steps.at(-1)?.not_before).toBe('2026-06-03T07:30:00.000Z');
    expect(begun[0]?.next?.toISOString()).toBe('2026-06-04T07:30:00.000Z');
  });

  test('is in the plan once at least, however far off', async () => {
    const { draft, begun } = await expandDraft(
      draftOf(makeSeries({ rrule: 'FREQ=YEARLY', starts_at: '2027-01-01T09:00:00Z' })),
      now,
    );
    expect(draft.steps.map(({ id }) => id)).toEqual(['look#2027-01-01']);
    expect(begun[0]?.expandedTo.toISOString()).toBe('2027-01-01T09:00:00.000Z');
    expect(begun[0]?.next?.toISOString()).toBe('2028-01-01T09:00:00.000Z');
  });

  test('ends with its last occurrence', async () => {
    const { draft, begun } = await expandDraft(
      draftOf(makeSeries({ rrule: 'FREQ=DAILY;COUNT=6' })),
      now,
    );
    expect(draft.steps.map(({ id }) => id)).toEqual(['look#2026-05-05', 'look#2026-05-06']);
    expect(begun[0]?.next).toBeNull();
  });

  test('gives way to a step of the draft that has the id of an occurrence', async () => {
    const own = draftStep('look#2026-05-06', 'Later', 'control_noop');
    const { draft } = await expandDraft({ ...draftOf(makeSeries()), steps: [own] }, now);
    expect(draft.steps).toHaveLength(30);
    expect(draft.steps.filter(({ id }) => id === own.id)).toEqual([own]);
  });

  test.each([
    ['another day', 'look#2026-05-06T09:00:00Z'],
    ['no day', 'look#evil'],
    ['a day on which it does not come', 'look#2026-04-30'],
    ['another series', 'other#2026-05-06'],
  ])('lets no step pass for an occurrence of %s', async (_name, id) => {
    const own = draftStep(id, 'Later', 'control_noop');
    await expect(expandDraft({ ...draftOf(makeSeries()), steps: [own] }, now)).rejects.toThrow(
      expect.objectContaining({
        code: 'reserved_id',
        message: `Step "${id}": “#” is kept for the occurrences of a series, and no series has this one. Give the step an id without it.`,
      }),
    );
    await expect(expandDraft({ title: 'None', steps: [own] }, now)).rejects.toThrow('“#” is kept');
  });

  test('takes no time of its own into what comes again', async () => {
    const step = draftStep('look', 'Look', 'control_noop');
    const { begun } = await expandDraft(
      draftOf(makeSeries({ steps: [{ ...step, not_before: '2026-05-01T07:30:00.000Z' }] })),
      now,
    );
    expect(begun[0]?.series.steps).toEqual([step]);
  });

  test('has steps with ids of their own, said or not', async () => {
    const step = { description: 'Look', tool: 'control', operation: 'noop' };
    const { begun } = await expandDraft(draftOf(makeSeries({ steps: [step, step] })), now);
    expect(begun[0]?.series.steps.map(({ id }) => id)).toEqual(['daily-1', 'daily-2']);
  });
});
