import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openSandbox, toWorkspacePath } from '#tools/workspace/sandbox.ts';
import { type Bench, openBench } from './tool-bench.ts';

let bench: Bench;
let outside: string;

beforeEach(async () => {
  bench = await openBench();
  outside = await mkdtemp(join(tmpdir(), 'countersign-outside-'));
  await writeFile(join(outside, 'secret.txt'), 'secret');
});

afterEach(async () => {
  await bench.close();
  await rm(outside, { recursive: true, force: true });
});

const inWorkspace = (...names: string[]) => join(bench.workspace, ...names);

describe('a path', () => {
  it.each(['../x', 'a/../../x', '/etc/passwd', '..', 'C:/x', '..\\x', '\\\\host\\share'])(
    'that leads outside (%s) is refused when a plan is proposed and when it is called',
    async (path) => {
      const operation = bench.registry.get('workspace_write');
      expect(operation?.check?.({ path })).toMatchObject({ code: 'path_outside_workspace' });
      expect(bench.registry.validate('workspace_write', { path, content: '' })).toEqual([
        expect.stringContaining('outside the workspace'),
      ]);
      expect((await bench.fail('workspace_write', { path, content: '' })).code).toBe(
        'path_outside_workspace',
      );
    },
  );

  it.each([
    ['', /empty/],
    ['a\u0000b', /characters/],
    ['x'.repeat(256), /too long/],
    ['a/'.repeat(1500), /too long/],
    ['a\\b', /use \//],
  ])('that no file can have is refused (%#)', (path, sentence) => {
    expect(() => toWorkspacePath(path)).toThrow(sentence);
  });

  it('that stays inside is taken in its shortest form', async () => {
    await bench.call('workspace_write', { path: './a/../b//c.txt', content: 'x' });
    expect(await readFile(inWorkspace('b', 'c.txt'), 'utf8')).toBe('x');
  });
});

describe('a symbolic link', () => {
  it.each([
    ['workspace_read', { path: 'out/secret.txt' }],
    ['workspace_read_table', { path: 'out/secret.txt' }],
    ['workspace_list', { path: 'out' }],
    ['workspace_write', { path: 'out/new.txt', content: 'x' }],
    ['workspace_write', { path: 'out/deep/new.txt', content: 'x' }],
    ['workspace_delete', { path: 'out/secret.txt' }],
    ['workspace_move', { from: 'out/secret.txt', to: 'mine.txt' }],
    ['workspace_move', { from: 'own.txt', to: 'out/own.txt' }],
    ['workspace_move', { from: 'own.txt', to: 'out/' }],
  ])('to a folder outside is not followed by %s %j', async (name, args) => {
    await symlink(outside, inWorkspace('out'));
    await writeFile(inWorkspace('own.txt'), 'own');
    expect((await bench.fail(name, args)).code).toBe('path_outside_workspace');
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await readFile(inWorkspace('own.txt'), 'utf8')).toBe('own');
  });

  it('to a file outside is neither read nor written', async () => {
    await symlink(join(outside, 'secret.txt'), inWorkspace('link.txt'));
    expect((await bench.fail('workspace_read', { path: 'link.txt' })).code).toBe(
      'path_outside_workspace',
    );
    const write = await bench.fail('workspace_write', { path: 'link.txt', content: 'x' });
    expect(write.code).toBe('path_outside_workspace');
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('that climbs out through another link is not followed', async () => {
    await mkdir(inWorkspace('a', 'b'), { recursive: true });
    await symlink('a/b', inWorkspace('in'));
    await symlink(`../../../../${outside.slice(1)}`, inWorkspace('a', 'b', 'up'));
    await symlink('in/up', inWorkspace('chain'));
    expect((await bench.fail('workspace_read', { path: 'chain/secret.txt' })).code).toBe(
      'path_outside_workspace',
    );
  });

  it('that leads around inside the workspace is followed', async () => {
    await mkdir(inWorkspace('real'));
    await symlink('real', inWorkspace('alias'));
    await symlink(inWorkspace('real'), inWorkspace('absolute'));
    await bench.call('workspace_write', { path: 'alias/a.txt', content: 'x' });
    expect(await bench.data('workspace_read', { path: 'absolute/a.txt' })).toMatchObject({
      path: 'real/a.txt',
      text: 'x',
    });
  });

  it('in a circle ends in a clear error', async () => {
    await symlink('two', inWorkspace('one'));
    await symlink('one', inWorkspace('two'));
    expect((await bench.fail('workspace_read', { path: 'one/x' })).message).toMatch(/loop/);
  });

  it('is itself deleted or moved, not what it points to', async () => {
    await symlink(join(outside, 'secret.txt'), inWorkspace('link'));
    await bench.call('workspace_move', { from: 'link', to: 'moved' });
    await bench.call('workspace_delete', { path: 'moved' });
    expect(await readdir(bench.workspace)).toEqual([]);
    expect(await readdir(outside)).toEqual(['secret.txt']);
  });

  it('put in place of a folder between the check and the use changes nothing', async () => {
    const sandbox = openSandbox(bench.workspace);
    await mkdir(inWorkspace('sub'));
    await sandbox.withPlace('sub/a.txt', { follow: true }, async (place) => {
      await rename(inWorkspace('sub'), inWorkspace('aside'));
      await symlink(outside, inWorkspace('sub'));
      await writeFile(place.at, 'x');
    });
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await readFile(inWorkspace('aside', 'a.txt'), 'utf8')).toBe('x');
  });

  it('swapped in and out while files are written never lets one out', async () => {
    let done = false;
    const swap = async () => {
      while (!done) {
        await mkdir(inWorkspace('sub')).catch(() => undefined);
        await rename(inWorkspace('sub'), inWorkspace('aside')).catch(() => undefined);
        await symlink(outside, inWorkspace('sub')).catch(() => undefined);
        await unlink(inWorkspace('sub')).catch(() => undefined);
        await rm(inWorkspace('aside'), { recursive: true }).catch(() => undefined);
      }
    };
    const swapping = swap();
    for (let round = 0; round < 150; round += 1)
      await bench
        .call('workspace_write', { path: `sub/${round}.txt`, content: 'x' })
        .catch(() => undefined);
    done = true;
    await swapping;
    expect(await readdir(outside)).toEqual(['secret.txt']);
  });
});

describe('workspace_write', () => {
  it('creates the folders above and says so', async () => {
    const output = await bench.call('workspace_write', { path: 'a/b/c.txt', content: 'héllo' });
    expect(output.summary).toBe('Created a/b/c.txt (6 bytes).');
    expect(await readdir(inWorkspace('a', 'b'))).toEqual(['c.txt']);
  });

  it('counts one byte as one', async () => {
    const output = await bench.call('workspace_write', { path: 'one.txt', content: 'x' });
    expect(output.summary).toBe('Created one.txt (1 byte).');
    const read = await bench.call('workspace_read', { path: 'one.txt' });
    expect(read.summary).toBe('Read one.txt (1 byte).');
  });

  it('replaces a file, unless asked not to; the same content again is no change', async () => {
    await bench.call('workspace_write', { path: 'a.txt', content: 'one' });
    await bench.call('workspace_write', { path: 'a.txt', content: 'two' });
    const kept = { path: 'a.txt', overwrite: false };
    expect((await bench.fail('workspace_write', { ...kept, content: 'three' })).message).toMatch(
      /already exists; set overwrite to true/,
    );
    expect((await bench.call('workspace_write', { ...kept, content: 'two' })).summary).toMatch(
      /^Kept/,
    );
    expect(await readFile(inWorkspace('a.txt'), 'utf8')).toBe('two');
  });

  it('replaces nothing where two write at once', async () => {
    const write = (content: string, path: string) =>
      bench
        .call('workspace_write', { path, content, overwrite: false })
        .then(() => content)
        .catch(() => null);
    for (let round = 0; round < 20; round += 1) {
      const path = `race-${round}.txt`;
      const done = await Promise.all(['one', 'two', 'three'].map((one) => write(one, path)));
      const [winner, ...others] = done.filter((one) => one !== null);
      expect(others).toEqual([]);
      expect(await readFile(inWorkspace(path), 'utf8')).toBe(winner);
    }
    expect((await readdir(bench.workspace)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('refuses a path that names a folder', async () => {
    await mkdir(inWorkspace('folder'));
    expect((await bench.fail('workspace_write', { path: 'new/', content: '' })).message).toMatch(
      /names a folder/,
    );
    expect((await bench.fail('workspace_write', { path: 'folder', content: '' })).code).toBe(
      'tool_failed',
    );
  });

  it('does nothing once the call is cancelled', async () => {
    const signal = AbortSignal.abort();
    const error = await bench.fail('workspace_write', { path: 'a.txt', content: '' }, { signal });
    expect(error.code).toBe('cancelled');
    expect(await readdir(bench.workspace)).toEqual([]);
  });
});

describe('workspace_move', () => {
  it('moves to a new path, or into a folder that exists or ends in a slash', async () => {
    await bench.call('workspace_write', { path: 'a.txt', content: 'x' });
    expect((await bench.data('workspace_move', { from: 'a.txt', to: 'x/b.txt' })).path).toBe(
      'x/b.txt',
    );
    expect((await bench.data('workspace_move', { from: 'x/b.txt', to: 'new/' })).path).toBe(
      'new/b.txt',
    );
    expect((await bench.data('workspace_move', { from: 'new/b.txt', to: 'x' })).path).toBe(
      'x/b.txt',
    );
    expect(await readFile(inWorkspace('x', 'b.txt'), 'utf8')).toBe('x');
  });

  it('replaces nothing unless asked', async () => {
    await bench.call('workspace_write', { path: 'a.txt', content: 'a' });
    await bench.call('workspace_write', { path: 'b.txt', content: 'b' });
    const error = await bench.fail('workspace_move', { from: 'a.txt', to: 'b.txt' });
    expect(error.message).toMatch(/b\.txt already exists/);
    await bench.call('workspace_move', { from: 'a.txt', to: 'b.txt', overwrite: true });
    expect(await readFile(inWorkspace('b.txt'), 'utf8')).toBe('a');
  });

  it('loses nothing where two move to one place at once', async () => {
    const move = (from: string, to: string) =>
      bench.call('workspace_move', { from, to }).then(
        () => true,
        () => false,
      );
    for (let round = 0; round < 20; round += 1) {
      const [a, b, to] = [`a${round}`, `b${round}`, `to${round}`];
      for (const name of [a, b]) {
        await bench.call('workspace_write', { path: `${name}/x.md`, content: name });
        await bench.call('workspace_write', { path: `${name}/folder/y.md`, content: name });
      }
      const files = await Promise.all([a, b].map((one) => move(`${one}/x.md`, `${to}/`)));
      const folders = await Promise.all([a, b].map((one) => move(`${one}/folder`, `${to}/`)));
      expect([...files, ...folders].filter(Boolean)).toHaveLength(2);
      const left = await Promise.all([a, b].map((one) => readdir(inWorkspace(one))));
      expect(left.flat().sort()).toEqual(['folder', 'x.md']);
    }
  });

  it('says what is missing and creates no folder for it', async () => {
    const error = await bench.fail('workspace_move', { from: 'gone.txt', to: 'x/y.txt' });
    expect(error.message).toMatch(/There is no gone\.txt in the workspace/);
    expect(await readdir(bench.workspace)).toEqual([]);
  });
});

describe('workspace_delete', () => {
  it('says that a file is missing', async () => {
    const error = await bench.fail('workspace_delete', { path: 'archive/old.md' });
    expect(error).toMatchObject({ code: 'tool_failed' });
    expect(error.message).toMatch(/There is no archive\/old\.md in the workspace/);
  });

  it('deletes a folder with things in it only when asked', async () => {
    await bench.call('workspace_write', { path: 'a/b.txt', content: '' });
    expect((await bench.fail('workspace_delete', { path: 'a' })).message).toMatch(/recursive/);
    await bench.call('workspace_delete', { path: 'a', recursive: true });
    expect(await readdir(bench.workspace)).toEqual([]);
  });

  it('never deletes the workspace itself', async () => {
    for (const path of ['.', 'a/..', './'])
      expect((await bench.fail('workspace_delete', { path, recursive: true })).code).toBe(
        'invalid_arguments',
      );
  });
});

describe('a file that is not UTF-8', () => {
  it.each([
    ['windows-1252', Buffer.from('Gr\u00fc\u00dfe\r\n', 'latin1'), 'Grüße\r\n'],
    ['UTF-16 with a mark', Buffer.from('\ufeffGrüße\r\n', 'utf16le'), 'Grüße\r\n'],
    ['UTF-8 with a mark', Buffer.from('\ufeffGrüße'), 'Grüße'],
  ])('in %s is read, and written back in the same encoding', async (_, bytes, text) => {
    await writeFile(inWorkspace('a.txt'), bytes);
    expect(await bench.data('workspace_read', { path: 'a.txt' })).toMatchObject({ text });
    await bench.call('workspace_write', { path: 'a.txt', content: `${text}ö` });
    const written = await readFile(inWorkspace('a.txt'));
    expect(written.subarray(0, bytes.length)).toEqual(bytes);
    await bench.call('workspace_write', { path: 'a.txt', content: text });
    expect(await readFile(inWorkspace('a.txt'))).toEqual(bytes);
  });

  it('keeps what it has when the text is not possible in its encoding', async () => {
    await writeFile(inWorkspace('a.txt'), Buffer.from('Gr\u00fc\u00dfe', 'latin1'));
    const error = await bench.fail('workspace_write', { path: 'a.txt', content: 'a → b' });
    expect(error.code).toBe('tool_failed');
    expect(await readFile(inWorkspace('a.txt'))).toEqual(Buffer.from('Gr\u00fc\u00dfe', 'latin1'));
  });
});

const Page = z.object({
  entries: z.array(z.object({ path: z.string() })),
  next: z.string().default(''),
  truncated: z.boolean(),
});

describe('workspace_read and workspace_list', () => {
  it('say when a file is not text, and cut a long one with a mark', async () => {
    await mkdir(bench.workspace, { recursive: true });
    await writeFile(inWorkspace('image.bin'), Buffer.from([1, 0, 255]));
    await writeFile(inWorkspace('long.txt'), 'é'.repeat(100));
    expect(await bench.data('workspace_read', { path: 'image.bin' })).toEqual({
      path: 'image.bin',
      size: 3,
      binary: true,
    });
    expect(await bench.data('workspace_read', { path: 'long.txt', max_bytes: 7 })).toMatchObject({
      text: 'ééé',
      size: 200,
      truncated: true,
    });
  });

  it('list a folder of any size page by page, each entry once and in one order', async () => {
    for (const folder of ['a', 'a/b', 'c']) await mkdir(inWorkspace(folder), { recursive: true });
    const names = Array.from(
      { length: 5203 },
      (_, at) => `a/${at % 2 === 0 ? 'b/' : ''}f${at}.txt`,
    );
    await Promise.all(
      [...names, 'c/.hidden', 'a.txt'].map((name) => writeFile(inWorkspace(name), '')),
    );
    const found: string[] = [];
    for (let after: string | undefined; after !== ''; ) {
      const args = after === undefined ? { recursive: true } : { recursive: true, after };
      const page = await bench.data('workspace_list', args);
      const { entries, next, truncated } = Page.parse(page);
      expect(truncated).toBe(next !== '');
      found.push(...entries.map(({ path }) => path));
      after = next;
    }
    expect(new Set(found).size).toBe(found.length);
    expect(found.toSorted()).toEqual([...names, 'a', 'a/b', 'c', 'c/.hidden', 'a.txt'].toSorted());
  });

  it('list files with their sizes, folders, and links without following them', async () => {
    await bench.call('workspace_write', { path: 'b/c.txt', content: '123' });
    await symlink(outside, inWorkspace('a'));
    const { entries } = await bench.data('workspace_list', { recursive: true });
    expect(entries).toEqual([
      { path: 'a', name: 'a', kind: 'link', size: 0 },
      { path: 'b', name: 'b', kind: 'folder', size: 0 },
      { path: 'b/c.txt', name: 'c.txt', kind: 'file', size: 3 },
    ]);
    expect((await bench.call('workspace_list', { path: 'b' })).summary).toBe('In b: b/c.txt.');
    const write = (name: string) => writeFile(inWorkspace(`b/${name}`), '');
    await Promise.all(['d', 'e', 'f', 'g', 'h'].map(write));
    expect((await bench.call('workspace_list', { path: 'b' })).summary).toMatch(/ and 1 other\.$/);
  });
});
