// Processes that change the same files at once: no change is lost, whether another works, waits or has died.
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSandbox } from '#tools/workspace/sandbox.ts';
import { createWrite } from '#tools/workspace/write.ts';
import { node, quickly, root } from '../../setup/process.ts';
import { toolContext } from '../../unit/tools/tool-bench.ts';

const run = promisify(execFile);
const program = join(root, 'tests/fixtures/change-process.ts');
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-changes-'));
});
afterEach(() => rm(folder, { recursive: true }));

const lockOf = (name: string) =>
  join(folder, `.countersign-${hash('sha256', name).slice(0, 12)}.tmp`);

test('three processes add lines to two files, and each line is there', async () => {
  const [names, times] = [['a', 'b', 'c'], 30];
  await Promise.all(
    names.map((name) => run(node, [...quickly, program, folder, name, String(times)])),
  );
  const all = names.flatMap((name) => Array.from({ length: times }, (_, at) => `${name} ${at}`));
  for (const file of ['lines.txt', 'c.ics']) {
    const lines = (await readFile(join(folder, file), 'utf8')).trim().split('\n');
    expect(lines.toSorted()).toEqual(all.toSorted());
  }
  expect((await readdir(folder)).toSorted()).toEqual(['c.ics', 'lines.txt']);
});

test('what a process that died has left holds nobody up', async () => {
  await writeFile(lockOf('lines.txt'), '');
  await utimes(lockOf('lines.txt'), new Date(0), new Date(0));
  await run(node, [...quickly, program, folder, 'a', '1']);
  expect(await readFile(join(folder, 'lines.txt'), 'utf8')).toBe('a 0\n');
  expect((await readdir(folder)).toSorted()).toEqual(['c.ics', 'lines.txt']);
});

test('who waits for another stops when told to, and nothing is written', async () => {
  await writeFile(lockOf('lines.txt'), '');
  const write = createWrite(await openSandbox(folder));
  const stopping = new AbortController();
  const writing = write.call(
    { path: 'Lines.txt', content: 'x', overwrite: true },
    toolContext({ signal: stopping.signal }),
  );
  stopping.abort();
  await expect(writing).rejects.toMatchObject({ code: 'cancelled' });
  expect(await readdir(folder)).toHaveLength(1);
});
