// A wait with an end, for what has no time-out of its own.

/** What `work` comes to, or what `late` says after `ms`; then nobody waits for it any more. */
export async function finishWithin<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(late()), ms);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
