// Waking who waits for what was stored: at once, and then with one word for all that is stored in a moment.
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two words. */
const restMs = 20;
const usualRest = () => pause(restMs, undefined, { ref: false });

/**
 * A function that has `wake` called soon, after whatever happened before it was called.
 * @param wake a word that is lost is made up for: those who wait also look from time to time
 * @param rest what is between two words
 */
export function createWaker(
  wake: () => Promise<unknown>,
  rest: () => Promise<unknown> = usualRest,
): () => void {
  let asked = false;
  let waking = false;

  async function wakeOnAndOn(): Promise<void> {
    waking = true;
    while (asked) {
      asked = false;
      await wake().catch(() => undefined);
      await rest();
    }
    waking = false;
  }

  return () => {
    asked = true;
    if (!waking) void wakeOnAndOn();
  };
}
