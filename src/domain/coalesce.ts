// Shares runs of a task among concurrent callers.

/** Each caller gets a run that began after its call. */
export function coalesce<T>(task: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    if (next !== null) return next;
    const run = last.then(() => {
      next = null;
      return task();
    });
    next = run;
    // The next run starts anyway.
    last = run.catch(() => undefined);
    return run;
  };
}
