// Instances can share a database by schemas, also under Citus.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url).pathname;
const sources = globSync('{src,adapters,jobs,cards}/**/*.ts', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(`${root}${path}`, 'utf8'),
}));

test('statements take the schema from the instance', () => {
  const named = /\b(?:from|join|into|update|table|exists)\s+(?:countersign|pgboss)\.\w/i;
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.filter(({ text }) => named.test(text)).map(({ path }) => path)).toEqual([]);
});

// Citus takes only immutable functions there; `excluded` has the insert's time.
test('no upsert asks the clock where it updates', () => {
  const updates = sources.flatMap(({ path, text }) =>
    [
      ...text.matchAll(/do update set[^`]*?(?=`|\breturning\b)|onConflictDoUpdate\([^;]*?\}\)/gis),
    ].map(([update]) => ({ path, update })),
  );
  const clock = /clock_timestamp|\bnow\(\)|\$\{now\}|: now\b|inSeconds|givenUntil/;
  expect(updates.length).toBeGreaterThan(20);
  expect(updates.filter(({ update }) => clock.test(update))).toEqual([]);
});
