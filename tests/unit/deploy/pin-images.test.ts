import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const run = promisify(execFile);
const files = ['Dockerfile', 'compose.yaml'];
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pin-images-'));
  for (const file of files) await copyFile(file, join(folder, file));
});
afterEach(() => rm(folder, { recursive: true }));

const read = () => Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));

async function pin(digest: string): Promise<void> {
  const docker = join(folder, 'docker');
  await writeFile(docker, `#!/bin/sh\necho '${digest}'\n`);
  await chmod(docker, 0o755);
  await run('sh', ['deploy/pin-images', folder], {
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
  });
}

it('pins each base image, renews the digests, and changes nothing else', async () => {
  const before = await read();
  for (const letter of ['a', 'b']) {
    const digest = `sha256:${letter.repeat(64)}`;
    await pin(digest);
    const after = await read();
    expect(after.join('').split(digest).length - 1).toBe(3);
    expect(after.map((text) => text.replaceAll(`@${digest}`, ''))).toEqual(before);
  }
});

it.each(['', 'sha256:', 'unauthorized'])(
  'leaves the files where the registry says “%s”',
  async (output) => {
    const before = await read();
    await expect(pin(output)).rejects.toThrow();
    expect(await read()).toEqual(before);
  },
);
