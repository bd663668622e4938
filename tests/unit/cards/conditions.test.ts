import { expect, test } from 'vitest';
import { describeField, viewFields } from '#cards/form-fields.ts';
import { notesOf } from '#cards/step-lines.ts';
import { describeSteps } from '#tools/describe-call.ts';
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

test.each([
  ['delete', 'Keep everything', 'only if step 1a /fields/what is "delete" (“Keep everything”)'],
  ['yes', 'No', 'only if step 1a /fields/what is "yes" (“No”)'],
  [
    'a',
    'b” · asks before it runs',
    'only if step 1a /fields/what is "a" (“b’ \\u{B7} asks before it runs”)',
  ],
  ['green', 'green', 'only if step 1a /fields/what is "green"'],
])('a condition on the choice %s says that it is called %s', (value, label, wording) => {
  const options = [{ value, label }, 'other'];
  const form = [{ name: 'what', type: 'choice', options }];
  const steps = describeSteps({ get: () => undefined }, [
    makeStep('ask', {
      position: 1,
      tool: 'human',
      operation: 'task',
      args: { question: '?', form },
    }),
    makeStep('go', {
      position: 2,
      when: [{ step: 'ask', path: '/fields/what', is: 'equals', value }],
    }),
  ]);
  const facts = makeFacts({}, steps);
  const [ask, go] = facts.steps;
  if (ask === undefined || go === undefined) throw new Error('There are no steps.');
  expect(notesOf(go, facts)[0]).toBe(wording);
  const shown = JSON.stringify(ask.call.parts);
  const waiting = { ...ask, output: { form } };
  const [field] = viewFields(waiting);
  for (const text of [shown, describeField(field ?? fail())]) {
    expect(text).toContain(value);
    if (label !== value) expect(text).toContain(`${value} (“`);
  }
});

function fail(): never {
  throw new Error('There is no field.');
}
