// Waits for database notifications of a topic without relying on them: polling continues in any case.
import type { Listener, Topic } from '#db/notify.ts';

export type TopicNews = {
  /** Resolves with the next notification, including an earlier unread one, after `everyMs`, or when `signal` aborts. */
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
