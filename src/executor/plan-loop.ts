// A back end's loop on one plan: turns that settle and claim.
// While Postgres works on one batch, the steps of the previous one are called.
import { setTimeout as pause, setImmediate as yieldToLoop } from 'node:timers/promises';
import { notify } from '#db/notify.ts';
import { type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import type { ClaimedStep } from '#db/sql/claim.ts';
import type { Lease } from '#db/sql/leases.ts';
import type { Outcome } from '#db/sql/settle.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { measure, span } from '#domain/telemetry.ts';
import { operationName } from '#domain/tool.ts';
import { announceProgress } from '#plans/lifecycle/lifecycle.ts';
import { hasReady } from './claim.ts';
import type { ExecutorContext, Mark, StepRun } from './executor-context.ts';
import { runStep } from './run-step.ts';
import { type Claimant, Pace } from './slots.ts';
import { Throttle } from './throttle.ts';
import { type Turn, takeTurn } from './turn.ts';

/** If calls are this quick, more may be claimed than run at once. */
const quickMs = 50;
const callsAtOnce = 16;
const inviteEveryMs = 1000;
/** A job plus NOTIFY costs as much as some steps. */
const announceEveryMs = 500;
/** Waits here for a scheduled step; later ones have a wakeup. */
const longestNapMs = 30_000;

type Claimed = { plan: PlanRow; step: ClaimedStep; lease: Lease; call: AbortController };
type Finished = { step: ClaimedStep; lease: Lease; outcome: Outcome };

function refusedOutcome({ step, outcome }: Finished): Outcome {
  const message = `The call ended (${outcome.status}), but its outcome couldn't be stored. See the log.`;
  const unknown = step.effect === 'write' && outcome.status !== 'failed';
  return {
    ...outcome,
    status: unknown ? 'unknown' : 'failed',
    summary: null,
    output: null,
    final_args: null,
    retry_in_ms: null,
    question: unknown ? message : null,
    error: { code: 'internal', message },
  };
}

/** A second outcome of the same step waits for the next batch. */
function takeBatch(finished: Finished[], limit: number): Finished[] {
  const positions = new Set<number>();
  const batch: Finished[] = [];
  for (let at = 0; at < finished.length && batch.length < limit; ) {
    const next = finished[at];
    if (next === undefined || positions.has(next.step.position)) {
      at++;
      continue;
    }
    positions.add(next.step.position);
    batch.push(next);
    finished.splice(at, 1);
  }
  return batch;
}

function runTraced(run: StepRun): Promise<Outcome> {
  const { plan, step, context } = run;
  const operation = operationName(step.tool, step.operation);
  const options = {
    parent: plan.traceparent,
    attributes: {
      'countersign.plan.id': plan.id,
      'countersign.plan.version': plan.version,
      'countersign.step.id': step.step_id,
      'countersign.step.operation': operation,
      'countersign.step.attempt': step.attempt,
      'countersign.backend': context.backend.name,
    },
    log: { plan_id: plan.id, step_id: step.step_id, attempt: step.attempt },
  };
  return span('step', `step ${operation}`, options, async (span) => {
    const outcome = await runStep(run);
    span.set({ 'countersign.step.status': outcome.status });
    if (outcome.error !== null) span.fail(outcome.error.code, outcome.error.message);
    return outcome;
  });
}

/**
 * The mode of the loop, decided after each pass from what is held and what the last turn saw.
 *
 * | mode    | when                                              | does                   | until                     |
 * |---------|---------------------------------------------------|------------------------|---------------------------|
 * | turning | outcomes to settle, or room to claim, or poked     | settles and claims     | Postgres answers          |
 * | calling | calls are under way and none came back             | sleeps                 | a call returns, or a poke |
 * | queued  | steps are ready, and no slot is free               | sleeps in line         | a slot is free, or a poke |
 * | napping | nothing is ready, but a step soon is               | sleeps                 | its time, or a poke       |
 * | ended   | nothing is held or ready, a claim failed, or the process stops | returns or throws | –                    |
 */
type Mode = 'turning' | 'calling' | 'queued' | 'napping' | 'ended';

export class PlanLoop implements Claimant {
  readonly context: ExecutorContext;
  readonly planId: string;
  person: string | null = null;
  readonly mark: Mark;
  readonly isStopping: () => boolean;
  #poked = false;
  #wake = () => {};
  #claimed: Claimed[] = [];
  #calling = 0;
  #returned = 0;
  readonly #pace = new Pace();
  #finished: Finished[] = [];
  /** From the last turn. `more`: steps may be ready; `others`: some can't run here. */
  #seen: Pick<Turn, 'more' | 'nextInMs' | 'others' | 'cache'> = {
    more: true,
    nextInMs: null,
    others: false,
    cache: null,
  };
  #broken: unknown = null;
  readonly #invitation = new Throttle(inviteEveryMs, () => this.#invite());
  /** If this process dies first, the next change announces it. */
  readonly #announcement = new Throttle(announceEveryMs, () => this.#announce());

  constructor(context: ExecutorContext, planId: string, mark: Mark, isStopping: () => boolean) {
    this.context = context;
    this.planId = planId;
    this.mark = mark;
    this.isStopping = isStopping;
  }

  get poked(): boolean {
    return this.#poked;
  }

  poke(): void {
    this.#poked = true;
    this.#wake();
  }

  wake(): void {
    this.#wake();
  }

  get pace(): number {
    return this.#pace.lately;
  }

  async run(): Promise<void> {
    try {
      await this.#takeTurns();
    } finally {
      this.context.slots.admit(this, 0);
      if (this.#seen.others) await this.#invitation.flush();
      this.#invitation.cancel();
      await this.#announcement.flush();
    }
  }

  async #takeTurns(): Promise<void> {
    for (;;) {
      const sleep = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (this.#poked) {
        this.#poked = false;
        this.#seen.more = true;
      }
      const { batch } = this.context.settings;
      const held = this.#calling + this.#claimed.length;
      await this.#gather(batch);
      const ended = takeBatch(this.#finished, batch);
      // Settling may free steps to claim in the same turn.
      const mayClaim = (this.#seen.more || ended.length > 0) && !this.isStopping();
      const known = this.#seen.more ? batch : ended.length;
      const most = ended.length > 0 ? known : await this.#countReady(mayClaim);
      const asked = mayClaim ? Math.min(batch, most, 2 * batch - held) : 0;
      const room = this.context.slots.admit(this, Math.max(0, asked));
      const turns = ended.length > 0 || room > 0;
      const turn = turns ? this.#turn(ended, room) : null;
      await this.#callClaimed();
      await turn;
      const mode = turns ? 'turning' : this.#decideMode();
      switch (mode) {
        case 'turning':
          break;
        case 'calling':
        case 'queued':
          await sleep;
          break;
        case 'napping':
          await this.#nap(sleep);
          break;
        case 'ended':
          if (this.#broken !== null) throw this.#broken;
          return;
        default:
          mode satisfies never;
      }
    }
  }

  #decideMode(): Mode {
    if (this.#finished.length > 0) return 'turning';
    if (this.#calling > 0) return 'calling';
    if (this.#broken !== null) return 'ended';
    if (this.#poked && !this.isStopping()) return 'turning';
    const { more, nextInMs } = this.#seen;
    if (more && !this.isStopping()) return 'queued';
    const isSoon = nextInMs !== null && nextInMs <= longestNapMs;
    return isSoon && !this.isStopping() ? 'napping' : 'ended';
  }

  async #gather(batch: number): Promise<void> {
    for (let before = -1; this.#finished.length > 0 && this.#returned > before; ) {
      before = this.#returned;
      if (this.#calling === 0 || this.#finished.length >= batch) return;
      await yieldToLoop();
    }
  }

  async #nap(sleep: Promise<void>): Promise<void> {
    const ms = this.#seen.nextInMs ?? 0;
    const awake = new AbortController();
    await Promise.race([sleep, pause(ms, undefined, { signal: awake.signal }).catch(() => {})]);
    awake.abort();
    this.#seen = { ...this.#seen, more: true, nextInMs: null };
  }

  /** Every worker is woken for each ready step: late ones should take neither slots nor a lock. */
  async #countReady(mayClaim: boolean): Promise<number> {
    if (!mayClaim) return 0;
    try {
      const plan = await readPlanRow(this.context.db.query, this.planId);
      this.person = plan.requester;
      // With one more than is ready, the turn sees that nothing else is.
      if (hasReady(plan)) return plan.ready + 1;
    } catch (error) {
      // Only the claim fails: outcomes still to come must be settled.
      this.#broken = error;
    }
    this.#seen = { ...this.#seen, more: false, nextInMs: null, others: false };
    return 0;
  }

  /** Never throws: outcomes held meanwhile must still be settled. */
  async #turn(ended: Finished[], room: number): Promise<void> {
    if (ended.length > 0) passCrashPoint('before_next_job');
    const { context, planId } = this;
    const began = performance.now();
    const announce = this.#announcement.isDue(began);
    const outcomes = ended.map(({ outcome }) => outcome);
    const take = () =>
      context.inTurn(() => takeTurn(context, planId, outcomes, room, this.#seen.cache, announce));
    // A claim alone may fail, since its wakeup is retried. Outcomes must not be lost.
    const turn = await (ended.length === 0
      ? take().catch((error: unknown) => {
          this.#broken = error;
          this.#seen.more = false;
          return null;
        })
      : retryUntilDatabaseAnswers(take, (error) =>
          context.warn(`${ended.length} outcomes of ${planId} are not recorded yet.`, error),
        ).catch((error: unknown) => this.#settleOneByOne(ended, room, error)));
    for (const { lease } of ended) context.leases.release(lease);
    if (turn === null) {
      context.slots.release(this, room);
      return;
    }
    if (turn.steps.length > 0) passCrashPoint('after_attempt');
    const { more, nextInMs, others, cache } = turn;
    this.#seen = { more, nextInMs, others, cache };
    if (turn.announced === false) this.#announcement.request();
    if (turn.announced === true) this.#announcement.note(began);
    this.person = turn.plan.requester;
    for (const step of turn.steps) {
      const lease = { plan_id: planId, position: step.position, attempt: step.attempt };
      const call = context.leases.hold(lease, step.effect);
      this.#claimed.push({ plan: turn.plan, step, lease, call });
    }
    context.slots.release(this, room - turn.steps.length);
    // A turn caused by an invitation must not cause another.
    const moved = ended.length > 0 || turn.steps.length > 0;
    if (moved && (others || (more && (turn.steps.length > 0 || room === 0))))
      this.#invitation.request();
  }

  async #announce(): Promise<void> {
    const { context, planId } = this;
    await context.db
      .transaction((tx) => announceProgress(tx, context, planId))
      .catch((error: unknown) => context.warn(`Progress of ${planId} was not announced.`, error));
  }

  async #invite(): Promise<void> {
    const { context, planId } = this;
    await notify(context.db.query, `work:${planId}`).catch((error: unknown) =>
      context.warn(`Could not wake workers for ${planId}; they poll.`, error),
    );
  }

  /** Replaces an outcome that fails again; if that fails too, recovery treats the step as unknown. */
  async #settleOneByOne(ended: Finished[], room: number, cause: unknown): Promise<null> {
    const { context, planId } = this;
    context.warn(`${ended.length} outcomes of ${planId} were refused.`, cause);
    for (const finished of ended) {
      const candidates = [finished.outcome, refusedOutcome(finished)];
      // Alone and without a claim, it would be rejected again.
      const wasAlone = ended.length === 1 && room === 0;
      for (const outcome of wasAlone ? candidates.slice(1) : candidates) {
        try {
          await retryUntilDatabaseAnswers(
            () => takeTurn(context, planId, [outcome], 0, this.#seen.cache),
            (error) => context.warn(`Could not record an outcome of ${planId} yet.`, error),
          );
          break;
        } catch (error) {
          context.warn(`A step outcome of ${planId} was refused.`, error);
        }
      }
    }
    this.#seen.more = true;
    return null;
  }

  async #callClaimed(): Promise<void> {
    while (this.#claimed.length > 0) {
      for (const claimed of this.#claimed.splice(0, callsAtOnce)) this.#call(claimed);
      if (this.#claimed.length > 0) await yieldToLoop();
    }
  }

  #call({ plan, step, lease, call }: Claimed): void {
    const { context, mark } = this;
    this.#calling++;
    const began = performance.now();
    const mayBegin = () => !this.isStopping();
    const { signal } = call;
    const cutOff = (reason: Error) => call.abort(reason);
    let held = true;
    const letGo = () => {
      if (held) context.slots.release(this, 1);
      held = false;
    };
    const run = { context, plan, step, lease, signal, cutOff, mark, mayBegin, letGo };
    measure('step_start', step.waited);
    void runTraced(run).then((outcome) => {
      this.#calling--;
      this.#returned++;
      // A call that only waited took no slot, so its successor may start too.
      if (!held || performance.now() - began < quickMs) this.#pace.count();
      letGo();
      this.#finished.push({ step, lease, outcome });
      this.#wake();
    });
  }
}
