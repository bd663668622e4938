// A worker holds little and makes much garbage. V8 would let its young generation alone grow to 130 MB.
import { fileURLToPath } from 'node:url';

/** Megabytes of one half of the young generation, and how much the old one may grow before it is looked through again. */
const flags = ['--max-semi-space-size=8', '--heap-growing-percent=40'];

/**
 * Has this process begin anew with flags that keep its heap small: they count from the start only. Under the same number
 * and with the same environment; where the system cannot do that, or somebody has chosen, everything stays as it is.
 */
export function keepHeapSmall(main: string): void {
  const { execArgv, env } = process;
  const chosen = [...execArgv, env.NODE_OPTIONS ?? ''].some((flag) => flag.includes('semi-space'));
  if (chosen || process.platform === 'win32' || process.execve === undefined) return;
  const args = [...flags, ...execArgv, fileURLToPath(main), ...process.argv.slice(2)];
  process.execve(process.execPath, [process.execPath, ...args], env);
}
