import { describe, expect, test } from 'vitest';
import { fitCard } from '#cards/limits.ts';
import { readReview } from '#cards/review.ts';
import { drawText } from '#cards/text.ts';
import { describeDeltas } from '#cards/version-words.ts';
import type { Button, PlanView } from '#cards/view.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { CardPress } from '#domain/chat/card.ts';
import type { Series } from '#domain/plan/plan.ts';
import { describeTerms } from '#plans/content/terms.ts';
import { makeFacts, makeStep, now, samples } from '../../fixtures/plans.ts';
import { draftStep } from '../../fixtures/steps.ts';

const series: Series = {
  id: 'daily',
  title: 'Daily look',
  rrule: 'FREQ=DAILY',
  starts_at: '2026-02-04T09:00:00.000Z',
  timezone: 'UTC',
  until: null,
  steps: [draftStep('look', 'Look', 'control_noop')],
};
const look = { description: 'Look', tool: 'control', operation: 'noop', args: {} };
const occurrence = (day: string) =>
  makeStep(`look#${day}`, { ...look, not_before: `${day}T09:00:00.000Z` });

describe('a plan that comes again', () => {
  const steps = [makeStep('1'), occurrence('2026-02-04'), occurrence('2026-02-05')];

  test('is drawn with each step once, and says in words when it comes', () => {
    const view = viewPlan(
      makeFacts({ series: [series] }, steps, { terms: ['“Daily look” repeats every day.'] }),
    );
    const section = view.sections.find(({ kind }) => kind === 'steps');
    expect(section?.lines.map(({ text }) => text)).toEqual(['Does nothing']);
    expect(section?.more).toBe('… and 1 more');
    const agreed = view.sections.find(({ kind }) => kind === 'terms');
    expect(agreed?.lines.map(({ text }) => text)).toEqual(['“Daily look” repeats every day.']);
  });

  test('says on the card when a clock change skips it', () => {
    const nightly = {
      ...series,
      timezone: 'Europe/Berlin',
      starts_at: '2026-03-20T02:30:00+01:00',
    };
    const terms = describeTerms({ step_approval: 'none', series: [nightly] }, null);
    const text = drawText(viewPlan(makeFacts({ series: [nightly] }, steps, { terms })));
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'Not when the clocks go forward (Sun, 29 Mar 2026, 03:00): there is no 02:30 then.',
    );
  });

  test.each([
    ['2026-02-05T09:00:00.000Z', 'Next on Thu 5 Feb, 09:00'],
    ['2026-02-03T18:00:00.000Z', 'Next at 18:00'],
    ['2027-02-03T18:00:00.000Z', 'Next on 3 Feb 2027, 18:00'],
  ])('says between two occurrences when the next is due: %s', (next_at, words) => {
    const view = viewPlan(makeFacts({ status: 'executing' }, steps, { next_at }));
    expect(view.state).toMatchObject({ words, symbol: '◷', open: false });
  });

  test('runs while a step runs, and is paused while it is paused', () => {
    const next_at = '2026-02-05T09:00:00.000Z';
    const running = [makeStep('1', { status: 'running' })];
    expect(viewPlan(makeFacts({ status: 'executing' }, running, { next_at })).state.words).toBe(
      'Running',
    );
    const paused = makeFacts({ status: 'executing', paused: true }, steps, { next_at });
    expect(viewPlan(paused).state.words).toBe('Paused');
  });
});

describe('what is agreed besides the steps', () => {
  const long = `Comes ${'every second Tuesday and '.repeat(30)}never on Fridays.`;
  const many = Array.from({ length: 8 }, (_, index) => `“Series ${index}” repeats every day.`);
  const primaryOf = ({ buttons }: { buttons: Button[] }) =>
    buttons.find(({ style }) => style === 'primary')?.label;

  test('is whole on the card', () => {
    const view = viewPlan(makeFacts({}, [makeStep('1')], { terms: [long] }));
    expect(drawText(view)).toContain('never on Fridays.');
    expect(primaryOf(view)).toBe('Approve');
  });

  test('has to be reviewed where a card shows only some of it, and the review shows all', async () => {
    const facts = makeFacts({}, [makeStep('1')], { terms: many });
    expect(primaryOf(viewPlan(facts))).toBe('Review');
    const listSteps = async () => ({ steps: facts.steps, next_cursor: null });
    const { steps } = await readReview({ listSteps }, facts, '', 20_000);
    expect(steps.map(({ headline }) => headline)).toEqual([
      'Also part of this approval',
      'Creates 1.txt',
    ]);
    expect(steps[0]?.parts.map(({ text }) => text)).toEqual([many.join('\n')]);
    expect(steps.map(({ place }) => place)).toEqual([null, 0]);
  });

  test('has to be reviewed where a platform makes the card smaller', () => {
    const view = viewPlan(makeFacts({}, [makeStep('1')], { terms: [long] }));
    const drawn: PlanView[] = [];
    fitCard<CardPress, PlanView, PlanView>(
      view,
      (one) => {
        drawn.push(one);
        return one;
      },
      () => false,
    );
    for (const one of drawn) {
      const whole = JSON.stringify(one).includes('never on Fridays.');
      expect(primaryOf(one)).toBe(whole ? 'Approve' : 'Review');
    }
    expect(drawn.map(primaryOf)).toContain('Review');
  });
});

test('a plan that agrees nothing has no such section', () => {
  expect(viewPlan(makeFacts()).sections.map(({ kind }) => kind)).not.toContain('terms');
});

test('what is agreed differently is among what changed', () => {
  const { diff } = samples.revised;
  if (diff === null) throw new Error('the sample compares nothing');
  const terms = ['steps no longer ask before they run'];
  expect(describeDeltas({ ...diff, terms }, now, 'UTC')).toContain(
    'steps no longer ask before they run',
  );
});
