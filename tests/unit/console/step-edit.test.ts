import { expect, it } from 'vitest';
import { describeEdit } from '../../../adapters/console/page/plan/step-edit.ts';

it('names the steps it waits for by their labels', () => {
  const step = {
    args: {},
    not_before: null,
    after: [{ id: 'write-b', type: 'FS', lag_minutes: 0 }],
  } as const;
  const names = new Map([
    ['write-a', '1a'],
    ['write-b', '1b'],
  ]);
  const entered = { args: {}, at: '', after: ['write-a', 'write-b'] };
  expect(describeEdit({ ...step, after: [...step.after] }, [], entered, names)).toEqual([
    { name: 'Waits for', before: '1b', now: '1a, 1b' },
  ]);
});
