// `npm run soak -- --minutes 30 [--seed N] [--folder DIR]`: a longer tests/long/soak.test.ts.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string', default: 'soak-report' },
  },
});
const root = join(import.meta.dirname, '..', '..');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const args = [vitest, 'run', '--project', 'long', 'tests/long/soak.test.ts'];
const child = spawn(process.execPath, args, {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    COUNTERSIGN_SOAK_MINUTES: values.minutes,
    COUNTERSIGN_SOAK_SEED: values.seed,
    COUNTERSIGN_SOAK_REPORT: join(root, values.folder),
  },
});
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});
