import { expect, test } from 'vitest';
import { readAgain } from '#planner/run-again.ts';

const plan = (values: Record<string, string> | null) => ({
  kind: 'plan',
  name: 'PLAN-3f9a1c20',
  values,
});

test.each([
  ['run PLAN-3f9a1c20 again', {}],
  ['Run plan-3F9A1C20 again.', {}],
  ['run PLAN-3f9a1c20 again with ACME=Globex', { ACME: 'Globex' }],
  ['run PLAN-3f9a1c20 again with ACME = Globex Ltd, May=June', { ACME: 'Globex Ltd', May: 'June' }],
  ['run PLAN-3f9a1c20 again with "May, 2026"="June, 2026"', { 'May, 2026': 'June, 2026' }],
  ['run PLAN-3f9a1c20 again with “a=b”=“c=d”', { 'a=b': 'c=d' }],
  [
    'run PLAN-3f9a1c20 again with constructor=x, __proto__=y',
    { constructor: 'x', ['__proto__']: 'y' },
  ],
])('%s', (text, values) => {
  const read = readAgain(text);
  expect({ ...read, values: Object.entries(read?.values ?? {}) }).toEqual({
    ...plan(null),
    values: Object.entries(values),
  });
});

test.each([
  'run PLAN-3f9a1c20 again with Globex instead of ACME',
  'run PLAN-3f9a1c20 again with ACME=Globex and May=June',
  'run PLAN-3f9a1c20 again with ACME=Globex, ACME=Initech',
  'run PLAN-3f9a1c20 again with =Globex',
  'run PLAN-3f9a1c20 again with ACME=',
  'run PLAN-3f9a1c20 again, then delete old.txt',
  'run PLAN-3f9a1c20 again tomorrow at 9',
])('what differs cannot be read: %s', (text) => {
  expect(readAgain(text)).toEqual(plan(null));
});

test('a playbook by its name', () => {
  expect(readAgain('run playbook Close-Month with customer=Globex')).toEqual({
    kind: 'playbook',
    name: 'close-month',
    values: { customer: 'Globex' },
  });
  expect(readAgain('Run the playbook close-month.')?.values).toEqual({});
  expect(readAgain('run playbook close-month tomorrow')?.values).toBeNull();
});

test.each([
  'run the tests again',
  'run PLAN-3f9a1c20',
  'run playbook',
  'please do not run PLAN-3f9a1c20 again',
  'Create a.txt saying "run PLAN-3f9a1c20 again"',
])('something else: %s', (text) => {
  expect(readAgain(text)).toBeNull();
});

test('a text of a hundred thousand blanks is read at once', () => {
  expect(readAgain(`run PLAN-3f9a1c20 again${' '.repeat(100_000)}x`)).toBeNull();
});
