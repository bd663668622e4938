// The tests: four projects in one run, told apart by what they need. Unit tests need nothing;
// the others share one PostgreSQL, and end-to-end and crash tests start whole processes.
import { defineConfig } from 'vitest/config';
import MixedOrder from './tests/setup/mixed-order.ts';

/** `seconds` tell a test that hangs from one on a machine with other things to do. */
type Kind = { name: string; seconds: number; database: boolean };

const kinds: Kind[] = [
  { name: 'unit', seconds: 20, database: false },
  { name: 'integration', seconds: 60, database: true },
  { name: 'e2e', seconds: 180, database: true },
  { name: 'crash', seconds: 240, database: true },
];

export default defineConfig({
  test: {
    reporters: ['default', './tests/setup/summary-reporter.ts'],
    maxWorkers: 2,
    sequence: { sequencer: MixedOrder },
    projects: kinds.map(({ name, seconds, database }) => ({
      extends: true,
      test: {
        name,
        include: [`tests/${name}/**/*.test.ts`],
        environment: 'node',
        pool: 'forks',
        execArgv: ['--import', new URL('./tests/setup/resolve-quickly.ts', import.meta.url).href],
        // Unit tests leave nothing behind, and loading everything anew for each file would take as long as they do.
        isolate: name !== 'unit',
        testTimeout: seconds * 1000,
        hookTimeout: seconds * 1000,
        teardownTimeout: 20_000,
        // Real processes on a busy machine: a test may fail once for its neighbours' sake. Which did is said at the end.
        retry: database ? 1 : 0,
        ...(database ? { globalSetup: ['./tests/setup/global-database.ts'] } : {}),
      },
    })),
  },
});
