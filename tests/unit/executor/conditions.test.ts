import { expect, test } from 'vitest';
import type { StepCondition } from '#domain/plan/condition.ts';
import type { Json } from '#domain/text.ts';
import { explainCondition } from '#tools/explain-condition.ts';

const output: Json = {
  status: ' red ',
  n: 5,
  text: '10.5',
  day: '2026-03-04T09:00:00+01:00',
  tags: ['a', { b: 1 }],
  none: null,
};

const condition = (path: string, is: StepCondition['is'], value?: Json): StepCondition => ({
  step: 'x',
  path,
  is,
  ...(value === undefined ? {} : { value }),
});

test.each<[StepCondition, string | null]>([
  [condition('/status', 'equals', 'red'), null],
  [condition('/status', 'equals', 'Red'), 'step 2 /status is " red ", not "Red"'],
  [condition('/status', 'not_equals', 'red'), 'step 2 /status is " red "'],
  [condition('/n', 'equals', 5), null],
  [condition('/n', 'equals', '5'), 'step 2 /n is 5, not "5"'],
  [condition('/tags', 'equals', ['a', { b: 1 }]), null],
  [condition('/tags', 'contains', { b: 1 }), null],
  [condition('/status', 'contains', 'ed'), null],
  [condition('/n', 'contains', 5), 'step 2 /n is 5, which does not contain 5'],
  [condition('/n', 'greater', 4), null],
  [condition('/text', 'greater', 9), null],
  [condition('/n', 'less', 5), 'step 2 /n is 5, not less than 5'],
  [condition('/day', 'less', '2026-03-04T08:30:00Z'), null],
  [condition('/day', 'greater', '2026-03-03'), null],
  [condition('/status', 'greater', 1), `step 2 /status is " red ", which can't be compared with 1`],
  [condition('', 'exists'), null],
  [condition('/n', 'exists'), null],
  [condition('/none', 'exists'), 'step 2 /none has no value'],
  [condition('/gone', 'exists'), 'step 2 /gone has no value'],
  [condition('/gone', 'not_equals', 'a'), 'step 2 /gone has no value'],
])('%j', (one, reason) => {
  expect(explainCondition(one, output, '2')).toBe(reason);
});

test('nothing holds of a step that was skipped', () => {
  expect(explainCondition(condition('', 'exists'), undefined, '2')).toBe('step 2 was skipped');
});
