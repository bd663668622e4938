// When a process that keeps running is told to end.

/** Milliseconds between looks whether `npm` is still there. */
const orphanCheckMs = 1000;

/**
 * Aborts at SIGINT or SIGTERM. A script that npm runs stands behind a shell that does not hand signals on; there the
 * loss of that shell counts as one.
 */
export function untilSignal(): AbortSignal {
  const abort = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => abort.abort(name));
  }
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      abort.abort('orphaned');
    }, orphanCheckMs).unref();
  }
  return abort.signal;
}
