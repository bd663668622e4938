// Waits for the outcome of events, for HTTP responses.
import { type EventOutcome, noteReplyRead, readEventOutcomes } from '#db/chat/inbox.ts';
import type { InboxContext } from './inbox-context.ts';

/** Most presses are handled at once. */
const looks = { first: 20, growth: 1.3, longest: 250 };
/** Per process. */
const maxWaiters = 200;

export type WaitUntilHandled = {
  /** @returns `open` on timeout, or if too many wait */
  outcome(id: number, withinMs: number): Promise<EventOutcome>;
  /** Unread events are handled again. */
  noteRead(id: number): Promise<void>;
};

type Waiter = PromiseWithResolvers<EventOutcome> & { id: number; end: number };

export function createWaiter({ db }: Pick<InboxContext, 'db'>): WaitUntilHandled {
  const waiters = new Set<Waiter>();
  let looking = false;
  let wake = () => {};

  async function look(): Promise<void> {
    const asked = [...waiters];
    const outcomes = await readEventOutcomes(db.query, [...new Set(asked.map(({ id }) => id))]);
    const now = performance.now();
    for (const waiter of asked) {
      const outcome = outcomes.get(waiter.id) ?? { state: 'open' };
      if (outcome.state === 'open' && waiter.end > now) continue;
      waiters.delete(waiter);
      waiter.resolve(outcome);
    }
  }

  /** @returns whether another waiter joined */
  function pause(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const left = Math.min(...[...waiters].map(({ end }) => end)) - performance.now();
    const timer = setTimeout(() => resolve(false), Math.max(0, Math.min(ms, left)));
    wake = () => {
      clearTimeout(timer);
      resolve(true);
    };
    return promise;
  }

  async function lookOnAndOn(): Promise<void> {
    looking = true;
    let ms = looks.first;
    try {
      for (;;) {
        await look();
        if (waiters.size === 0) return;
        ms = (await pause(ms)) ? looks.first : Math.min(ms * looks.growth, looks.longest);
      }
    } catch (error) {
      for (const waiter of waiters) waiter.reject(error);
      waiters.clear();
    } finally {
      looking = false;
    }
  }

  return {
    async outcome(id, withinMs) {
      if (waiters.size >= maxWaiters) return { state: 'open' };
      const waiter: Waiter = {
        ...Promise.withResolvers<EventOutcome>(),
        id,
        end: performance.now() + withinMs,
      };
      waiters.add(waiter);
      if (looking) wake();
      else void lookOnAndOn();
      return waiter.promise;
    },
    noteRead: (id) => noteReplyRead(db.query, id),
  };
}
