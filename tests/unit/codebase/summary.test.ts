// The counts behind the last line of `npm test`.
import { expect, test } from 'vitest';
import type { TestModule } from 'vitest/node';
import { countResults } from '../../setup/summary-reporter.ts';

function module(ok: boolean, ...states: string[]): TestModule {
  const tests = states.map((state) => ({ result: () => ({ state }) }));
  // The reporter reads nothing else of vitest's class.
  return { ok: () => ok, children: { allTests: () => tests } } as unknown as TestModule;
}

test('passed, failed and skipped tests are counted over all files', () => {
  const modules = [module(true, 'passed', 'skipped'), module(false, 'passed', 'failed', 'failed')];
  expect(countResults(modules, [])).toEqual({ passed: 2, failed: 2, skipped: 1 });
});

test('a file that could not be read, or whose hook failed, counts as one failure', () => {
  expect(countResults([module(false)], [])).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(countResults([module(false, 'passed')], [])).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

test('a test that never ended did not pass', () => {
  expect(countResults([module(true, 'pending')], [])).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('an error nobody caught is a failure although every test passed', () => {
  const error = { message: 'lost' };
  expect(countResults([module(true, 'passed')], [error])).toMatchObject({ passed: 1, failed: 1 });
});
