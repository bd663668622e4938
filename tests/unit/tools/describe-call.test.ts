// What a call does, as people read it before they approve.
import { expect, it } from 'vitest';
import { describeCall } from '#tools/describe-call.ts';

it('shows a form as its fields, with a help text only where there is one', () => {
  const form = [
    { name: 'answer', label: 'Yes or no?', type: 'choice', options: ['Yes', 'No'], required: true },
    { name: 'amount', type: 'number', help: 'In EUR' },
  ];
  const { parts } = describeCall('human_task', undefined, { question: 'May I?', form });
  const text = JSON.stringify(parts);
  expect(text).toContain('“Yes or no?” [answer] (choice; Yes, No; required)');
  expect(text).toContain('(number): “In EUR”');
  expect(text).not.toContain('null');
});
