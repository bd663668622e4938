// In which order the test files run.
import { expect, test } from 'vitest';
import { mixFiles } from '#tests/setup/mixed-order.ts';

const file = (path: string) => ({
  moduleId: `/work/tests/${path}.test.ts`,
  project: { name: path.split('/')[0] ?? '' },
});
const order = (...paths: string[]) =>
  mixFiles(paths.map(file)).map(({ moduleId }) =>
    moduleId.slice('/work/tests/'.length, -'.test.ts'.length),
  );

test('files of many processes stand at even distances among those of one, and unit tests follow', () => {
  const many = ['crash/a', 'e2e/b'];
  const one = ['integration/1', 'integration/2', 'integration/3', 'integration/4'];
  expect(order('unit/x', ...many, ...one, 'unit/y')).toEqual([
    'crash/a',
    'integration/1',
    'integration/2',
    'e2e/b',
    'integration/3',
    'integration/4',
    'unit/x',
    'unit/y',
  ]);
});

test('the longest file is first', () => {
  expect(order('crash/a', 'integration/1', 'crash/torture', 'unit/x')[0]).toBe('crash/torture');
});

test.each([[[]], [['unit/x']], [['crash/a', 'e2e/b']], [['integration/1']]])(
  'no file is lost: %j',
  (paths) => {
    expect(order(...paths)).toEqual(paths);
  },
);
