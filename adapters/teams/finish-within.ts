// A time limit for work without its own.

/** The result of `work`, or the error of `late` after `ms`, when it is no longer awaited. */
export async function finishWithin<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(late()), ms);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
