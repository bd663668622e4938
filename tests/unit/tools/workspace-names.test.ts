import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeCall } from '#tools/describe-call.ts';
import { type Bench, openBench, toolContext } from './tool-bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
  await mkdir(bench.workspace, { recursive: true });
});
afterEach(() => bench.close());

const at = (name: string) => join(bench.workspace, name);
const composed = 'caf\u00e9.txt';
const apart = 'cafe\u0301.txt';

describe('a name with its accents in the other spelling', () => {
  test.each([
    ['workspace_read', { path: composed }],
    ['workspace_write', { path: composed, content: 'new' }],
    ['workspace_edit', { path: composed, action: 'append', text: 'x' }],
    ['workspace_copy', { path: composed, to: 'copy.txt' }],
    ['workspace_move', { from: composed, to: 'moved.txt' }],
    ['workspace_delete', { path: composed }],
  ])('is found by %s, and no second file is made', async (name, args) => {
    await writeFile(at(apart), 'old');
    await bench.call(name, args);
    expect(await readdir(bench.workspace)).not.toContain(composed);
  });

  test('is found in folders too, and in a look at the target', async () => {
    await mkdir(at('re\u0301sume\u0301'));
    await bench.call('workspace_write', { path: 'r\u00e9sum\u00e9/a.txt', content: 'x' });
    expect(await readdir(bench.workspace)).toEqual(['re\u0301sume\u0301']);
    const seen = await bench.registry
      .get('workspace_write')
      ?.inspect?.({ path: 'r\u00e9sum\u00e9/a.txt' }, toolContext().signal);
    expect(seen).toMatchObject({ state: 'exists' });
    expect(seen).not.toHaveProperty('leads_to');
  });

  test('is exact where both are there', async () => {
    await writeFile(at(apart), 'apart');
    await writeFile(at(composed), 'composed');
    for (const [path, text] of [
      [apart, 'apart'],
      [composed, 'composed'],
    ] as const)
      expect(await bench.data('workspace_read', { path })).toMatchObject({ text });
  });

  test('is refused where two others are meant', async () => {
    await writeFile(at('\u1e69'), '1'); // s with dot below and above
    await writeFile(at('s\u0323\u0307'), '2');
    const error = await bench.fail('workspace_delete', { path: 's\u0307\u0323' });
    expect(error.code).toBe('tool_failed');
    expect(await readdir(bench.workspace)).toHaveLength(2);
  });
});

test.each([
  ['a line break', 'x\nvictim.txt'],
  ['a direction override', 'x\u202etxt.exe'],
  ['a line separator', 'x\u2028y'],
  ['an escape sequence', 'x\u001b[2Ky'],
])('a name with %s is whole in a listing and fakes no line of its summary', async (_, name) => {
  await writeFile(at(name), '');
  const { summary, data } = await bench.call('workspace_list', {});
  expect(data).toMatchObject({ entries: [{ path: name }] });
  expect(summary).not.toMatch(/(?![ ])[\p{Cc}\p{Cf}\p{Zl}]/u);
});

test('what a listing cannot read is counted', async () => {
  await writeFile(at('a.txt'), '');
  await writeFile(Buffer.concat([Buffer.from(`${bench.workspace}/b`), Buffer.from([0xff])]), '');
  const { summary, data } = await bench.call('workspace_list', { recursive: true });
  expect(data).toMatchObject({ count: 1, skipped: [expect.stringMatching(/^1 /)] });
  expect(summary).toContain('1 more could not be read');
});

test.each([' a ', '-rf', '#1.txt', '%20.txt', '😀.txt', 'ä'.repeat(127), 'CON', '~', '$HOME'])(
  'the name %j is like any other',
  async (path) => {
    await bench.call('workspace_write', { path, content: 'x' });
    expect(await readdir(bench.workspace)).toEqual([path]);
    expect(await bench.data('workspace_read', { path })).toMatchObject({ path, text: 'x' });
    await bench.call('workspace_delete', { path });
  },
);

test.each(['a\0b', 'x'.repeat(256), 'a/'.repeat(1200), '\ud800', '.countersign-0123456789ab.tmp'])(
  'no operation takes the path %#',
  async (path) => {
    for (const [name, args] of [
      ['workspace_list', { path }],
      ['workspace_read', { path }],
      ['workspace_read_table', { path }],
      ['workspace_write', { path, content: '' }],
      ['workspace_edit', { path, action: 'append', text: '' }],
      ['workspace_copy', { path, to: 'b' }],
      ['workspace_copy', { path: 'b', to: path }],
      ['workspace_move', { from: path, to: 'b' }],
      ['workspace_move', { from: 'b', to: path }],
      ['workspace_delete', { path }],
    ] as const) {
      expect(bench.registry.validate(name, { ...args }).length).toBeGreaterThan(0);
      const error = await bench.fail(name, { ...args });
      expect(error).toMatchObject({ code: 'invalid_arguments', details: {} });
    }
  },
);

test.each([
  ['workspace_write', { path: 'link.txt', content: 'new' }, 'Overwrites'],
  ['workspace_edit', { path: 'link.txt', action: 'append', text: 'x' }, 'Adds to the end of'],
  ['workspace_copy', { path: 'a.txt', to: 'link.txt', overwrite: true }, 'Copies'],
  ['workspace_write', { path: 'folder/real.txt', content: 'new' }, 'Overwrites'],
])('%s %j names the link and where it leads', async (name, args, verb) => {
  await mkdir(at('real'));
  await writeFile(at('real/real.txt'), 'old');
  await writeFile(at('a.txt'), 'a');
  await symlink('real/real.txt', at('link.txt'));
  await symlink('real', at('folder'));
  const operation = bench.registry.get(name);
  const seen = (await operation?.inspect?.(args, toolContext().signal)) ?? null;
  const { headline } = describeCall(name, operation, args, seen);
  expect(headline[0]).toBe(verb);
  expect(headline.slice(-2)).toEqual([', a link to', { text: 'real/real.txt', later: false }]);
  await bench.call(name, args);
  expect((await lstat(at('link.txt'))).isSymbolicLink()).toBe(true);
  expect(await readFile(at('real/real.txt'), 'utf8')).not.toBe('old');
});

test('a link that leads elsewhere after the approval is another state', async () => {
  await writeFile(at('one.txt'), 'same');
  await writeFile(at('two.txt'), 'same');
  await symlink('one.txt', at('l1'));
  await symlink('two.txt', at('l2'));
  const inspect = bench.registry.get('workspace_write')?.inspect;
  const [one, two] = await Promise.all(
    ['l1', 'l2'].map((path) => inspect?.({ path }, toolContext().signal)),
  );
  expect(one?.fingerprint).not.toBe(two?.fingerprint);
});
