// Edits change no other byte, in any kind and size of file.
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeCall } from '#tools/describe-call.ts';
import { changeBytes } from '#tools/workspace/change-bytes.ts';
import { rounds } from '../../rounds.ts';
import { type Bench, openBench, toolContext } from './tool-bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
  await mkdir(bench.workspace, { recursive: true });
});
afterEach(() => bench.close());

const at = (name: string) => join(bench.workspace, name);
const edit = (args: object) => bench.data('workspace_edit', { path: 'a.txt', ...args });
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

test.each([
  ['a missing file', null, 'one', 'one\n'],
  ['an empty file', '', 'one', 'one\n'],
  ['a file that ends with a line break', 'a\n', 'one', 'a\none\n'],
  ['a file that ends without', 'a', 'one', 'a\none'],
  ['lines of Windows', 'a\r\nb\r\n', 'one\ntwo', 'a\r\nb\r\none\r\ntwo\r\n'],
  ['a text with its own line break', 'a\n', 'one\n', 'a\none\n'],
  ['Latin-1', latin1('Gr\u00fc\u00dfe\n'), '\u00d6l', latin1('Gr\u00fc\u00dfe\n\u00d6l\n')],
  ['UTF-16', utf16('Gr\u00fc\u00dfe\r\n'), '\u00d6l', utf16('Gr\u00fc\u00dfe\r\n\u00d6l\r\n')],
  ['a binary file', Buffer.from([0, 255, 1, 0]), 'end', Buffer.from('\0\xff\x01\0\nend', 'latin1')],
  [
    'UTF-8 with a bad byte',
    Buffer.concat([Buffer.from('é'), latin1('\xff\n')]),
    'ö',
    Buffer.concat([Buffer.from('é'), latin1('\xff\n'), Buffer.from('ö\n')]),
  ],
])('append to %s', async (_, before, text, after) => {
  if (before !== null) await writeFile(at('a.txt'), before);
  expect((await edit({ action: 'append', text })).created).toBe(before === null);
  expect(await readFile(at('a.txt'))).toEqual(Buffer.from(after));
});

test.each([
  ['lines', 'b\n', 'a', 'a\nb\n'],
  ['lines of Windows', 'b\r\nc', 'a', 'a\r\nb\r\nc'],
  ['a byte order mark, which stays first', '\ufeffb', 'a', '\ufeffa\nb'],
  ['UTF-16', utf16('b\r\n'), 'ä', utf16('ä\r\nb\r\n')],
])('prepend to %s', async (_, before, text, after) => {
  await writeFile(at('a.txt'), before);
  await edit({ action: 'prepend', text });
  expect(await readFile(at('a.txt'))).toEqual(Buffer.from(after));
});

test.each([
  ['every place', 'a b a', { find: 'a', text: 'xx' }, 'xx b xx', 2],
  ['the first place', 'a b a', { find: 'a', text: 'x', all: false }, 'x b a', 1],
  ['a place with its line ends', 'a\r\nb\r\n', { find: 'b', text: '' }, 'a\r\n\r\n', 1],
  [
    'Latin-1',
    latin1('M\u00fcller \u00fc'),
    { find: 'ü', text: 'ö' },
    latin1('M\u00f6ller \u00f6'),
    2,
  ],
  ['UTF-16', utf16('Müller'), { find: 'ü', text: 'ue' }, utf16('Mueller'), 1],
  [
    'a binary file',
    Buffer.from('\0key=a\0\xff', 'latin1'),
    { find: 'key=a', text: 'k' },
    Buffer.from('\0k\0\xff', 'latin1'),
    1,
  ],
  ['what looks like a pattern', 'a.b axb', { find: 'a.b', text: '$&' }, '$& axb', 1],
  // The second byte of one character and the first of the next form a third.
  [
    'Shift_JIS out of step',
    iconv.encode('会議の資料を表示します。表', 'shift_jis'),
    { find: '示', text: '現' },
    iconv.encode('会議の資料を表現します。表', 'shift_jis'),
    1,
  ],
])('replace in %s', async (_, before, change, after, replaced) => {
  await writeFile(at('a.txt'), before);
  expect(await edit({ action: 'replace', ...change })).toMatchObject({ replaced });
  expect(await readFile(at('a.txt'))).toEqual(Buffer.from(after));
});

