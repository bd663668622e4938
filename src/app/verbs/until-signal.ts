// Waits for the stop signal, and enforces the end.
import { warn } from '../print.ts';

/** Between checks for `npm` or the launcher. */
const orphanCheckMs = 1000;

/** npm's shell forwards no signals, so its end counts too, or that of the launcher (bin/countersign.mjs). */
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

/** Ends the process even if something hangs. */
const endWithinMs = 18_000;

/** Recovery handles the rest, as after a crash. */
export function endInTimeAfter(signal: AbortSignal): void {
  signal.addEventListener('abort', () => {
    setTimeout(() => {
      if (process.exitCode === undefined)
        warn(
          `countersign: ${endWithinMs / 1000} s after the signal, something is still running; exiting. Unfinished work will be resumed.`,
        );
      process.exit(process.exitCode ?? 1);
    }, endWithinMs).unref();
  });
}

/** For sockets whose other end is silent. */
const socketsEndWithinMs = 1000;

/** Resolves too if the reader is gone. */
function untilRead(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0 || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** Once the output is read, even if something hangs. */
export function endSoon(): void {
  void Promise.all([process.stdout, process.stderr].map(untilRead)).then(() =>
    setTimeout(() => process.exit(), socketsEndWithinMs).unref(),
  );
}
