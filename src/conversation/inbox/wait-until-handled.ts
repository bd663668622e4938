// Waiting for what becomes of a stored event, in whatever process it is handled: for platforms that want the outcome of a press
// as the answer to their request.
import { setTimeout as pause } from 'node:timers/promises';
import { type EventOutcome, readEventOutcome } from '#store/inbox.ts';
import type { InboxContext } from './inbox-context.ts';

/** Milliseconds between two looks: the first is soon, since most presses are handled at once. */
const looks = { first: 20, growth: 1.3, longest: 250 };

/** @returns `open` when the time is over before */
export type WaitUntilHandled = (id: number, withinMs: number) => Promise<EventOutcome>;

export function createWaiter({ db }: Pick<InboxContext, 'db'>): WaitUntilHandled {
  return async (id, withinMs) => {
    const end = performance.now() + withinMs;
    for (let ms = looks.first; ; ms = Math.min(ms * looks.growth, looks.longest)) {
      const outcome = await readEventOutcome(db.query, id);
      const left = end - performance.now();
      if (outcome.state !== 'open' || left <= 0) return outcome;
      await pause(Math.min(ms, left));
    }
  };
}
