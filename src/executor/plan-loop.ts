// The loop of one back end on one plan: turns that settle and claim, with calls in between. While Postgres works on one batch, the
// steps of the previous one are called.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { notify } from '#db/notify.ts';
import { type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import type { ClaimedStep } from '#db/sql/claim.ts';
import type { Lease } from '#db/sql/leases.ts';
import type { Outcome } from '#db/sql/settle.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { measure, span } from '#domain/telemetry.ts';
import { operationName } from '#domain/tool.ts';
import { announceProgress } from '#plans/lifecycle/wake.ts';
import type { LaneBook } from './claim.ts';
import type { ExecutorContext, Mark, StepRun } from './executor-context.ts';
import { runStep } from './run-step.ts';
import { type Claimant, Pace } from './slots.ts';
import { takeTurn } from './turn.ts';

/** Where calls come back this quickly (milliseconds), more may be claimed than is called at once. */
const quickMs = 50;
/** Calls begun before the event loop sees to the database again. */
const callsAtOnce = 16;
/** Other workers are invited to a plan at most this often (milliseconds). */
const inviteEveryMs = 1000;
/** People and screens are told of progress at most this often (milliseconds): job and NOTIFY cost as much as some steps. */
const announceEveryMs = 500;
/** A step that can be claimed within this time (milliseconds) is waited for here; a wakeup is on its way for the others. */
const longestNapMs = 30_000;

/** A step that is called on the terms of `plan`. */
type Claimed = { plan: PlanRow; step: ClaimedStep; lease: Lease; call: AbortController };
/** A call that came back; its lease is held until its outcome is stored. */
type Finished = { step: ClaimedStep; lease: Lease; outcome: Outcome };

/** Stands for an outcome that Postgres refuses. A call that may not be repeated is left to a person. */
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

/** Takes one outcome of each step out of `finished`; a second one of the same step waits for the next batch. */
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

/** Runs a step as a part of what its plan was last moved by: its approval, in another process. Never throws. */
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

/** The loop on one plan: what it holds and what it knows. */
export class PlanLoop implements Claimant {
  readonly context: ExecutorContext;
  readonly planId: string;
  /** Known from the first turn on, and before where it has to stand in line. */
  person: string | null = null;
  readonly mark: Mark;
  readonly isStopping: () => boolean;
  #poked = false;
  #wake = () => {};
  #calling = 0;
  /** Calls that came back so far. */
  #returned = 0;
  /** Of calls that came back quickly. */
  readonly #pace = new Pace();
  #finished: Finished[] = [];
  /** Claimed, and called as soon as the next turn is under way. */
  #claimed: Claimed[] = [];
  #mayHaveReady = true;
  #book: LaneBook | null = null;
  #napMs: number | null = null;
  /** Why nothing could be claimed; told when what is held has been settled. */
  #broken: unknown = null;
  #invited = Number.NEGATIVE_INFINITY;
  /** Whether the last turn saw steps that can be claimed and that this back end cannot run. */
  #others = false;
  #inviting: NodeJS.Timeout | undefined;
  #announced = Number.NEGATIVE_INFINITY;
  /** Set while there is progress nobody will be told of otherwise. */
  #announcing: NodeJS.Timeout | undefined;

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

  /** Turns until nothing is held and nothing is ready. @throws what the database says when it cannot be asked */
  async run(): Promise<void> {
    try {
      await this.#takeTurns();
    } finally {
      this.context.slots.admit(this, 0);
      // Nothing is left but what others can run.
      if (this.#others) await this.#inviteNow();
      clearTimeout(this.#inviting);
      await this.#announceNow();
    }
  }

  async #takeTurns(): Promise<void> {
    for (;;) {
      const sleep = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (this.#poked) {
        this.#poked = false;
        this.#mayHaveReady = true;
      }
      const { batch } = this.context.settings;
      const held = this.#calling + this.#claimed.length;
      await this.#gather(batch);
      const ended = takeBatch(this.#finished, batch);
      // What is settled may free what can be claimed with it.
      const mayClaim = (this.#mayHaveReady || ended.length > 0) && !this.isStopping();
      const room = await this.#findRoom(mayClaim ? Math.min(batch, 2 * batch - held) : 0);
      if (ended.length > 0 || room > 0) {
        const turn = this.#turn(ended, room);
        await this.#callClaimed();
        await turn;
        continue;
      }
      await this.#callClaimed();
      if (this.#calling === 0 && this.#finished.length === 0) {
        if (this.#broken !== null) throw this.#broken;
        if (this.#poked && !this.isStopping()) continue;
        if (mayClaim) {
          await sleep;
          continue;
        }
        if (!(await this.#nap(sleep))) return;
        continue;
      }
      if (this.#finished.length === 0) await sleep;
    }
  }

  /** Calls that end together are settled together: waits as long as every turn of the event loop brings more of them. */
  async #gather(batch: number): Promise<void> {
    for (let before = -1; this.#finished.length > 0 && this.#returned > before; ) {
      before = this.#returned;
      if (this.#calling === 0 || this.#finished.length >= batch) return;
      await nextTurn();
    }
  }

  /** Waits for a step that can be claimed soon. @returns false when there is none, or the process stops */
  async #nap(sleep: Promise<void>): Promise<boolean> {
    const ms = this.#napMs;
    this.#napMs = null;
    if (ms === null || ms > longestNapMs || this.isStopping()) return false;
    const awake = new AbortController();
    await Promise.race([sleep, pause(ms, undefined, { signal: awake.signal }).catch(() => {})]);
    awake.abort();
    this.#mayHaveReady = true;
    return !this.isStopping();
  }

  /** How many steps may be claimed now, at most `wanted`; none: it stands in line and is woken. */
  async #findRoom(wanted: number): Promise<number> {
    const { slots, db } = this.context;
    // Before the first turn nothing is held, so that nothing is lost where the database cannot be asked.
    if (wanted > 0 && this.person === null && slots.isFull()) {
      this.person = (await readPlanRow(db.query, this.planId)).requester;
    }
    return slots.admit(this, Math.max(0, wanted));
  }

  /** Never throws: what is held meanwhile must be settled, whatever happens here. */
  async #turn(ended: Finished[], room: number): Promise<void> {
    if (ended.length > 0) passCrashPoint('before_next_job');
    const { context, planId } = this;
    const began = performance.now();
    const announce = began >= this.#announced + announceEveryMs;
    const outcomes = ended.map(({ outcome }) => outcome);
    const take = () => takeTurn(context, planId, outcomes, room, this.#book, announce);
    // A claim alone may fail: the wakeup is tried again. Outcomes of real calls must not be lost.
    const turn = await (ended.length === 0
      ? take().catch((error: unknown) => {
          this.#broken = error;
          this.#mayHaveReady = false;
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
    this.#mayHaveReady = turn.more;
    this.#book = turn.book;
    this.#napMs = turn.nextInMs;
    this.#others = turn.others;
    if (turn.announced === false) this.#announceLater();
    if (turn.announced === true) this.#noteAnnounced(began);
    this.person = turn.plan.requester;
    for (const step of turn.steps) {
      const lease = { plan_id: planId, position: step.position, attempt: step.attempt };
      const call = context.leases.hold(lease);
      this.#claimed.push({ plan: turn.plan, step, lease, call });
    }
    context.slots.release(this, room - turn.steps.length);
    // Only what has moved is told: a turn that was itself caused by an invitation must not cause the next one.
    const moved = ended.length > 0 || turn.steps.length > 0;
    if (moved && (turn.others || (turn.more && (turn.steps.length > 0 || room === 0))))
      this.#inviteLater();
  }

  /** What the next turns do not tell is told by itself. Were this process to die before, the next change would tell it. */
  #announceLater(): void {
    if (this.#announcing !== undefined) return;
    const wait = Math.max(0, this.#announced + announceEveryMs - performance.now());
    this.#announcing = setTimeout(() => void this.#announceNow(), wait);
  }

  #noteAnnounced(at: number): void {
    clearTimeout(this.#announcing);
    this.#announcing = undefined;
    this.#announced = at;
  }

  async #announceNow(): Promise<void> {
    if (this.#announcing === undefined) return;
    this.#noteAnnounced(performance.now());
    const { context, planId } = this;
    await context.db
      .transaction((tx) => announceProgress(tx, context, planId))
      .catch((error: unknown) => context.warn(`Progress of ${planId} was not told.`, error));
  }

  /** There is more than this back end takes at once, or what it cannot run: others are told, at most once a second. */
  #inviteLater(): void {
    if (this.#inviting !== undefined) return;
    const wait = Math.max(0, this.#invited + inviteEveryMs - performance.now());
    this.#inviting = setTimeout(() => void this.#inviteNow(), wait);
  }

  async #inviteNow(): Promise<void> {
    if (this.#inviting === undefined) return;
    clearTimeout(this.#inviting);
    this.#inviting = undefined;
    this.#invited = performance.now();
    const { context, planId } = this;
    await notify(context.db.query, `work:${planId}`).catch((error: unknown) =>
      context.warn(`Nobody could be invited to ${planId}; they look by themselves.`, error),
    );
  }

  /**
   * A batch that Postgres refuses is settled one by one; an outcome that is refused again is settled as such, and if
   * even that fails its lease runs out, and recovery treats the step as what it is: not known.
   */
  async #settleOneByOne(ended: Finished[], room: number, cause: unknown): Promise<null> {
    const { context, planId } = this;
    context.warn(`${ended.length} outcomes of ${planId} were refused.`, cause);
    for (const finished of ended) {
      const candidates = [finished.outcome, refusedOutcome(finished)];
      // One that was refused alone, with nothing claimed beside it, is refused again.
      const wasAlone = ended.length === 1 && room === 0;
      for (const outcome of wasAlone ? candidates.slice(1) : candidates) {
        try {
          await retryUntilDatabaseAnswers(
            () => takeTurn(context, planId, [outcome], 0, this.#book),
            (error) => context.warn(`An outcome of ${planId} is not recorded yet.`, error),
          );
          break;
        } catch (error) {
          context.warn(`The outcome of a step of ${planId} was refused.`, error);
        }
      }
    }
    this.#mayHaveReady = true;
    return null;
  }

  async #callClaimed(): Promise<void> {
    while (this.#claimed.length > 0) {
      for (const claimed of this.#claimed.splice(0, callsAtOnce)) this.#call(claimed);
      if (this.#claimed.length > 0) await nextTurn();
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
      if (performance.now() - began < quickMs) this.#pace.count();
      letGo();
      this.#finished.push({ step, lease, outcome });
      this.#wake();
    });
  }
}
