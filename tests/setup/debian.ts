// Installs a Debian package as root; concurrent test files take turns.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '#db/embedded/lock.ts';

/** @returns its exit code, or 127 if the command does not exist */
function run(command: string, args: string[]): Promise<number> {
  return new Promise((resolve) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env });
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** @param isThere checked when our turn comes */
export async function installPackage(name: string, isThere: () => Promise<boolean>): Promise<void> {
  if (process.getuid?.() !== 0 || (await run('apt-get', ['--version'])) !== 0) return;
  await withLock(join(tmpdir(), 'countersign-apt.lock'), 600_000, async () => {
    if (await isThere()) return;
    console.error(`Installing the package "${name}".`);
    await run('apt-get', ['update', '-q']);
    await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', name]);
  });
}
