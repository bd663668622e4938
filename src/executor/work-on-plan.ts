// The loop of one worker on one plan: claim, call, settle in batches, until nothing is ready. One loop a plan and process.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { ClaimedStep } from '#store/sql/claim.ts';
import type { Lease } from '#store/sql/leases.ts';
import type { Outcome } from '#store/sql/settle.ts';
import { claimReady } from './claim.ts';
import { passCrashPoint } from './crash-points.ts';
import type { ExecutorContext } from './executor-context.ts';
import { createMarker } from './mark-batch.ts';
import { patiently } from './patiently.ts';
import { runStep } from './run-step.ts';
import { settleOutcomes } from './settle.ts';

/** Calls that came back this quickly (milliseconds from claim to settle) let the next claim be larger. */
const quickMs = 50;
/** Other workers are invited to a plan at most this often (milliseconds). */
const inviteEveryMs = 1000;
/** What a stopping process lets calls under way end within (milliseconds); then they are cut off. */
const callsEndWithinMs = 5000;

export type PlanWorker = {
  /** Works until the plan has nothing ready for this process. Where a loop is at it already, it is told to look again. */
  work(planId: string): Promise<void>;
  /**
   * Claims nothing more, lets calls under way end for some seconds, settles them, hands back the rest. What is cut
   * off is handed back as well, unless it may not be repeated: then a person is asked.
   */
  stop(): Promise<void>;
};

/** A call that came back; its lease is held until its outcome is stored. */
type Finished = { step: ClaimedStep; lease: Lease; outcome: Outcome };

/** Stands for an outcome that Postgres refuses. A call that may not be repeated is left to a person. */
function refusedOutcome({ step, outcome }: Finished): Outcome {
  const message = `The call ended (${outcome.status}), but its outcome could not be stored; the log says why.`;
  const unknown = step.effect === 'write' && outcome.status !== 'failed';
  return {
    ...outcome,
    status: unknown ? 'unknown' : 'failed',
    summary: null,
    output: null,
    final_args: null,
    question: unknown ? message : null,
    error: { code: 'internal', message },
  };
}

export function createPlanWorker(context: ExecutorContext): PlanWorker {
  const { settings } = context;
  const mark = createMarker(context);
  const loops = new Map<string, { poke: () => void; done: Promise<void> }>();
  let stopping = false;

  /** Settles, however long the database stays away: outcomes of real calls must not be lost. */
  function settlePatiently(planId: string, outcomes: Outcome[]): Promise<boolean> {
    return patiently(
      () => settleOutcomes(context, planId, outcomes),
      (error) =>
        context.warn(`${outcomes.length} outcomes of ${planId} are not recorded yet.`, error),
    );
  }

  /**
   * Settles a batch. Where it is refused, each outcome by itself; one that is refused again is settled as such, and
   * if even that fails its lease runs out, and recovery treats the step as what it is: not known.
   */
  async function settleBatch(planId: string, batch: Finished[]): Promise<boolean> {
    try {
      return await settlePatiently(
        planId,
        batch.map(({ outcome }) => outcome),
      );
    } catch (error) {
      context.warn(`${batch.length} outcomes of ${planId} were refused.`, error);
    }
    let more = false;
    for (const finished of batch) {
      const candidates = [finished.outcome, refusedOutcome(finished)];
      for (const outcome of batch.length === 1 ? candidates.slice(1) : candidates) {
        try {
          more = (await settlePatiently(planId, [outcome])) || more;
          break;
        } catch (error) {
          context.warn(`The outcome of a step of ${planId} was refused.`, error);
        }
      }
    }
    return more;
  }

  async function loop(planId: string, wakes: { wake: () => void; poked: boolean }): Promise<void> {
    let inFlight = 0;
    let finished: Finished[] = [];
    let window = settings.concurrency;
    let mayHaveReady = true;
    let invited = Number.NEGATIVE_INFINITY;
    let broken: unknown = null;

    function begin(step: ClaimedStep, run: Pick<Parameters<typeof runStep>[0], 'plan'>): void {
      inFlight++;
      const began = performance.now();
      const lease = { plan_id: planId, position: step.position, attempt: step.attempt };
      const signal = context.leases.hold(lease);
      const mayBegin = () => !stopping;
      void runStep({ context, ...run, step, lease, signal, mark, mayBegin }).then((outcome) => {
        inFlight--;
        finished.push({ step, lease, outcome });
        window =
          performance.now() - began < quickMs
            ? Math.min(settings.batch, window + 1)
            : Math.max(settings.concurrency, window - 1);
        wakes.wake();
      });
    }

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
        if (await settleBatch(planId, batch)) mayHaveReady = true;
        for (const { lease } of batch) context.leases.release(lease);
        continue;
      }
      const room = window - inFlight;
      if (mayHaveReady && room > 0 && !stopping) {
        passCrashPoint('before_attempt');
        passCrashPoint('before_next_job');
        const invite = performance.now() - invited >= inviteEveryMs;
        if (invite) invited = performance.now();
        const claim = await claimReady(context, planId, room, invite).catch((error: unknown) => {
          broken = error;
          return null;
        });
        mayHaveReady = claim?.more ?? false;
        if (claim !== null && claim.steps.length > 0) {
          passCrashPoint('after_attempt');
          for (const step of claim.steps) begin(step, claim);
        }
        if (mayHaveReady || inFlight > 0) continue;
      }
      if (inFlight === 0 && finished.length === 0) {
        if (broken !== null) throw broken;
        if (wakes.poked && !stopping) continue;
        return;
      }
      await sleep;
    }
  }

  /** Looks again when it was poked at the very end; between that and the next `work` nothing is awaited. */
  async function run(planId: string, wakes: { wake: () => void; poked: boolean }): Promise<void> {
    try {
      do {
        wakes.poked = false;
        await loop(planId, wakes);
      } while (wakes.poked && !stopping);
    } finally {
      loops.delete(planId);
    }
    if (stopping) await handBack(planId);
  }

  /** A slip for whoever goes on with the plan when this process has stopped. */
  async function handBack(planId: string): Promise<void> {
    await context.db.transaction((tx) =>
      context.enqueue(tx, 'step', { plan_id: planId }, { key: planId }),
    );
  }

  return {
    work(planId) {
      const current = loops.get(planId);
      if (current !== undefined) {
        // Not waited for: a slip must not keep a place that another plan needs.
        current.poke();
        return Promise.resolve();
      }
      if (stopping) return handBack(planId);
      const wakes = { wake: () => {}, poked: false };
      const done = run(planId, wakes);
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
      const ended = Promise.allSettled([...loops.values()].map(({ done }) => done));
      await Promise.race([ended, pause(callsEndWithinMs, undefined, { ref: false })]);
      context.leases.abortAll(new Error('this process stops'));
      await ended;
    },
  };
}
