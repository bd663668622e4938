// Events that were refused because the database was away, kept in memory and stored as soon as it answers. Slack sends a refused
// event again after one minute and after five; if this process dies first, that is when it comes.
import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from '#db/transient.ts';
import type { ReceivedEvent } from '#domain/chat/inbox.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Receive } from './receive.ts';

const tryEveryMs = 1000;
/** The last time that Slack sends an event is six minutes after the first. */
const keepForMs = 360_000;
const maxKept = 1000;
const maxBytes = 16 * 1024 * 1024;

let held = 0;

/** How many events this process keeps until they can be stored. */
export const countKeptEvents = (): number => held;

const passes = (error: unknown) =>
  isTransient(error) || (error instanceof CountersignError && error.passesAfterMs !== null);

/**
 * A receiver that refuses as `receive` does, and goes on trying to store what it has refused.
 * @param ended aborted: nothing is tried any more
 */
export function keepRefused(
  receive: Receive,
  ended: AbortSignal,
  { everyMs = tryEveryMs }: { everyMs?: number } = {},
): Receive {
  /** By their first names: the same event may be refused again. */
  const kept = new Map<string, number>();
  let bytes = 0;

  async function storeLater(event: ReceivedEvent): Promise<void> {
    const until = performance.now() + keepForMs;
    while (performance.now() < until) {
      await pause(everyMs, undefined, { signal: ended, ref: false });
      try {
        await receive(event);
        return;
      } catch (error) {
        if (!passes(error)) return;
      }
    }
  }

  function keep(event: ReceivedEvent): void {
    const name = JSON.stringify([event.platform, event.tenant, event.keys[0]]);
    const size = event.body.byteLength;
    if (ended.aborted || kept.has(name) || kept.size >= maxKept || bytes + size > maxBytes) return;
    kept.set(name, size);
    bytes += size;
    held += 1;
    // The refusal was reported; here only the end of the process interrupts.
    void storeLater(event)
      .catch(() => {})
      .finally(() => {
        kept.delete(name);
        bytes -= size;
        held -= 1;
      });
  }

  return async (event) => {
    try {
      return await receive(event);
    } catch (error) {
      if (passes(error)) keep(event);
      throw error;
    }
  };
}
