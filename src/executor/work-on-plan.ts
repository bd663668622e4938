// The loops of one back end, one a plan: begun where a wakeup says so, told to look again, and ended with the process.
import { setTimeout as pause } from 'node:timers/promises';
import type { ExecutorContext } from './executor-context.ts';
import { createMarker } from './mark-batch.ts';
import { PlanLoop } from './plan-loop.ts';

/** What a stopping process lets calls under way end within (milliseconds); then they are cut off. */
const callsEndWithinMs = 5000;

export type PlanWorker = {
  /** Works until the plan has nothing ready for this back end. Where a loop is at it already, it is told to look again. */
  work(planId: string): Promise<void>;
  /**
   * Claims nothing more, lets calls under way end for some seconds, settles them, hands back the rest. What is cut
   * off is handed back as well, unless it may not be repeated: then a person is asked.
   */
  stop(): Promise<void>;
};

export function createPlanWorker(context: ExecutorContext): PlanWorker {
  const mark = createMarker(context);
  const loops = new Map<string, { loop: PlanLoop; done: Promise<void> }>();
  let stopping = false;

  /** Looks again when it was poked at the very end; between that and the next `work` nothing is awaited. */
  async function run(loop: PlanLoop): Promise<void> {
    try {
      do await loop.run();
      while (loop.poked && !stopping);
    } finally {
      loops.delete(loop.planId);
    }
    if (stopping) await handBack(loop.planId);
  }

  /** A wakeup for whoever goes on with the plan when this process has stopped. */
  async function handBack(planId: string): Promise<void> {
    await context.db.transaction((tx) =>
      context.enqueue(tx, 'step', { plan_id: planId }, { key: planId }),
    );
  }

  return {
    work(planId) {
      const current = loops.get(planId);
      if (current !== undefined) {
        // Not waited for: a wakeup must not keep a place that another plan needs.
        current.loop.poke();
        return Promise.resolve();
      }
      if (stopping) return handBack(planId);
      const loop = new PlanLoop(context, planId, mark, () => stopping);
      const done = run(loop);
      loops.set(planId, { loop, done });
      return done;
    },
    async stop() {
      stopping = true;
      for (const { loop } of loops.values()) loop.poke();
      const ended = Promise.allSettled([...loops.values()].map(({ done }) => done));
      await Promise.race([ended, pause(callsEndWithinMs, undefined, { ref: false })]);
      context.leases.abortAll(new Error('this process stops'));
      await ended;
    },
  };
}
