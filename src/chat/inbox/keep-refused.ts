// Keeps refused events until the database answers.
import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from '#db/transient.ts';
import type { ReceivedEvent } from '#domain/chat/inbox.ts';
import { CountersignError } from '#domain/errors.ts';
import type { First, Receive } from './receive.ts';

const tryEveryMs = 1000;
/** Slack's last retry comes after six minutes. */
const keepForMs = 360_000;
const maxKept = 1000;
const maxBytes = 16 * 1024 * 1024;

let held = 0;

export const countKeptEvents = (): number => held;

const passes = (error: unknown) =>
  isTransient(error) || (error instanceof CountersignError && error.passesAfterMs !== null);

/** Refuses like `receive`, but keeps trying. @param ended stops all attempts */
export function keepRefused(
  receive: Receive,
  ended: AbortSignal,
  { everyMs = tryEveryMs }: { everyMs?: number } = {},
): Receive {
  /** By first name. */
  const kept = new Map<string, number>();
  let bytes = 0;

  async function storeLater(event: ReceivedEvent, first: First | undefined): Promise<void> {
    const until = performance.now() + keepForMs;
    while (performance.now() < until) {
      await pause(everyMs, undefined, { signal: ended, ref: false });
      try {
        await receive(event, first);
        return;
      } catch (error) {
        if (!passes(error)) return;
      }
    }
  }

  function keep(event: ReceivedEvent, first: First | undefined): void {
    const name = JSON.stringify([event.platform, event.tenant, event.keys[0]]);
    const size = event.body.byteLength;
    if (ended.aborted || kept.has(name) || kept.size >= maxKept || bytes + size > maxBytes) return;
    kept.set(name, size);
    bytes += size;
    held += 1;
    // Already reported.
    void storeLater(event, first)
      .catch(() => {})
      .finally(() => {
        kept.delete(name);
        bytes -= size;
        held -= 1;
      });
  }

  return async (event, first) => {
    try {
      return await receive(event, first);
    } catch (error) {
      if (passes(error)) keep(event, first);
      throw error;
    }
  };
}
