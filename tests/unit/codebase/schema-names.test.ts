// Several instances share a database by their schemas, so no statement writes a schema's name itself.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url).pathname;
const named = /\b(?:from|join|into|update|table|exists)\s+(?:countersign|pgboss)\.\w/i;

test('statements take the schema from the instance', () => {
  const files = globSync('{src,adapters,jobs,cards}/**/*.ts', { cwd: root });
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((path) => named.test(readFileSync(`${root}${path}`, 'utf8')))).toEqual([]);
});
