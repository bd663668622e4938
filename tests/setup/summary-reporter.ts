// Counts results for the last line of `npm test`.
import { writeFileSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

export type Summary = { passed: number; failed: number; skipped: number };

/** Files that don't load and unhandled errors count as one failure each. */
export function countResults(
  modules: readonly TestModule[],
  unhandled: readonly SerializedError[],
): Summary {
  const summary = { passed: 0, failed: unhandled.length, skipped: 0 };
  for (const module of modules) {
    let failures = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') summary.passed += 1;
      else if (state === 'skipped') summary.skipped += 1;
      else failures += 1; // A test still pending when the run ends did not pass.
    }
    summary.failed += failures === 0 && !module.ok() ? 1 : failures;
  }
  return summary;
}

function listUnsteady(modules: readonly TestModule[]): string[] {
  return modules.flatMap((module) =>
    [...module.children.allTests()].flatMap((test) => {
      if (test.diagnostic()?.flaky !== true) return [];
      const [first] = test.result().errors ?? [];
      return [`${module.relativeModuleId}: ${test.fullName}\n    ${first?.message ?? 'no reason'}`];
    }),
  );
}

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const unsteady = listUnsteady(modules);
    if (unsteady.length > 0)
      process.stdout.write(`\nPassed at the second try only:\n  ${unsteady.join('\n  ')}\n`);
    const path = process.env.COUNTERSIGN_TEST_SUMMARY;
    if (path !== undefined) writeFileSync(path, JSON.stringify(countResults(modules, unhandled)));
  }
}
