// The tests: five projects, told apart by what they need. Unit tests need nothing; the others share one PostgreSQL, and
// end-to-end and long tests start whole processes. Isolated tests replace modules. Long tests run with `npm run test:long`.
import { defineConfig } from 'vitest/config';

/** `seconds` tell a test that hangs from one on a machine with other things to do. */
type Kind = { name: string; seconds: number; database: boolean; isolate?: boolean };

const kinds: Kind[] = [
  { name: 'unit', seconds: 20, database: false },
  { name: 'integration', seconds: 60, database: true },
  { name: 'isolated', seconds: 60, database: true, isolate: true },
  { name: 'e2e', seconds: 180, database: true },
  { name: 'long', seconds: 240, database: true },
];

/** `npm test` runs some of their rounds (tests/rounds.ts), the long tests all. */
const properties = [
  'tests/integration/conversation/inbox.test.ts',
  'tests/integration/plans/approved-chain.test.ts',
  'tests/integration/plans/shown-and-run.test.ts',
  'tests/integration/plans/shown-in-time.test.ts',
  'tests/integration/plans/versions.test.ts',
  'tests/unit/cards/hostile-text.test.ts',
  'tests/unit/conversation/identity/shown-names.test.ts',
  'tests/unit/edges/fuzz.test.ts',
  'tests/unit/planner/outline/fix.test.ts',
  'tests/unit/plans/series.test.ts',
  'tests/unit/tools/walk-schema.test.ts',
];

export default defineConfig({
  test: {
    reporters: ['default', './tests/setup/summary-reporter.ts'],
    // More than there are cores: most of them wait for Postgres, for another process or for a time.
    maxWorkers: 4,
    projects: kinds.map(({ name, seconds, database, isolate = false }) => ({
      extends: true,
      test: {
        name,
        include: [`tests/${name}/**/*.test.ts`, ...(name === 'long' ? properties : [])],
        environment: 'node',
        // Other tests start the product in processes of its own.
        ...(database && name !== 'integration' && !isolate
          ? {}
          : { setupFiles: ['./tests/setup/watch-every-test.ts'] }),
        pool: 'forks',
        execArgv: ['--import', new URL('./tests/setup/resolve-quickly.ts', import.meta.url).href],
        // Loading the program again for each file would take as long as the tests. What a test changes of its process it puts back.
        isolate,
        testTimeout: seconds * 1000,
        hookTimeout: seconds * 1000,
        teardownTimeout: 20_000,
        // Real processes on a busy machine: a test may fail once for its neighbours' sake. Which did is said at the end.
        retry: database ? 1 : 0,
        // The fewest connections that are allowed: each new one costs Postgres more than what a test then asks of it.
        env: name === 'long' ? { COUNTERSIGN_TEST_ROUNDS: 'all' } : { DATABASE_POOL_SIZE: '4' },
        ...(database ? { globalSetup: ['./tests/setup/global-database.ts'] } : {}),
      },
    })),
  },
});
