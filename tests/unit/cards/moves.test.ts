// Alternative times for conflicting steps, as buttons.
import { describe, expect, it, test } from 'vitest';
import { offerMoves, offerOrders } from '#cards/moves.ts';
import type { StepMove } from '#domain/planning/artifacts.ts';

const reading = {
  now: '2026-02-03T14:00:00.000Z',
  viewer: { user: 'ana', timezone: 'Europe/Madrid' },
};
const move = (more: Partial<StepMove> = {}): StepMove => ({
  step: 'review',
  title: 'Review with legal',
  from: '2026-02-05T09:00:00.000Z',
  slots: ['2026-02-05T13:00:00.000Z', '2026-02-06T09:00:00.000Z'],
  timezone: 'Europe/Madrid',
  ...more,
});

describe('another time for a step', () => {
  it('is offered by the reader’s clock, and asked for in the zone of the plan', () => {
    expect(offerMoves([move()], reading)).toEqual([
      {
        label: 'Move to 14:00',
        choice: 'start step "review" on 2026-02-05 at 14:00 Europe/Madrid',
      },
      {
        label: 'Friday instead',
        choice: 'start step "review" on 2026-02-06 at 10:00 Europe/Madrid',
      },
    ]);
  });

  it('says the day and the time where both are others', () => {
    const [offer] = offerMoves([move({ slots: ['2026-02-06T11:30:00.000Z'] })], reading);
    expect(offer?.label).toBe('Move to Fri 6 Feb, 12:30');
  });

  it('is offered once a step, though the step meets several things', () => {
    expect(offerMoves([move(), move()], reading)).toHaveLength(2);
  });

  it('says what it is about where several steps could move', () => {
    const other = move({ step: 'talk', title: 'Talk to Ben' });
    expect(offerMoves([move(), other], reading).map(({ label }) => label)).toEqual([
      'Review with legal: Move to 14:00',
      'Talk to Ben: Move to 14:00',
    ]);
  });
});

test('another order is offered for each that was compared, but the chosen one', () => {
  const metrics = {
    ...{ makespan_minutes: 3, width: 2, unchecked_writes: 1, unguarded: 0, checkpoints: 0 },
  };
  const option = (name: string) => ({ name, differs: 'It differs.', metrics, score: 1 });
  const options_tried = ['as said', 'one at a time'].map(option);
  expect(offerOrders({ options_tried, chosen: 'as said', reason: 'It is quick.' })).toEqual([
    { label: 'One at a time instead', choice: 'do the steps one at a time' },
  ]);
  expect(offerOrders(undefined)).toEqual([]);
});
