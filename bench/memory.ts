// The most memory a process has held. Linux keeps that; elsewhere `ps` says what is held now.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const kilobytesPerMegabyte = 1000 / 1.024;

function toMegabytes(kilobytes: string | undefined): number | null {
  return kilobytes === undefined ? null : Number(kilobytes) / kilobytesPerMegabyte;
}

/** Megabytes; null when the process is gone or the system does not tell. */
export async function readPeakMemory(pid: number): Promise<number | null> {
  try {
    if (process.platform === 'linux') {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return toMegabytes(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return toMegabytes(/\d+/.exec(stdout)?.[0]);
  } catch {
    // No such process any more, or no such program: the report says that memory is not known.
    return null;
  }
}

/** Has the peak counted anew from now on, so that what the start took does not count. Elsewhere than on Linux it is never kept. */
export async function forgetPeakMemory(pid: number): Promise<void> {
  if (process.platform === 'linux') await writeFile(`/proc/${pid}/clear_refs`, '5');
}