test.each([
  ['a text that is not there', 'abc', { action: 'replace', find: 'x', text: 'y' }, 'tool_failed'],
  [
    'a replacement without a text to replace',
    'abc',
    { action: 'replace', text: 'y' },
    'invalid_arguments',
  ],
  [
    'a character the encoding lacks',
    latin1('\u00fc'),
    { action: 'append', text: '→' },
    'tool_failed',
  ],
  ['a folder', null, { path: 'sub', action: 'append', text: 'x' }, 'tool_failed'],
])('%s changes nothing', async (_, before, args, code) => {
  await mkdir(at('sub'));
  if (before !== null) await writeFile(at('a.txt'), before);
  expect(await bench.fail('workspace_edit', { path: 'a.txt', ...args })).toMatchObject({ code });
  if (before !== null) expect(await readFile(at('a.txt'))).toEqual(Buffer.from(before));
  expect((await readdir(bench.workspace)).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a file of many pieces is edited whole, and keeps its mode', async () => {
  const line = `${'\u001b[31mred\u001b[0m '.repeat(20)}\n`;
  const text = line.repeat(12_000);
  await writeFile(at('a.txt'), text);
  await chmod(at('a.txt'), 0o640);
  await edit({ action: 'append', text: 'end' });
  expect(await readFile(at('a.txt'), 'utf8')).toBe(`${text}end\n`);
  expect(await edit({ action: 'replace', find: 'red', text: 'blue' })).toMatchObject({
    replaced: 240_000,
  });
  expect(await readFile(at('a.txt'), 'utf8')).toBe(`${text.replaceAll('red', 'blue')}end\n`);
  expect((await stat(at('a.txt'))).mode & 0o777).toBe(0o640);
});

describe('workspace_copy', () => {
  const copy = (args: object) => bench.data('workspace_copy', { path: 'a.bin', ...args });
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, i) => (i * 7919) % 256));
  beforeEach(() => writeFile(at('a.bin'), bytes));

  test('copies any bytes, into folders as needed, and keeps the source', async () => {
    expect(await copy({ to: 'archive/2026/' })).toEqual({
      path: 'archive/2026/a.bin',
      size: bytes.length,
      created: true,
    });
    expect(await readFile(at('archive/2026/a.bin'))).toEqual(bytes);
    expect(await readFile(at('a.bin'))).toEqual(bytes);
    expect(await copy({ to: 'archive/2026/' })).toMatchObject({ created: false });
  });

  test('replaces a file only when asked', async () => {
    await writeFile(at('b.bin'), 'kept');
    expect((await bench.fail('workspace_copy', { path: 'a.bin', to: 'b.bin' })).code).toBe(
      'tool_failed',
    );
    expect(await readFile(at('b.bin'), 'utf8')).toBe('kept');
    await copy({ to: 'b.bin', overwrite: true });
    expect(await readFile(at('b.bin'))).toEqual(bytes);
  });

  test.each([
    ['a file onto itself', { path: 'a.bin', to: './a.bin', overwrite: true }, 'tool_failed'],
    ['a folder', { path: 'sub', to: 'x' }, 'tool_failed'],
    ['nothing', { path: 'none', to: 'x' }, 'tool_failed'],
    ['from outside', { path: 'out', to: 'x' }, 'path_outside_workspace'],
    ['to outside', { path: 'a.bin', to: 'out', overwrite: true }, 'path_outside_workspace'],
  ])('refuses %s', async (_, args, code) => {
    await mkdir(at('sub'));
    await symlink('/etc/hostname', at('out'));
    expect((await bench.fail('workspace_copy', args)).code).toBe(code);
    expect(await readFile(at('a.bin'))).toEqual(bytes);
    expect((await readdir(bench.workspace)).sort()).toEqual(['a.bin', 'out', 'sub']);
  });
});

