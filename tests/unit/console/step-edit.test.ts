// Edits of a step as they are listed before they are sent.
import { expect, it } from 'vitest';
import { describeEdit, type StepEditing } from '../../../adapters/console/page/plan/step-edit.ts';

it('names the steps it waits for by their labels', () => {
  const step = { id: 'q', args: {}, not_before: null, after: [{ id: 'write-b' }] };
  const form = { fields: [] };
  // Only what a description reads.
  const editing = { step, form, at: '', after: ['write-a', 'write-b'] } as unknown as StepEditing;
  const names = new Map([
    ['write-a', '1a'],
    ['write-b', '1b'],
  ]);
  expect(describeEdit(editing, {}, names)).toEqual([
    { name: 'Waits for', before: '1b', now: '1a, 1b' },
  ]);
});
