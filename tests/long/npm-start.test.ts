// Ending `npm start` ends the bot and its database.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

test.skipIf(process.platform === 'win32')('npm start ends with npm', async () => {
  const home = await mkdtemp(join(tmpdir(), 'countersign-npm-'));
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: home, COUNTERSIGN_HOME: home, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  try {
    const url = await waitFor(
      'the address of the console',
      () => /Console\s+(http:\S+)/.exec(output)?.[1],
      { timeoutMs: 60_000 },
    );
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  } finally {
    child.kill('SIGTERM');
  }
  const postmaster = join(home, 'postgres', 'data', 'postmaster.pid');
  await waitFor('the database to be stopped', () => !existsSync(postmaster), { timeoutMs: 30_000 });
  await rm(home, { recursive: true, force: true });
});
