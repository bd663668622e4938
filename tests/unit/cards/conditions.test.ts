// Conditions of steps on cards: whole, by the numbers that the card shows, and whether a person is asked before.
import { expect, test } from 'vitest';
import { notesOf } from '#cards/step-lines.ts';
import { following, makeFacts, makeStep } from '../../fixtures/plans.ts';

test('a step says under which conditions it runs and that it asks before', () => {
  const long = 'x'.repeat(480);
  const steps = [
    makeStep('fetch', { position: 1 }),
    makeStep('deploy', {
      position: 2,
      after: following('fetch'),
      ask_before: true,
      when: [
        { step: 'fetch', path: '/status', is: 'equals', value: 'green' },
        { step: 'fetch', path: '/text', is: 'contains', value: long },
      ],
    }),
  ];
  const [, step] = steps;
  if (step === undefined) throw new Error('There is no step.');
  const notes = notesOf(step, makeFacts({}, steps));
  expect(notes.slice(0, 2)).toEqual([
    `only if step 1 /status is "green" and step 1 /text contains "${long}"`,
    'asks before it runs',
  ]);
});
