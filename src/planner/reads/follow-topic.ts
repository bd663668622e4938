// Waits for database notifications, with polling as the fallback.
import type { Listener, Topic } from '#db/notify.ts';

export type TopicNews = {
  /** Resolves on a notification (even an earlier unread one), after `everyMs`, or on abort. */
  next(signal: AbortSignal): Promise<void>;
  close(): void;
};

export function followTopic(
  listener: Pick<Listener, 'on'>,
  topic: Topic,
  everyMs: number,
): TopicNews {
  let isNews = false;
  let wake = () => {};
  const off = listener.on(topic, () => {
    isNews = true;
    wake();
  });
  return {
    async next(signal) {
      if (!isNews && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, everyMs);
        signal.addEventListener('abort', () => resolve(), { once: true });
        await promise;
        clearTimeout(timer);
      }
      isNews = false;
    },
    close: off,
  };
}
