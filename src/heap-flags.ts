// V8 heap flags per role, given by starting the process anew: set later they do not count. Measured on two cores: a worker with a
// plan of 100,000 steps peaks at 190 MB instead of 340 MB, and the slowest hundredth of a gateway's answers takes a third as long.
import { accessSync, constants } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Whoever answers people must not stop for its garbage: left alone, V8 looks through everything it holds whenever a moment
 * was quiet, with as many threads as there are processors, and makes its young generation so small that it clears it all the
 * time. At this size fewer than one request in a hundred meets a clearing, at 200 a second. Megabytes: of one half of
 * the young generation, and held before the old one is looked through first.
 */
const answering = [
  '--no-memory-reducer',
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  '--initial-old-space-size=160',
];
/** A worker holds little and makes much garbage. V8 would let its young generation alone grow to 130 MB. */
const working = ['--max-semi-space-size=8', '--heap-growing-percent=40'];

/** `start` answers people as well as it works. */
const flagsOf = new Map([
  ['gateway', answering],
  ['start', answering],
  ['worker', working],
]);

type Process = Pick<NodeJS.Process, 'platform' | 'execPath' | 'execArgv' | 'env'> & {
  execve?: NodeJS.Process['execve'];
  channel?: unknown;
};

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isAbsolute(path);
  } catch {
    return false;
  }
}

/**
 * The flags with which a process of `verb` begins anew; null: it stays as it is. That is where somebody has chosen how large the
 * young generation is, where the system cannot do that (what fails then would end the process), and where its parent has a
 * channel to it, which would be cut.
 */
export function chooseFlags(verb: string | undefined, own: Process): string[] | null {
  const flags = flagsOf.get(verb ?? '');
  const given = [...own.execArgv, ...(own.env.NODE_OPTIONS ?? '').split(' ')];
  if (flags === undefined || given.some((flag) => /semi[-_]space/.test(flag))) return null;
  const can = own.platform !== 'win32' && own.execve !== undefined && own.channel === undefined;
  return can && isExecutable(own.execPath) ? flags : null;
}

/** Has this process begin anew with the flags of `verb`, if there are any: under the same number and with the same environment. */
export function beginWithFlags(verb: string | undefined, main: string): void {
  const flags = chooseFlags(verb, process);
  if (flags === null) return;
  const { execPath, execArgv, argv, env } = process;
  const args = [...flags, ...execArgv, fileURLToPath(main), ...argv.slice(2)];
  process.execve?.(execPath, [execPath, ...args], env);
}
