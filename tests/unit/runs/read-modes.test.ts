import { expect, test } from 'vitest';
import { readModes } from '#runs/read-modes.ts';

const extensive = { plan_reasoning_mode: 'extensive', planning_mode: 'extensive' };

test.each([
  ['Plan this extensively: write a letter for each customer', 'write a letter for each customer'],
  ['please plan it in detail, move the office', 'move the office'],
  ['Plan in full detail\nMove the office', 'Move the office'],
  ['Extensively: move the office', 'move the office'],
  ['Move the office to Porto. Plan this extensively.', 'Move the office to Porto'],
  ['Move the office – plan it in detail!', 'Move the office'],
  ['Plan extensively the move to Porto', 'Plan extensively the move to Porto'],
  ['Plan the move to Porto in detail', 'Plan the move to Porto in detail'],
  ['plan extensively', 'plan extensively'],
])('“%s” is planned extensively', (text, rest) => {
  expect(readModes(text)).toEqual({ modes: extensive, rest });
});

test('a level stands beside them or alone', () => {
  expect(readModes('Plan this extensively at level 7: move')).toEqual({
    modes: { ...extensive, reasoning_level: 7 },
    rest: 'move',
  });
  expect(readModes('Move. Plan it in detail (level 10).')?.modes.reasoning_level).toBe(10);
  expect(readModes('Plan this at level 2: move')).toEqual({
    modes: { reasoning_level: 2 },
    rest: 'move',
  });
});

test('“normally” takes back what is the default', () => {
  const normal = { plan_reasoning_mode: 'normal', planning_mode: 'normal' };
  expect(readModes('Plan this normally: move')).toEqual({ modes: normal, rest: 'move' });
});

test.each([
  'Describe the outage in detail',
  'Yes, in detail.',
  'Write a.txt saying: plan this extensively, they said, and left',
  'Write extensively about cats',
  'Write about 300 letters',
  'Explain the plan in detail and write it to a.txt',
  'Plan this at level 11: move',
])('“%s” says nothing of it', (text) => {
  expect(readModes(text)).toBeNull();
});
