// Stages a backup's files, to be moved into place after the database.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { TarEntry } from './tar.ts';

const stageName = '.restoring';

/** @param folders destinations by the first part of a file's name; other files are left out */
export function stageFiles(folders: Record<string, string>) {
  const staged: { from: string; to: string }[] = [];

  async function drop(): Promise<void> {
    for (const folder of Object.values(folders))
      await rm(join(folder, stageName), { recursive: true, force: true });
  }

  return {
    /** Also those of a restore that died. */
    drop,
    /** @returns false if the name leads out of its folder */
    async write({ name, content }: TarEntry): Promise<boolean> {
      const [first = '', ...rest] = name.split('/');
      const folder = folders[first];
      if (folder === undefined) return true;
      const to = resolve(folder, ...rest);
      const inside = relative(folder, to);
      if (inside.split(sep)[0] === '..') return false;
      const from = join(folder, stageName, inside);
      await mkdir(dirname(from), { recursive: true, mode: 0o700 });
      await writeFile(from, content, { mode: 0o600 });
      staged.push({ from, to });
      return true;
    },
    /** @throws `invalid_configuration` if a file can't be moved; the rest stays staged */
    async place(): Promise<void> {
      for (const { from, to } of staged)
        try {
          await mkdir(dirname(to), { recursive: true, mode: 0o700 });
          await rename(from, to);
        } catch (error) {
          throw new CountersignError(
            'invalid_configuration',
            `The database is restored, but ${to} could not be put in place (${errorMessage(error)}). Move it from ${from}, with whatever else is in the folder ${stageName} there.`,
            { cause: error },
          );
        }
      await drop();
    },
  };
}
