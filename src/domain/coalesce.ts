// Shares runs of a task among concurrent callers.

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
    // Its callers get the error; the next run starts anyway.
    last = run.catch(() => undefined);
    return run;
  };
}
