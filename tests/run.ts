// `npm test`: the checks and the tests; `npm run test:long`: the tests that take longer, which break processes, networks and
// disks, and the proof of every regular expression. The last line printed is always `N passed, N failed`.
import { type SpawnOptions, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const Summary = z.object({
  passed: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
});
type Summary = z.infer<typeof Summary>;

const root = join(import.meta.dirname, '..');
const nothingRan: Summary = { passed: 0, failed: 1, skipped: 0 };

/** Runs a command with our streams; its exit code (1 when it was killed). */
function run(command: string, args: string[], options: SpawnOptions = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** Runs a check and prints its output when it ends, since tests print meanwhile. @returns its exit code */
async function check(script: string, ...args: string[]): Promise<number> {
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => chunks.push(part));
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? 1));
  });
  process.stdout.write(Buffer.concat(chunks));
  return code;
}

async function runTests(filters: string[]): Promise<{ code: number; summary: Summary }> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-summary-'));
  const path = join(folder, 'summary.json');
  try {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const env = { ...process.env, COUNTERSIGN_TEST_SUMMARY: path };
    const code = await run(process.execPath, [vitest, 'run', ...filters], { env });
    const text = await readFile(path, 'utf8').catch(() => null); // It died before it could count.
    const summary = text === null ? nothingRan : Summary.parse(JSON.parse(text));
    return { code, summary };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function print({ passed, failed, skipped }: Summary): void {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}

const quick = ['unit', 'integration', 'isolated', 'e2e'].flatMap((name) => ['--project', name]);
const [first, ...rest] = process.argv.slice(2);
const isLong = first === '--long';
const filters = isLong
  ? ['--project', 'long', ...rest]
  : first === undefined
    ? quick
    : [first, ...rest];
// Each of them waits now and then, which the other uses.
const [checked, { code, summary }] = await Promise.all([
  isLong ? check('check:expressions', '--all') : check('check'),
  runTests(filters),
]);
const failed = (code !== 0 && summary.failed === 0 ? 1 : summary.failed) + (checked === 0 ? 0 : 1);
if (checked !== 0)
  console.log(`\nThe checks failed: npm run ${isLong ? 'check:expressions -- --all' : 'check'}`);
print({ ...summary, failed });
process.exitCode = failed > 0 ? 1 : 0;
