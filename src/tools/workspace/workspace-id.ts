// Tells whether two processes work in the same folder: a random id in a file of it, written once by whichever comes first.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CountersignError } from '#domain/errors.ts';
import { systemCode } from '../failures.ts';
import { reservedFolder } from './paths.ts';

const tries = 100;
const pauseMs = 20;

/** The id of a workspace folder, which is given one where it has none. */
export async function readWorkspaceId(folder: string): Promise<string> {
  const own = join(folder, reservedFolder);
  const path = join(own, 'workspace-id');
  await mkdir(own, { recursive: true });
  try {
    const id = randomUUID();
    await writeFile(path, `${id}\n`, { flag: 'wx', flush: true });
    return id;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  // Another process may be about to write what it has just made.
  for (let left = tries; left > 0; left -= 1) {
    const id = (await readFile(path, 'utf8')).trim();
    if (id !== '') return id;
    await pause(pauseMs);
  }
  throw new CountersignError(
    'invalid_configuration',
    `${path} is empty. Delete it, and start again.`,
  );
}
