// Finds the server of a data folder: reads postmaster.pid and asks the system about its process.
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The contents of postmaster.pid (lines 1, 4 and 8 of PostgreSQL's format). */
export type Postmaster = { pid: number; port: number; status: string };

function parsePidFile(text: string): Postmaster | null {
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3] ?? 0), status: (lines[7] ?? '').trim() };
}

/** Reads `data`/postmaster.pid; null when there is none (or it is not written yet). */
export async function readPostmaster(data: string): Promise<Postmaster | null> {
  try {
    return parsePidFile(await readFile(join(data, 'postmaster.pid'), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Whether any process has this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** On Linux every process of a server works in its data folder, so even a killed server's last children show. */
async function findInProc(folder: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const serves = async (pid: string): Promise<boolean> => {
    try {
      if ((await readFile(`/proc/${pid}/comm`, 'utf8')).trim() !== 'postgres') return false;
      return (await readlink(`/proc/${pid}/cwd`)) === folder;
    } catch {
      return false; // It ended meanwhile, or belongs to another user: not ours either way.
    }
  };
  return (await Promise.all(pids.map(serves))).includes(true);
}

/**
 * Whether a PostgreSQL serves `data`, so that process `pid` of its postmaster.pid is no stranger that was
 * given an old process id. Elsewhere than on Linux the process's command line tells; on Windows, that it lives.
 */
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
