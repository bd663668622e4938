// How many calls of plan_wait this process holds open at once, for one caller and for all: each has a connection and a watch.
import { CountersignError } from '#domain/errors.ts';

export type Waiters = {
  /**
   * Counts a call that waits for `ms` at most. @returns ends it
   * @throws `rate_limited` that says when there is room again
   */
  enter(caller: string, ms: number): () => void;
};

const atMost = { ofCaller: 50, ofAll: 500 };

export function createWaiters(
  { ofCaller, ofAll } = atMost,
  now: () => number = () => Date.now(),
): Waiters {
  /** Callers and when their calls end at the latest. */
  const calls = new Set<{ caller: string; until: number }>();

  function refuse(limit: string, who: string, among: { until: number }[]): never {
    const first = Math.min(...among.map(({ until }) => until));
    const seconds = Math.max(1, Math.ceil((first - now()) / 1000));
    throw new CountersignError(
      'rate_limited',
      `${who}, and more at once are not possible. Call plan_wait again in ${seconds} s, or as soon as one of these calls has ended.`,
      { details: { limit, retry_after_seconds: seconds } },
    );
  }

  return {
    enter(caller, ms) {
      const all = [...calls];
      const own = all.filter((call) => call.caller === caller);
      if (own.length >= ofCaller)
        refuse('waiting_calls', `${own.length} of your calls wait for plans already`, own);
      if (all.length >= ofAll)
        refuse('waiting_calls_of_all', `${all.length} calls wait for plans here already`, all);
      const call = { caller, until: now() + ms };
      calls.add(call);
      return () => void calls.delete(call);
    },
  };
}
