// Finds the server of a data folder from postmaster.pid.
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Lines 1, 4 and 8 of postmaster.pid. */
export type Postmaster = { pid: number; port: number; status: string };

function parsePidFile(text: string): Postmaster | null {
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3] ?? 0), status: (lines[7] ?? '').trim() };
}

export async function readPostmaster(data: string): Promise<Postmaster | null> {
  try {
    return parsePidFile(await readFile(join(data, 'postmaster.pid'), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Linux: a server's processes work in its data folder, even a killed server's last children. */
async function findInProc(folder: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const serves = async (pid: string): Promise<boolean> => {
    try {
      if ((await readFile(`/proc/${pid}/comm`, 'utf8')).trim() !== 'postgres') return false;
      return (await readlink(`/proc/${pid}/cwd`)) === folder;
    } catch {
      return false;
    }
  };
  return (await Promise.all(pids.map(serves))).includes(true);
}

/** Detects a reused PID: by working folder on Linux, elsewhere by command line. Windows checks only that it lives. */
export async function isServed(data: string, pid: number): Promise<boolean> {
  const folder = await realpath(data);
  if (process.platform === 'linux') return await findInProc(folder);
  if (!isAlive(pid) || process.platform === 'win32') return isAlive(pid);
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]);
    return stdout.includes(folder) || stdout.includes(data);
  } catch (error) {
    if (isAlive(pid)) throw error;
    return false;
  }
}