test.each([
  ['workspace_copy', { path: 'a.txt', to: 'b.txt' }, 'new', 'Copies'],
  ['workspace_copy', { path: 'no.txt', to: 'b.txt' }, 'missing', 'Copies'],
  ['workspace_copy', { path: 'a.txt', to: 'b.txt', overwrite: true }, 'new', 'Copies'],
  ['workspace_copy', { path: 'a.txt', to: 'c.txt', overwrite: true }, 'exists', 'Copies'],
  [
    'workspace_edit',
    { path: 'a.txt', action: 'append', text: 'x' },
    'exists',
    'Adds to the end of',
  ],
  ['workspace_edit', { path: 'n.txt', action: 'append', text: 'x' }, 'new', 'Creates'],
  [
    'workspace_edit',
    { path: 'n.txt', action: 'replace', find: 'a', text: 'x' },
    'missing',
    'Replaces text in',
  ],
])('%s %j is seen as %s', async (name, args, state, verb) => {
  await writeFile(at('a.txt'), 'a');
  await writeFile(at('c.txt'), 'c');
  const operation = bench.registry.get(name);
  const seen = (await operation?.inspect?.(args, toolContext().signal)) ?? null;
  expect(seen?.state).toBe(state);
  const call = describeCall(name, operation, args, seen);
  expect(call.headline[0]).toBe(verb);
  expect(call.class).toBe('changes');
  expect(call.destructive).toBe(('overwrite' in args && state === 'exists') || 'find' in args);
});

test('what an edit changes is shown as a difference', async () => {
  await writeFile(at('a.txt'), latin1('M\u00fcller\r\nb\r\n'));
  const operation = bench.registry.get('workspace_edit');
  const args = { path: 'a.txt', action: 'replace', find: 'b', text: 'c' };
  const preview = await operation?.preview?.(args, toolContext().signal);
  expect(preview?.hunks?.[0]?.lines.map((line) => line.trimEnd())).toEqual([' Müller', '-b', '+c']);
});

test('bytes that are not meant never change', async () => {
  const names = ['utf-8', 'utf-16le', 'windows-1252', 'shift_jis', 'gb18030', 'big5', 'euc-jp'];
  const anyFile = fc
    .tuple(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 30 }),
      fc.constantFrom(...names),
      fc.integer({ min: 1, max: 9 }),
    )
    .map(([words, name, size]) => ({
      text: iconv.decode(iconv.encode(words.join('語é表'), name), name),
      name,
      size,
    }))
    .filter(({ text }) => !text.includes('\ufffd') && !text.includes('?'));
  await fc.assert(
    fc.asyncProperty(
      anyFile,
      fc.constantFrom('語', 'é', '表', 'a', '語é', '\n'),
      fc.constantFrom('', 'b', '表表'),
      async ({ text, name, size }, find, put) => {
        const encode = (one: string) => iconv.encode(one, name);
        if (iconv.decode(encode(find + put), name) !== find + put) return;
        const bytes = encode(text);
        const pieces = async function* () {
          for (let from = 0; from < bytes.length; from += size)
            yield bytes.subarray(from, from + size);
        };
        const counter = { replaced: 0 };
        const facts = { encoding: { name, bom: false }, start: bytes, end: bytes.subarray(-4) };
        const change = { action: 'replace' as const, find, text: put, all: true };
        const changed: Buffer[] = [];
        for await (const piece of changeBytes(pieces(), facts, change, counter))
          changed.push(piece);
        expect(Buffer.concat(changed)).toEqual(encode(text.replaceAll(find, put)));
        expect(counter.replaced).toBe(text.split(find).length - 1);
      },
    ),
    { numRuns: rounds(1500) },
  );
});
