// Runs a task less often than it is asked for. Runs never overlap.

export type Throttled = { request(): void; stop(): void };

/** Runs `task` now, and at most once in `interval` ms after that; calls in between become one more run at the end. */
export function createThrottle(task: () => Promise<void>, interval: number): Throttled {
  let wanted = false;
  let busy = false;
  let stopped = false;

  const run = async () => {
    busy = true;
    while (wanted && !stopped) {
      wanted = false;
      await task();
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
    busy = false;
  };

  return {
    request() {
      wanted = true;
      if (!busy && !stopped) void run();
    },
    stop() {
      stopped = true;
    },
  };
}

/** Runs `task` once for all who ask while it runs: each caller is answered by a run that began after its call. */
export function coalesce<T>(task: () => Promise<T>): () => Promise<T> {
  /** The run that was asked for and has not begun. */
  let next: Promise<T> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    if (next !== null) return next;
    const run = last.then(() => {
      next = null;
      return task();
    });
    next = run;
    // Those who asked for it are told; the run after it begins all the same.
    last = run.catch(() => undefined);
    return run;
  };
}
