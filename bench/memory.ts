// A process's peak memory; outside Linux the current one.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const kilobytesPerMegabyte = 1000 / 1.024;

function toMegabytes(kilobytes: string | undefined): number | null {
  return kilobytes === undefined ? null : Number(kilobytes) / kilobytesPerMegabyte;
}

/** Megabytes; null if unknown. */
export async function readPeakMemory(pid: number): Promise<number | null> {
  try {
    if (process.platform === 'linux') {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return toMegabytes(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return toMegabytes(/\d+/.exec(stdout)?.[0]);
  } catch {
    // The report omits memory.
    return null;
  }
}

/** Excludes the start. Linux only. */
export async function forgetPeakMemory(pid: number): Promise<void> {
  if (process.platform === 'linux') await writeFile(`/proc/${pid}/clear_refs`, '5');
}
