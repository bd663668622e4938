// The npm package as published, in a temporary folder.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { node, root } from './process.ts';

/** @param linked resolve this project's dependencies as if installed */
export function usePackage(linked: boolean): { readonly folder: string; readonly command: string } {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-package-'));
    await promisify(execFile)(node, [join(root, 'scripts', 'build.ts'), folder]);
    if (linked) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    get folder() {
      return folder;
    },
    get command() {
      return join(folder, 'bin', 'countersign.mjs');
    },
  };
}
