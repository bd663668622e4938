// Processes changing the same files concurrently lose no change.
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMove } from '#tools/workspace/move.ts';
import { openSandbox } from '#tools/workspace/sandbox.ts';
import { node, quickly, root } from '../../setup/process.ts';
import { openBench, toolContext } from '../../unit/tools/tool-bench.ts';

const run = promisify(execFile);
const program = join(root, 'tests/fixtures/change-process.ts');
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-changes-'));
});
afterEach(() => rm(folder, { recursive: true }));

const lockOf = (name: string, within = folder) =>
  join(within, `.countersign-${hash('sha256', name).slice(0, 12)}.tmp`);

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

test('three processes add lines to a file and move it away, and each line is in one of the files', async () => {
  const [names, times] = [['a', 'b', 'c'], 20];
  await writeFile(join(folder, 'lines.txt'), 'first\n');
  await Promise.all(
    names.map((name) => run(node, [...quickly, program, folder, name, String(times), 'moves'])),
  );
  const moved = await readdir(join(folder, 'moved'));
  const texts = await Promise.all(
    moved.map((name) => readFile(join(folder, 'moved', name), 'utf8')),
  );
  const left = await readFile(join(folder, 'lines.txt'), 'utf8').catch(() => '');
  const lines = [...texts, left].flatMap((text) => text.split('\n').filter((one) => one !== ''));
  const all = names.flatMap((name) => Array.from({ length: times }, (_, at) => `${name} ${at}`));
  expect(lines.toSorted()).toEqual(['first', ...all].toSorted());
  expect(moved.filter((name) => name.startsWith('.'))).toEqual([]);
});

test('moves in opposite directions, and to another case of the same name, end', async () => {
  const { call } = createMove(openSandbox(folder));
  for (const name of ['a', 'b']) await writeFile(join(folder, name), name);
  const move = (from: string, to: string) => call({ from, to, overwrite: true }, toolContext());
  await Promise.allSettled([move('a', 'b'), move('b', 'a'), move('a', 'b'), move('b', 'a')]);
  const [left = ''] = await readdir(folder);
  await move(left, left.toUpperCase());
  expect(await readdir(folder)).toEqual([left.toUpperCase()]);
});

test('what a process that died has left holds nobody up', async () => {
  await writeFile(lockOf('lines.txt'), '');
  await utimes(lockOf('lines.txt'), new Date(0), new Date(0));
  await run(node, [...quickly, program, folder, 'a', '1']);
  expect(await readFile(join(folder, 'lines.txt'), 'utf8')).toBe('a 0\n');
  expect((await readdir(folder)).toSorted()).toEqual(['c.ics', 'lines.txt']);
});

test.each([
  ['workspace_write', { path: 'Lines.txt', content: 'x', overwrite: true }],
  ['workspace_move', { from: 'lines.txt', to: 'b.txt' }],
  ['workspace_move', { from: 'c.txt', to: 'lines.txt', overwrite: true }],
  ['workspace_delete', { path: 'lines.txt' }],
])('%s of %j waits for another, stops when told to, and changes nothing', async (name, args) => {
  const bench = await openBench();
  await bench.call('workspace_write', { path: 'lines.txt', content: 'mine' });
  await bench.call('workspace_write', { path: 'c.txt', content: 'mine' });
  await writeFile(lockOf('lines.txt', bench.workspace), '');
  const before = await readdir(bench.workspace);
  const stopping = new AbortController();
  const failed = bench.fail(name, args, { signal: stopping.signal });
  stopping.abort();
  expect(await failed).toMatchObject({ code: 'cancelled' });
  expect(await readdir(bench.workspace)).toEqual(before);
  await bench.close();
});
