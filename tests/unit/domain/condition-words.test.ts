import { expect, test } from 'vitest';
import { notesOf } from '#cards/step-lines.ts';
import type { StepCondition } from '#domain/plan/condition.ts';
import { describeCondition } from '#domain/plan/condition-words.ts';
import { following, makeFacts, makeStep } from '../../fixtures/plans.ts';

const yes: StepCondition = { step: 'ask', path: '/answer', is: 'equals', value: 'Yes' };

test.each([
  [yes, 'Ana', 'Ana answers Yes to step 1'],
  [{ ...yes, is: 'not_equals' as const }, 'Ana', 'Ana does not answer Yes to step 1'],
  [{ ...yes, path: '/fields/answer', value: 'No' }, null, 'step 1 is answered No'],
  [{ ...yes, value: 'Blue' }, 'Ana', 'the answer to step 1 is "Blue"'],
  [{ ...yes, value: 'yes' }, 'Ana', 'the answer to step 1 is "yes"'],
  [{ ...yes, path: '/status' }, null, 'step 1 /status is "Yes"'],
])('%o of %s reads “%s”', (condition, person, words) => {
  expect(describeCondition(condition, '1', person)).toBe(words);
});

test('a card names the person who is asked', () => {
  const ask = makeStep('ask', {
    tool: 'human',
    operation: 'confirm',
    args: { question: 'May old.txt go?', assignee: 'Ana' },
  });
  const remove = makeStep('remove', { after: following('ask'), when: [yes] });
  expect(notesOf(remove, makeFacts({}, [ask, remove]))).toContain(
    'only if Ana answers Yes to step 1',
  );
});
