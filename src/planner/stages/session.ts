// A planning session's state, changed only here for consistency.
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { PlanningState, SessionRead } from '#domain/planning/state.ts';
import type { Adaptation, Confidence, TraceEntry } from '#domain/planning/trace.ts';
import { addRead } from '../reads/session-reads.ts';
import { invalidates, type Product, type StateChanges } from '../tool.ts';

export type Sureness = { self: number | null; heuristics: number | null };

const mostFound = 20;

export class Session {
  #state: PlanningState;
  #sureness: Sureness = { self: null, heuristics: null };

  constructor(state: PlanningState) {
    this.#state = state;
  }

  get state(): Readonly<PlanningState> {
    return this.#state;
  }

  get sureness(): Sureness {
    return this.#sureness;
  }

  change(changes: StateChanges): void {
    this.#state = { ...this.#state, ...changes };
  }

  /** Clears an earlier try. */
  enter(stage: Stage): void {
    this.#state = { ...this.#state, stage };
    this.#sureness = { self: null, heuristics: null };
  }

  has(product: Product): boolean {
    // A draft needs a step, not a submission.
    if (product === 'draft')
      return this.#state.outline?.nodes.some(({ steps }) => steps.length > 0) === true;
    return this.#state.produced.includes(product);
  }

  addRead(read: SessionRead): void {
    this.#state = { ...this.#state, reads: addRead(this.#state.reads, read) };
  }

  addFound(names: string[]): void {
    const found = [...new Set([...this.#state.found, ...names])].slice(-mostFound);
    this.#state = { ...this.#state, found };
  }

  lacking(products: Product[]): Product[] {
    return products.filter((product) => !this.has(product));
  }

  produce(products: Product[]): void {
    const gone = new Set(products.flatMap((product) => invalidates[product]));
    const kept = this.#state.produced.filter((name) => !(gone as Set<string>).has(name));
    this.#state = { ...this.#state, produced: [...new Set([...kept, ...products])] };
  }

  discard(products: Product[]): void {
    const gone = new Set<string>(products.flatMap((product) => [product, ...invalidates[product]]));
    this.#state = {
      ...this.#state,
      produced: this.#state.produced.filter((name) => !gone.has(name)),
    };
  }

  weigh(sureness: Partial<Sureness>): void {
    this.#sureness = { ...this.#sureness, ...sureness };
  }

  setConfidence(stage: Stage, confidence: Confidence): void {
    this.#state = {
      ...this.#state,
      confidence: { ...this.#state.confidence, [stage]: confidence },
    };
  }

  /** @returns tries of `stage` */
  retry(stage: Stage): number {
    const tries = (this.#state.retries[stage] ?? 0) + 1;
    this.#state = { ...this.#state, retries: { ...this.#state.retries, [stage]: tries } };
    return tries;
  }

  forgetRetries(stage: Stage): void {
    this.#state = { ...this.#state, retries: { ...this.#state.retries, [stage]: 0 } };
  }

  pay(calls: number, usd: number): void {
    const { calls: before, cost_usd } = this.#state;
    this.#state = { ...this.#state, calls: before + calls, cost_usd: cost_usd + usd };
  }

  note(entry: TraceEntry): void {
    const { trace, turn } = this.#state;
    this.#state = { ...this.#state, trace: [...trace, { ...entry, turn }] };
  }

  noteTransition(
    from: Stage,
    event: StageEvent,
    to: Stage,
    at: Date,
    more: Partial<TraceEntry> & { adaptations?: Adaptation[] } = {},
  ): void {
    this.note({
      stage: from,
      tool: 'controller',
      at: at.toISOString(),
      duration_ms: 0,
      ok: true,
      confidence: this.#state.confidence[from]?.composite ?? null,
      cost_delta: 0,
      explanation: `${event.replaceAll('_', ' ')} → ${to}`,
      event,
      to,
      ...more,
    });
  }
}
