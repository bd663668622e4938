// Calling ahead of what is stored. A turn costs nearly the same whether it settles one step of a chain or several, so a
// worker is granted the next steps (`store/sql/grant.ts`), calls each as soon as what it needs has succeeded here, and
// settles them together. Only steps that only read: called twice, they do no harm.
//
// What if this process dies: of such a step nothing is stored but that its call was allowed; it runs again when the lease of
// the step before it has run out. What if another worker or a person changes a step or the plan meanwhile: Postgres stores
// these successes if every one of them still has its turn, or none; what has started for us is settled as that attempt, by
// the call that was made; the rest is given up, and the audit says so. What if a call takes long: the step before it is
// settled without it, its own step starts, and the call is that of the attempt that started. What if an answer is lost after
// it was stored: what stands is found, and is not called refused.
import { hasRuntime, referencesOf } from '#contracts/arguments.ts';
import { operationName } from '#contracts/tool.ts';
import { patiently } from '#store/patiently.ts';
import type { PlanRow } from '#store/plans.ts';
import type { ClaimedStep } from '#store/sql/claim.ts';
import type { Lease } from '#store/sql/leases.ts';
import type { GrantedStep, Outcome } from '#store/sql/settle.ts';
import { Ahead, type AheadCall } from './ahead.ts';
import type { ExecutorContext } from './executor-context.ts';
import { refuseAhead } from './refuse-outcomes.ts';
import { fitToRows } from './settle.ts';
import type { GoingAhead } from './turn-at-once.ts';

/** A step that is called now, on the terms of `plan`. */
export type Claimed = { plan: PlanRow; step: ClaimedStep; lease: Lease; call: AbortController };

/** A call that came back, and when (`performance.now()`); its lease is held until its outcome is stored. */
export type Finished = {
  step: ClaimedStep;
  lease: Lease;
  outcome: Outcome;
  began: number;
  ended: number;
};

/** Whether a step that was granted may be called before it starts: nothing of its call is decided or looked up then. */
function mayGoAhead(
  { registry }: Pick<ExecutorContext, 'registry'>,
  plan: PlanRow,
  { tool, operation, args, when, ask_before }: GrantedStep,
): boolean {
  const offered = registry.get(operationName(tool, operation));
  return (
    offered !== undefined &&
    offered.human !== true &&
    !plan.confirm_each &&
    !ask_before &&
    when.length === 0 &&
    !hasRuntime(args) &&
    referencesOf(args).length === 0
  );
}

/** The calls of one loop that are made ahead. */
export class AheadCalls {
  readonly #context: ExecutorContext;
  readonly #planId: string;
  readonly #call: (claimed: Claimed, end: (outcome: Outcome) => void) => void;
  readonly #finish: (finished: Finished) => void;
  /** Steps that are granted and not stored, at most. */
  readonly #atMost: number;
  readonly #book = new Ahead();
  /** Calls that are of no use any more; the audit is told of them. */
  #lost: AheadCall[] = [];
  /** As the last turn saw it. */
  #plan: PlanRow | null = null;

  /**
   * @param call makes a call and says how it ended
   * @param finish takes a call whose step has started meanwhile
   */
  constructor(
    context: ExecutorContext,
    planId: string,
    call: (claimed: Claimed, end: (outcome: Outcome) => void) => void,
    finish: (finished: Finished) => void,
  ) {
    this.#context = context;
    this.#planId = planId;
    this.#call = call;
    this.#finish = finish;
    this.#atMost = 2 * context.settings.batch;
  }

  /**
   * What can be stored with `ended`.
   * @param pending steps of the plan that wait for others: one of them has to be left, since what ends a plan takes more
   */
  choose(ended: Finished[], pending: number): AheadCall[] {
    const positions = new Set(ended.map(({ step }) => step.position));
    return this.#book.choose(positions, Math.min(this.#atMost - ended.length, pending - 1));
  }

