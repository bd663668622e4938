// How V8 keeps house in a process of each kind. What it is told counts from the start only.
import { fileURLToPath } from 'node:url';

/**
 * Whoever answers people must not stop for its garbage: left alone, V8 looks through everything it holds whenever a moment
 * was quiet, which takes both processors for a twentieth of a second, and makes its young generation so small that it
 * clears it all the time. Megabytes: of one half of the young generation, and held before the old one is looked through first.
 */
const answering = [
  '--no-memory-reducer',
  '--min-semi-space-size=4',
  '--max-semi-space-size=4',
  '--initial-old-space-size=160',
];
/** A worker holds little and makes much garbage. V8 would let its young generation alone grow to 130 MB. */
const working = ['--max-semi-space-size=8', '--heap-growing-percent=40'];

const flagsOf: Record<string, string[]> = { gateway: answering, start: answering, worker: working };

/**
 * Has this process begin anew with the flags of `verb`, if there are any: under the same number and with the same
 * environment. Where the system cannot do that, or somebody has chosen, everything stays as it is.
 */
export function beginWithFlags(verb: string | undefined, main: string): void {
  const flags = flagsOf[verb ?? ''];
  const { execArgv, env } = process;
  const chosen = [...execArgv, env.NODE_OPTIONS ?? ''].some((flag) => flag.includes('semi-space'));
  if (flags === undefined || chosen) return;
  if (process.platform === 'win32' || process.execve === undefined) return;
  const args = [...flags, ...execArgv, fileURLToPath(main), ...process.argv.slice(2)];
  process.execve(process.execPath, [process.execPath, ...args], env);
}
