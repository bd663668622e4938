// The npm package in an editor, and its command on older Node.
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useDatabase } from '../setup/database.ts';
import { launchOnOlderNode } from '../setup/older-node.ts';
import { usePackage } from '../setup/package.ts';
import { root, usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
const built = usePackage(true);

test('an editor knows the types of a tool file beside which the package is installed', async () => {
  const home = await programs.home();
  await mkdir(join(home, 'node_modules'));
  await symlink(built.folder, join(home, 'node_modules', 'countersign'));
  const code = await readFile(join(root, 'examples/tools/invoice.ts'), 'utf8');
  await writeFile(join(home, 'right.ts'), code);
  await writeFile(join(home, 'wrong.ts'), code.replace("effect: 'write'", "effect: 'wrong'"));
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024'];
  const check = (file: string) =>
    promisify(execFile)(
      process.execPath,
      [
        join(root, 'node_modules/.bin/tsc'),
        ...options,
        '--typeRoots',
        join(root, 'node_modules/@types'),
        '--types',
        'node',
        file,
      ],
      { cwd: home },
    );
  expect((await check('right.ts')).stdout).toBe('');
  await expect(check('wrong.ts')).rejects.toMatchObject({
    stdout: expect.stringMatching(/^wrong\.ts\(\d+,\d+\): error .*"wrong"/),
  });
});

test('SIGTERM to the command on an older Node ends the program in order', async () => {
  const home = await programs.home();
  const env = { COUNTERSIGN_HOME: home, DATABASE_URL: database.url, PORT: '0' };
  const ended = await launchOnOlderNode(built.command, ['start'], env, /Console/, 'SIGTERM');
  expect(ended).toMatchObject({ code: 0, signal: null });
});

test('a command on an older Node that was killed leaves no program behind', async () => {
  const home = await programs.home();
  const env = { COUNTERSIGN_HOME: home, DATABASE_URL: database.url, PORT: '0' };
  // The pipes they share close when the last has ended.
  const ended = await launchOnOlderNode(built.command, ['start'], env, /Console/, 'SIGKILL');
  expect(ended.signal).toBe('SIGKILL');
  const [, url = ''] = /Console +(http:\S+)/.exec(ended.stdout) ?? [];
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});
