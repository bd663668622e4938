// V8 heap flags per role. V8 reads them only at its start, so the process starts itself anew with them. On two cores a worker peaks at
// 180 MB instead of 290 MB with a plan of 30,000 steps, at 190 MB instead of 340 MB with 100,000; the slowest hundredth of a gateway's
// answers takes a third as long.
import { accessSync, constants } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A process that answers people must not stop to collect garbage. By default V8 collects everything whenever it was idle for a moment,
 * and keeps its young generation so small that it collects that all the time. With these sizes fewer than one request in a hundred
 * meets a collection, at 200 a second. Megabytes: half of the young generation, and of the old one before its first collection.
 */
const answering = [
  '--no-memory-reducer',
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  '--initial-old-space-size=160',
];
/** A worker holds little and makes much garbage; V8 would let its young generation alone grow to 130 MB. */
const working = ['--max-semi-space-size=8', '--heap-growing-percent=40'];

/** `start` answers people and works. */
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
 * The flags to restart a process of `verb` with; null: it stays as it is, because the operator has set the size of the young
 * generation, because the system cannot restart in place (a failing attempt would end the process), or because its parent has an IPC
 * channel to it, which a restart would cut.
 */
export function chooseFlags(verb: string | undefined, own: Process): string[] | null {
  const flags = flagsOf.get(verb ?? '');
  const given = [...own.execArgv, ...(own.env.NODE_OPTIONS ?? '').split(' ')];
  if (flags === undefined || given.some((flag) => /semi[-_]space/.test(flag))) return null;
  const can = own.platform !== 'win32' && own.execve !== undefined && own.channel === undefined;
  return can && isExecutable(own.execPath) ? flags : null;
}

/** Restarts this process in place with the flags of `verb`, if there are any: same process id, same environment. */
export function beginWithFlags(verb: string | undefined, main: string): void {
  const flags = chooseFlags(verb, process);
  if (flags === null) return;
  const { execPath, execArgv, argv, env } = process;
  const args = [...flags, ...execArgv, fileURLToPath(main), ...argv.slice(2)];
  process.execve?.(execPath, [execPath, ...args], env);
}
