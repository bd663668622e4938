// Installing the package from a registry, on the machine's Node.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import { openBrowser } from '../setup/chromium.ts';
import { createClient } from '../setup/http-client.ts';
import { usePackage } from '../setup/package.ts';
import { root } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const built = usePackage(false);
const run = promisify(execFile);
let folder: string;
let home: string;
let env: NodeJS.ProcessEnv;

// Other packages come from npm's usual registry.
async function serveRegistry(tarball: string, next: string) {
  const manifest = JSON.parse(await readFile(join(built.folder, 'package.json'), 'utf8'));
  const bytes = await readFile(tarball);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path === `/-/${basename(tarball)}`) return void response.end(bytes);
    if (path !== '/countersign')
      return void response.writeHead(302, { location: new URL(path.slice(1), next).href }).end();
    const dist = { tarball: `${address}/-/${basename(tarball)}`, integrity };
    // As of packages published with a shrinkwrap.
    const published = { ...manifest, _hasShrinkwrap: true, dist };
    const { name, version } = manifest;
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: version },
        versions: { [version]: published },
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = server.address();
  if (at === null || typeof at === 'string') throw new Error('no port');
  const address = `http://127.0.0.1:${at.port}`;
  return { address, close: () => server.close() };
}

// Without this project's own Node.
const ownPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((path) => !path.includes('node_modules'))
  .join(delimiter);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-installed-'));
  home = join(folder, '.countersign');
  env = { PATH: ownPath, HOME: process.env.HOME, COUNTERSIGN_HOME: home, PORT: '0' };
  const { stdout } = await run('npm', ['pack', '--silent'], { cwd: built.folder });
  const { stdout: next } = await run('npm', ['config', 'get', 'registry'], { cwd: root });
  const registry = await serveRegistry(join(built.folder, stdout.trim()), next.trim());
  await writeFile(join(folder, 'package.json'), '{"name":"empty","private":true}');
  await run(
    'npm',
    ['install', 'countersign', '--no-audit', '--no-fund', `--registry=${registry.address}`],
    { cwd: folder, env: { ...process.env, PATH: ownPath }, maxBuffer: 16 << 20 },
  );
  registry.close();
}, 480_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('what is installed is what was tested, and nothing of it is in the way of others', async () => {
  const inside = join(folder, 'node_modules', 'countersign');
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  for (const name of ['fastify', 'zod', 'drizzle-orm', 'undici', 'botframework-connector']) {
    const path = join('node_modules', name);
    const { version } = JSON.parse(await readFile(join(inside, path, 'package.json'), 'utf8'));
    expect([name, version]).toEqual([name, lock.packages[path].version]);
  }
  // The installing project's scripts keep their Node.
  expect(existsSync(join(folder, 'node_modules', '.bin', 'node'))).toBe(false);
  expect(existsSync(join(folder, 'node_modules', 'vitest'))).toBe(false);
});

test('npx countersign starts with a database of its own, plans, runs, shows its console and ends in order', async () => {
  const child = spawn('npx', ['--no-install', 'countersign', 'start'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  try {
    const url = await waitFor(
      'the address of the console',
      () => /Console\s+(http:\S+)/.exec(output)?.[1],
      { timeoutMs: 90_000 },
    ).catch((error: unknown) => {
      throw new Error(`it did not start: ${output}`, { cause: error });
    });
    const api = createClient(url);
    const plan = await api.propose({
      title: 'A note',
      steps: [
        draftStep('note', 'Write a note', 'workspace_write', { path: 'note.md', content: 'Hello' }),
      ],
    });
    await api.approve(plan);
    await api.reach(plan.id, 'completed');
    expect(await readFile(join(home, 'workspace', 'note.md'), 'utf8')).toBe('Hello');

    const asked = await run(
      'npx',
      ['--no-install', 'countersign', 'ask', '--yes', 'Create asked.md saying "Asked"'],
      { cwd: folder, env },
    );
    expect(asked.stdout).toContain('Created asked.md');
    expect(await readFile(join(home, 'workspace', 'asked.md'), 'utf8')).toBe('Asked');

    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const broken: string[] = [];
      page.on('pageerror', (error) => broken.push(error.message));
      await page.goto(`${url}/?plan=${plan.id}`);
      await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
      expect(broken).toEqual([]);
    } finally {
      await browser.close();
    }
  } finally {
    child.kill('SIGTERM');
  }
  const postmaster = join(home, 'postgres', 'data', 'postmaster.pid');
  await waitFor('the database to be stopped', () => !existsSync(postmaster), { timeoutMs: 60_000 });
  expect(output).not.toMatch(/error|ExperimentalWarning/i);
});
