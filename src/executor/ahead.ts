// Which steps may be called ahead of what is stored (`ahead-calls.ts`), which were, and what can be stored of it. Pure.
import type { Lease } from '#store/sql/leases.ts';
import type { GrantedStep, Outcome } from '#store/sql/settle.ts';
import type { AheadSuccess } from './turn-at-once.ts';

/** A call that was made ahead; `outcome` null: it has not come back. */
export type AheadCall = {
  step: GrantedStep;
  lease: Lease;
  outcome: Outcome | null;
  /** Whether what became of it can be stored before it has started. */
  storable: boolean;
  /** It is the call of an attempt that has started. */
  started: boolean;
  abort: AbortController;
  /** Moments of `performance.now()`. */
  began: number;
  ended: number;
};

type Entry = {
  step: GrantedStep;
  /** Prerequisites that have not succeeded here. */
  missing: Set<number>;
  /** Prerequisites whose success is not stored. */
  open: Set<number>;
  /** null: not called yet. */
  call: AheadCall | null;
};

export class Ahead {
  readonly #entries = new Map<number, Entry>();
  /** By prerequisite. */
  readonly #after = new Map<number, Entry[]>();
  /** Successes that are not stored, of steps that were called ahead and of others. */
  readonly #succeeded = new Set<number>();

  get size(): number {
    return this.#entries.size;
  }

  /** Positions that need not be granted again. */
  known(): number[] {
    return [...this.#entries.keys()];
  }

  /** @param stored what the turn that granted them has settled. @returns those that can be called now */
  grant(steps: GrantedStep[], stored: ReadonlySet<number>): GrantedStep[] {
    const ready: GrantedStep[] = [];
    for (const step of steps) {
      if (this.#entries.has(step.position)) continue;
      const open = new Set(step.needs.filter((position) => !stored.has(position)));
      const missing = new Set([...open].filter((position) => !this.#succeeded.has(position)));
      const entry: Entry = { step, missing, open, call: null };
      this.#entries.set(step.position, entry);
      for (const position of open) {
        const others = this.#after.get(position);
        if (others === undefined) this.#after.set(position, [entry]);
        else others.push(entry);
      }
      if (missing.size === 0) ready.push(step);
    }
    return ready;
  }

  /** The step at `position` has succeeded. @returns steps that can be called now */
  succeed(position: number): GrantedStep[] {
    this.#succeeded.add(position);
    const ready: GrantedStep[] = [];
    for (const entry of this.#after.get(position) ?? []) {
      const { step, missing, call } = entry;
      const last = missing.delete(position) && missing.size === 0;
      if (last && call === null && this.#entries.get(step.position) === entry) ready.push(step);
    }
    return ready;
  }

  begin(step: GrantedStep, lease: Lease, abort: AbortController, now: number): AheadCall {
    const times = { began: now, ended: now };
    const call = { step, lease, abort, outcome: null, storable: false, started: false, ...times };
    const entry = this.#entries.get(step.position);
    if (entry === undefined) throw new Error(`Ahead: step ${step.position} was not granted`);
    entry.call = call;
    return call;
  }

  /** What became of the call can be stored before its step has started. */
  allow(call: AheadCall): void {
    call.storable = true;
  }

  /** Whether it is known still; otherwise it has been taken or given up. */
  has(call: AheadCall): boolean {
    return this.#entries.get(call.step.position)?.call === call;
  }

  /** Whether something it waits for is not stored yet. */
  waits(call: AheadCall): boolean {
    return (this.#entries.get(call.step.position)?.open.size ?? 0) > 0;
  }

  /** The step has started, or what became of its call is of no use. @returns its call; null: there is none */
  take(position: number): AheadCall | null {
    const call = this.#entries.get(position)?.call ?? null;
    this.#entries.delete(position);
    return call;
  }

  /**
   * Successes that can be stored together with those at `settled`: all they wait for is among them.
   * @param atMost so many
   */
  choose(settled: ReadonlySet<number>, atMost: number): AheadCall[] {
    const chosen = new Map<number, AheadCall>();
    const look = (position: number) => {
      for (const entry of this.#after.get(position) ?? []) {
        if (chosen.size >= atMost) return;
        const { step, open, call } = entry;
        if (call === null || !call.storable || chosen.has(step.position)) continue;
        if (this.#entries.get(step.position) !== entry) continue;
        if ([...open].every((one) => settled.has(one) || chosen.has(one)))
          chosen.set(step.position, call);
      }
    };
    for (const position of settled) look(position);
    // What is chosen may be all that another waits for: a map is gone through to what was added last.
    for (const position of chosen.keys()) look(position);
    return [...chosen.values()];
  }

  /** As it is sent at the moment `now`. */
  describe({ step, outcome, began, ended }: AheadCall, now: number): AheadSuccess[] {
    const entry = this.#entries.get(step.position);
    if (entry === undefined || outcome === null) return [];
    // Two edges may lead from one step to another, and each is waited for.
    const unmet = step.needs.filter((position) => entry.open.has(position)).length;
    return [{ outcome, unmet, began_ms_ago: now - began, ended_ms_ago: now - ended }];
  }

  /** The steps at `positions` are settled. */
  settle(positions: Iterable<number>): void {
    for (const position of positions) {
      this.#succeeded.delete(position);
      for (const { open } of this.#after.get(position) ?? []) open.delete(position);
      this.#after.delete(position);
    }
  }

  /**
   * What succeeded at `positions` counts for nothing: takes out all that was granted because of it, however far.
   * @returns the calls among it
   */
  revoke(positions: Iterable<number>): AheadCall[] {
    const revoked: AheadCall[] = [];
    const open = [...positions];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      this.#succeeded.delete(at);
      const after = this.#after.get(at) ?? [];
      this.#after.delete(at);
      for (const entry of after) {
        const { position } = entry.step;
        if (this.#entries.get(position) !== entry) continue;
        const call = this.take(position);
        if (call !== null) revoked.push(call);
        open.push(position);
      }
    }
    return revoked;
  }

  /**
   * Takes out calls that came back and have lost their turn, since all they waited for is settled and they did not start,
   * and all that was granted because of them.
   */
  giveUp(): AheadCall[] {
    const lost: AheadCall[] = [];
    for (const [position, { open, call }] of this.#entries) {
      if (open.size > 0 || (call !== null && call.outcome === null)) continue;
      this.take(position);
      if (call !== null) lost.push(call);
      lost.push(...this.revoke([position]));
    }
    return lost;
  }

  /** Forgets what was granted and not called: it waits for what others do. */
  forgetUncalled(): void {
    for (const [position, { call }] of this.#entries)
      if (call === null) this.#entries.delete(position);
  }

  /** Takes out everything. @returns the calls */
  clear(): AheadCall[] {
    const calls = [...this.#entries.values()].flatMap(({ call }) => (call === null ? [] : [call]));
    this.#entries.clear();
    this.#after.clear();
    this.#succeeded.clear();
    return calls;
  }
}
