// Limits plan_wait calls, since each holds a connection.
import { CountersignError } from '#domain/errors.ts';

export type Waiters = {
  /** @returns a function that ends it @throws `rate_limited` with the time to retry */
  enter(caller: string, ms: number): () => void;
};

const atMost = { ofCaller: 50, ofAll: 500 };

export function createWaiters(
  { ofCaller, ofAll } = atMost,
  now: () => number = () => Date.now(),
): Waiters {
  const calls = new Set<{ caller: string; until: number }>();

  function refuse(limit: string, who: string, among: { until: number }[]): never {
    const first = Math.min(...among.map(({ until }) => until));
    const seconds = Math.max(1, Math.ceil((first - now()) / 1000));
    throw new CountersignError(
      'rate_limited',
      `${who}, the limit. Try again in ${seconds} s, or when one of them ends.`,
      { details: { limit, retry_after_seconds: seconds } },
    );
  }

  return {
    enter(caller, ms) {
      const all = [...calls];
      const own = all.filter((call) => call.caller === caller);
      if (own.length >= ofCaller)
        refuse('waiting_calls', `You already have ${own.length} open plan_wait calls`, own);
      if (all.length >= ofAll)
        refuse('waiting_calls_of_all', `${all.length} plan_wait calls are already open here`, all);
      const call = { caller, until: now() + ms };
      calls.add(call);
      return () => void calls.delete(call);
    },
  };
}
