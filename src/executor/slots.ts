// How many calls this process makes at once, over all plans; who waits for a slot leaves when there is nothing left to wait for.
import { errorMessage } from '#contracts/errors.ts';

/** Thrown in place of work that did not begin: it left the queue. */
export class LeftQueue extends Error {}

export type Slots = {
  /**
   * Waits for a slot, runs `work` in it, frees it.
   * @param signal aborted while it waits: it leaves
   * @throws LeftQueue with the reason
   */
  run<T>(work: () => Promise<T>, planId: string, signal: AbortSignal): Promise<T>;
  /** Sends away what waits for the plan, but for the first `keep` (none). @returns how many */
  dismiss(planId: string, reason: string, keep?: number): number;
};

export function createSlots(limit: number): Slots {
  type Waiting = { planId: string; begin(): void; leave(reason: string): void };
  let used = 0;
  const queue = new Set<Waiting>();

  function wait(planId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => waiting.leave(errorMessage(signal.reason));
      const end = () => {
        queue.delete(waiting);
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        planId,
        begin() {
          end();
          resolve();
        },
        leave(reason) {
          end();
          reject(new LeftQueue(reason));
        },
      };
      if (signal.aborted) return onAbort();
      queue.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  return {
    async run(work, planId, signal) {
      if (used >= limit) await wait(planId, signal);
      else used++;
      try {
        return await work();
      } finally {
        const [next] = queue;
        if (next === undefined) used--;
        else next.begin();
      }
    },
    dismiss(planId, reason, keep = 0) {
      const ofPlan = [...queue].filter((waiting) => waiting.planId === planId);
      const sent = ofPlan.slice(keep);
      for (const waiting of sent) waiting.leave(reason);
      return sent.length;
    },
  };
}
