// Waits for the signal that stops a long-running process, and makes sure that it stops.
import { warn } from '../print.ts';

/** Milliseconds between looks whether `npm`, or the launcher, is still there. */
const orphanCheckMs = 1000;

/**
 * Aborts at SIGINT or SIGTERM. A script that npm runs stands behind a shell that does not hand signals on; there the
 * loss of that shell counts as one, as does the loss of the launcher (bin/countersign.mjs) that was killed.
 */
export function untilSignal(): AbortSignal {
  const abort = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => abort.abort(name));
  }
  const { npm_lifecycle_event: script, COUNTERSIGN_LAUNCHER: launcher } = process.env;
  if ((script ?? launcher) !== undefined) {
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      abort.abort('orphaned');
    }, orphanCheckMs).unref();
  }
  return abort.signal;
}

/** Milliseconds after which a process that was told to end does so, even while a database or a call hangs. */
const endWithinMs = 18_000;

/** What is cut off here is found again as after a crash. */
export function endInTimeAfter(signal: AbortSignal): void {
  signal.addEventListener('abort', () => {
    setTimeout(() => {
      if (process.exitCode === undefined)
        warn(
          `countersign: ${endWithinMs / 1000} s after it was told to end, something still hung; it ends now. What was under way is taken up again.`,
        );
      process.exit(process.exitCode ?? 1);
    }, endWithinMs).unref();
  });
}

/** Milliseconds that sockets which are closed already have to go; nobody waits longer for one whose other end is silent. */
const socketsEndWithinMs = 1000;

/** Resolves once the reader of a pipe has taken what was printed; a closed pipe is not waited for. */
function untilRead(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0 || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** Everything is closed: the process ends by itself, or, once its output is read, without what still hangs. */
export function endSoon(): void {
  void Promise.all([process.stdout, process.stderr].map(untilRead)).then(() =>
    setTimeout(() => process.exit(), socketsEndWithinMs).unref(),
  );
}
