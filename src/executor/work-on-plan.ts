// The loop of one worker on one plan: claim, call, settle in batches, until nothing is ready. One loop a plan and process.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Outcome } from '#store/sql/settle.ts';
import { isTransient } from '#store/transient.ts';
import { claimReady } from './claim.ts';
import { passCrashPoint } from './crash-points.ts';
import type { ExecutorContext } from './executor-context.ts';
import { createMarker } from './mark-batch.ts';
import { runStep } from './run-step.ts';
import { settleOutcomes } from './settle.ts';

/** Calls that came back this quickly (milliseconds from claim to settle) let the next claim be larger. */
const quickMs = 50;

export type PlanWorker = {
  /** Works until the plan has nothing ready for this process. Joins the loop that is already at it. */
  work(planId: string): Promise<void>;
  /** Claims nothing more, lets calls under way end, settles them. */
  stop(): Promise<void>;
};

export function createPlanWorker(context: ExecutorContext): PlanWorker {
  const { settings } = context;
  const mark = createMarker(context.db, context.worker);
  const loops = new Map<string, { poke: () => void; done: Promise<void> }>();
  let stopping = false;

  /**
   * Settles, however long the database stays away: outcomes of real calls must not be lost. Where settling is refused
   * for another reason the leases run out, and recovery treats the steps as what they are: not known.
   */
  async function settlePatiently(planId: string, batch: Outcome[]): Promise<number> {
    for (let wait = 100; ; wait = Math.min(wait * 2, 5000)) {
      try {
        return await settleOutcomes(context, planId, batch);
      } catch (error) {
        context.warn(`${batch.length} outcomes of ${planId} could not be recorded.`, error);
        if (!isTransient(error)) return 0;
        await pause(wait);
      }
    }
  }

  async function loop(planId: string, wakes: { wake: () => void; poked: boolean }): Promise<void> {
    let inFlight = 0;
    let finished: Outcome[] = [];
    let window = settings.concurrency;
    let mayHaveReady = true;
    let broken: unknown = null;

    for (;;) {
      const sleep = new Promise<void>((resolve) => {
        wakes.wake = resolve;
      });
      if (wakes.poked) {
        wakes.poked = false;
        mayHaveReady = true;
      }
      if (finished.length > 0) {
        await nextTurn();
        const batch = finished;
        finished = [];
        if ((await settlePatiently(planId, batch)) > 0) mayHaveReady = true;
        continue;
      }
      const room = window - inFlight;
      if (mayHaveReady && room > 0 && !stopping) {
        passCrashPoint('before_attempt');
        passCrashPoint('before_next_job');
        const began = performance.now();
        const claim = await claimReady(context, planId, room).catch((error: unknown) => {
          broken = error;
          return null;
        });
        if (claim === null) {
          mayHaveReady = false;
          continue;
        }
        const { plan, steps } = claim;
        mayHaveReady = steps.length === room;
        if (steps.length > 0) passCrashPoint('after_attempt');
        for (const step of steps) {
          inFlight++;
          const lease = { plan_id: planId, position: step.position, attempt: step.attempt };
          const signal = context.leases.hold(lease);
          void runStep({ context, plan, step, lease, signal, mark }).then((outcome) => {
            context.leases.release(lease);
            inFlight--;
            finished.push(outcome);
            window =
              performance.now() - began < quickMs
                ? Math.min(settings.batch, window + 1)
                : Math.max(settings.concurrency, window - 1);
            wakes.wake();
          });
        }
        if (steps.length > 0) continue;
      }
      if (inFlight === 0) {
        if (broken !== null) throw broken;
        if (wakes.poked && !stopping) continue;
        return;
      }
      await sleep;
    }
  }

  /** Ready steps whose time has not come get a slip for that time. */
  async function scheduleLater(planId: string): Promise<void> {
    await context.db.transaction(async (tx) => {
      const { rows } = await tx.execute<{ at: string | null }>(sql`
        select min(available_at) as at from countersign.plan_steps
        where plan_id = ${planId} and status = 'ready' and available_at > clock_timestamp()`);
      const at = rows[0]?.at;
      if (at == null) return;
      const startAfter = new Date(at);
      const key = `${planId}@${startAfter.toISOString()}`;
      await context.enqueue(tx, 'step', { plan_id: planId }, { key, startAfter });
    });
  }

  return {
    work(planId) {
      const current = loops.get(planId);
      if (current !== undefined) {
        current.poke();
        return current.done;
      }
      if (stopping) return Promise.resolve();
      const wakes = { wake: () => {}, poked: false };
      const done = loop(planId, wakes)
        .then(() => (stopping ? undefined : scheduleLater(planId)))
        .finally(() => loops.delete(planId));
      loops.set(planId, {
        poke: () => {
          wakes.poked = true;
          wakes.wake();
        },
        done,
      });
      return done;
    },
    async stop() {
      stopping = true;
      for (const { poke } of loops.values()) poke();
      await Promise.allSettled([...loops.values()].map(({ done }) => done));
    },
  };
}
