import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '#app/config.ts';
import { secureHome } from '#app/home.ts';

const asRoot = process.getuid?.() === 0;
const homeMode = asRoot ? 0o711 : 0o700;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-home-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (path: string) => (await stat(join(folder, path))).mode & 0o7777;
const secure = (variables: Record<string, string> = {}) =>
  secureHome(loadConfig({ COUNTERSIGN_HOME: 'a/home', ...variables }, folder));

describe('the home folder', () => {
  it('is made for its owner alone; what is in it too', async () => {
    secure();
    expect(await modeOf('a/home')).toBe(homeMode);
    expect(await modeOf('a/home/logs')).toBe(0o700);
    expect(await modeOf('a/home/workspace')).toBe(0o700);
    expect((await modeOf('a')) & 0o055).toBe(0o055 & ~process.umask());
  });

  it('that others could read is closed to them, and one that is closed further stays so', async () => {
    await mkdir(join(folder, 'a/home/workspace'), { recursive: true });
    await chmod(join(folder, 'a/home'), 0o755);
    await chmod(join(folder, 'a/home/workspace'), 0o777);
    secure();
    expect(await modeOf('a/home')).toBe(homeMode);
    expect(await modeOf('a/home/workspace')).toBe(0o700);
    await chmod(join(folder, 'a/home'), 0o700);
    secure();
    expect(await modeOf('a/home')).toBe(0o700);
  });

  it('has a table to try things with in a new workspace, unless a database was set up', async () => {
    secure();
    const table = join(folder, 'a/home/workspace/orders.csv');
    expect(await readFile(table, 'utf8')).toMatch(/^id,name,/);
    await rm(table);
    secure();
    secure({ COUNTERSIGN_HOME: 'other', DATABASE_URL: 'postgres://db' });
    expect(existsSync(table) || existsSync(join(folder, 'other/workspace/orders.csv'))).toBe(false);
  });

  it('leaves a workspace of the operator’s own and a folder like /tmp as they are', async () => {
    await mkdir(join(folder, 'shared'));
    await chmod(join(folder, 'shared'), 0o775);
    await mkdir(join(folder, 'tmp'));
    await chmod(join(folder, 'tmp'), 0o1777);
    secure({ COUNTERSIGN_WORKSPACE: 'shared', COUNTERSIGN_HOME: 'tmp' });
    expect(await modeOf('shared')).toBe(0o775);
    expect(await modeOf('tmp')).toBe(0o1777);
  });
});