  /**
   * What goes with the outcomes of `ended` at this moment.
   * @param more whether steps are granted
   */
  describe(ended: Finished[], calls: AheadCall[], more: boolean): GoingAhead {
    const now = performance.now();
    const open = this.#book.size - calls.length;
    if (open >= this.#atMost) this.#book.forgetUncalled();
    return {
      successes: calls.flatMap((call) => this.#book.describe(call, now)),
      times:
        calls.length === 0
          ? []
          : ended.map(({ began, ended: end }) => ({
              began_ms_ago: now - began,
              ended_ms_ago: now - end,
            })),
      grants: more && this.#plan?.confirm_each === false ? Math.max(0, this.#atMost - open) : 0,
      known: this.#book.known(),
    };
  }

  /** The steps at `positions` are settled, and with them those of `calls`. */
  noteStored(positions: Iterable<number>, calls: AheadCall[]): void {
    for (const { step, lease } of calls) {
      this.#book.take(step.position);
      this.#context.leases.release(lease);
    }
    this.#book.settle([...positions, ...calls.map(({ step }) => step.position)]);
  }

  /** What became of the steps at `positions` here counts for nothing: another has them. */
  noteRefused(positions: Iterable<number>): void {
    for (const call of this.#book.revoke(positions)) this.#drop(call);
  }

  /** What comes is called on the terms of `plan`. Of another version, the same position may be another step. */
  follow(plan: PlanRow): void {
    if (this.#plan?.version !== plan.version)
      for (const call of this.#book.clear()) this.#drop(call);
    this.#plan = plan;
  }

  /** The step runs from now on. @returns whether its call was made already */
  start({ position, attempt }: ClaimedStep): boolean {
    const call = this.#book.take(position);
    if (call === null) return false;
    if (call.lease.attempt !== attempt) {
      this.#drop(call);
      this.noteRefused([position]);
      return false;
    }
    call.started = true;
    if (call.outcome !== null) this.#finish({ ...call, outcome: call.outcome });
    return true;
  }

  /** @param stored the positions that the turn has settled which granted `steps` */
  grant(steps: GrantedStep[], stored: ReadonlySet<number>): void {
    this.#callThese(this.#book.grant(steps, stored));
  }

  /** The step at `position` has succeeded here. */
  noteSuccess(position: number): void {
    this.#callThese(this.#book.succeed(position));
  }

  /**
   * Gives up calls that came back and whose turn did not come.
   * @param mayStart the next turn may start some of them still
   */
  async tidy(mayStart: boolean): Promise<void> {
    if (!mayStart) for (const call of this.#book.giveUp()) this.#drop(call);
    if (this.#lost.length > 0) await this.#tellLost();
  }

  /** Gives up all of them. */
  async end(): Promise<void> {
    for (const call of this.#book.clear()) this.#drop(call);
    if (this.#lost.length > 0) await this.#tellLost();
  }

  #callThese(steps: GrantedStep[]): void {
    const plan = this.#plan;
    if (plan === null) return;
    const { leases } = this.#context;
    for (const step of steps) {
      if (!mayGoAhead(this.#context, plan, step)) {
        this.#book.take(step.position);
        continue;
      }
      const lease = { plan_id: plan.id, position: step.position, attempt: step.attempt };
      const abort = leases.expect(lease);
      const call = this.#book.begin(step, lease, abort, performance.now());
      this.#call({ plan, step, lease, call: abort }, (outcome) => this.#comeBack(call, outcome));
    }
  }

  #comeBack(call: AheadCall, outcome: Outcome): void {
    call.outcome = outcome;
    call.ended = performance.now();
    const { position } = call.step;
    if (call.started) {
      this.#finish({ ...call, outcome });
    } else if (!this.#book.has(call)) {
      this.#lost.push(call);
    } else if (outcome.status === 'cancelled') {
      // As if it had not been granted, unless it was cut off.
      this.#book.take(position);
      this.#context.leases.release(call.lease);
      if (call.abort.signal.aborted) this.#lost.push(call);
    } else if (!this.#book.waits(call)) {
      // All it waited for is stored, and it has not started: the turn that starts it takes it, or it is given up.
    } else if (outcome.status === 'succeeded' && fitToRows([outcome]) !== null) {
      this.#book.allow(call);
      this.noteSuccess(position);
    }
  }

  #drop(call: AheadCall): void {
    this.#context.leases.release(call.lease);
    if (call.outcome === null) call.abort.abort(new Error('its turn did not come'));
    else this.#lost.push(call);
  }

  async #tellLost(): Promise<void> {
    const outcomes = this.#lost.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]));
    this.#lost = [];
    if (outcomes.length === 0 || this.#plan === null) return;
    const { warn } = this.#context;
    const { version } = this.#plan;
    await patiently(
      () => refuseAhead(this.#context, this.#planId, version, outcomes),
      (error) => warn(`What was called ahead in ${this.#planId} is not recorded yet.`, error),
    ).catch((error: unknown) =>
      warn(`What was called ahead in ${this.#planId} was not recorded.`, error),
    );
  }
}
