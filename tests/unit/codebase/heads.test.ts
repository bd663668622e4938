// Files begin with their purpose, directly above the imports.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readInstance } from '../../codebase/modules.ts';

const root = join(import.meta.dirname, '../../..');

/** A gap between the head and the imports. */
const gap = /^(?:\/\/.*\n)+\n+import\b/;

test('every file of the instance begins with what it is for', () => {
  const silent = readInstance(root).filter(({ text }) => !/^(?:#!.*\n)?\/[/*]/.test(text));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

test('imports follow at once on what a file is for', () => {
  const tests = globSync('tests/**/*.ts', { cwd: root }).map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }));
  expect(tests.length).toBeGreaterThan(300);
  const gaping = [...readInstance(root), ...tests].filter(({ text }) => gap.test(text));
  expect(gaping.map(({ path }) => path)).toEqual([]);
});

test('others are quoted by the functions that close their words in', () => {
  // Commands are quoted as typed, so that they can be sent again.
  const own =
    /^(?:src\/domain\/shown-text\.ts|cards\/calls\.ts|src\/planner\/(?:commands|offline)\/.*)$/;
  const byHand = readInstance(root)
    .filter(({ path }) => !own.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/“[^”“\n]*\$\{.*/g)].map(([found]) => `${path}: ${found}`),
    );
  expect(byHand).toEqual([]);
});
