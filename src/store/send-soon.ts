// Sending what nobody waits for: at once where it is quiet, and then together with all that comes in a moment.
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two sendings, and after one that failed. */
const restMs = 50;
const failedRestMs = 1000;
/** What cannot be sent for so long that more than this waits is left to whoever finds it again. */
const keptAtMost = 10_000;

export type Sender<T> = {
  /** Has `items` sent soon. Of two with one key the first is sent. */
  add(items: T[]): void;
  /** Sends what still waits, once, and nothing after that. Resolves when nothing is under way. */
  close(): Promise<void>;
};

/**
 * @param send sends some, in the order of their keys; what fails is tried again with what comes next
 * @param onError is told when sending fails, and not again until it succeeded
 */
export function createSender<T>(
  {
    keyOf,
    send,
    onError,
  }: {
    keyOf(item: T): string;
    send(items: T[]): Promise<unknown>;
    onError(error: unknown): void;
  },
  rest: (ms: number) => Promise<unknown> = (ms) => pause(ms, undefined, { ref: false }),
): Sender<T> {
  let waiting = new Map<string, T>();
  let sending: Promise<void> | null = null;
  let resting = false;
  let failed = false;
  let closed = false;

  function keep(key: string, item: T): void {
    if (!waiting.has(key) && waiting.size < keptAtMost) waiting.set(key, item);
  }

  async function sendOnce(): Promise<void> {
    const now = waiting;
    waiting = new Map();
    const items = [...now].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
    try {
      await send(items);
      failed = false;
    } catch (error) {
      for (const [key, item] of now) keep(key, item);
      if (!failed) onError(error);
      failed = true;
    }
  }

  async function sendOnAndOn(): Promise<void> {
    resting = true;
    while (waiting.size > 0 && !closed) {
      sending = sendOnce();
      await sending;
      sending = null;
      await rest(failed ? failedRestMs : restMs);
    }
    resting = false;
  }

  return {
    add(items) {
      if (closed) return;
      for (const item of items) keep(keyOf(item), item);
      if (waiting.size > 0 && !resting) void sendOnAndOn();
    },
    async close() {
      closed = true;
      await sending;
      if (waiting.size === 0) return;
      sending = sendOnce();
      await sending;
    },
  };
}
