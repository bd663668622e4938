// How much one back end takes on at once, over all plans: how many steps may be claimed, which calls are made, and who is next.
//
// A back end claims what it can call at once, and as much again as it has lately called within a fraction of a second; so quick
// steps are claimed in large batches and slow ones only where they begin. Where there is no room, plans stand in line: people
// take turns, and of each person the plans (fair queueing: Nagle, RFC 970). What was claimed and waits for a slot all the same,
// because the calls became slow, is handed back. Where nothing begins because all calls are slow, some more are made.
import { errorMessage } from '#contracts/errors.ts';

/** Thrown in place of work that did not begin: it left the queue. */
export class LeftQueue extends Error {}

/** Who claims steps of one plan. */
export type Claimant = {
  readonly planId: string;
  /** Who asked for the plan; null: not known yet. */
  readonly person: string | null;
  /** Called when it should ask again. */
  wake(): void;
};

export type Slots = {
  /** Whether who asks now may have to stand in line. */
  isFull(): boolean;
  /**
   * How many steps may be claimed, at most `wanted`. They count as held until they are released. Who gets none stands in line, and
   * is woken; who wants none leaves it.
   */
  admit(claimant: Claimant, wanted: number): number;
  /** One more is held, whether or not there is room. */
  hold(): void;
  release(count: number): void;
  /**
   * Waits for a slot, runs `work` in it, frees it.
   * @param signal aborted while it waits: it leaves
   * @param idle it only waits for a time, which takes no slot
   * @throws LeftQueue with the reason
   */
  run<T>(work: () => Promise<T>, planId: string, signal: AbortSignal, idle?: boolean): Promise<T>;
  /** Sends away what waits for the plan. */
  dismiss(planId: string, reason: string): void;
};

/** What is held is looked at this often (milliseconds). */
const lookEveryMs = 250;
/** Calls that came back this quickly (milliseconds) let more be claimed than is called at once. */
const quickMs = 250;
/** What was claimed waits for a slot this long (milliseconds), then others may be free sooner. */
const waitAtMostMs = 1000;
/** Where nothing began for so long (milliseconds) though some wait, one call more is made. */
const standstillMs = 1000;
/** Steps that only wait for a time, beyond which they take slots like others. */
const idleAtMost = 4096;

/** Those who stand in line, by person: the next is the first of the person whose turn it is. */
class Line {
  readonly #people = new Map<string, Set<Claimant>>();
  readonly #personOf = new Map<Claimant, string>();

  get size(): number {
    return this.#personOf.size;
  }

  has(claimant: Claimant): boolean {
    return this.#personOf.has(claimant);
  }

  add(claimant: Claimant): void {
    const person = claimant.person ?? '';
    const plans = this.#people.get(person) ?? new Set();
    this.#people.set(person, plans.add(claimant));
    this.#personOf.set(claimant, person);
  }

  remove(claimant: Claimant): void {
    const person = this.#personOf.get(claimant);
    if (person === undefined) return;
    this.#personOf.delete(claimant);
    const plans = this.#people.get(person);
    plans?.delete(claimant);
    if (plans?.size === 0) this.#people.delete(person);
  }

  /** Takes the next one out; its person comes last now. */
  next(): Claimant | null {
    const [turn] = this.#people;
    if (turn === undefined) return null;
    const [person, plans] = turn;
    const [claimant] = plans;
    if (claimant === undefined) return null;
    this.remove(claimant);
    if (this.#people.delete(person)) this.#people.set(person, plans);
    return claimant;
  }
}

/**
 * @param limit calls under way at once
 * @param most the same where all of them are slow and others wait
 */
export function createSlots(limit: number, most = limit): Slots {
  type Waiting = { planId: string; since: number; begin(): void; leave(reason: string): void };
  /** Claimed or about to be, and not ended. */
  let held = 0;
  /** Calls under way that take a slot, and that take none. */
  let used = 0;
  let idling = 0;
  let lent = 0;
  /** Quick calls that came back since the last look, and in the interval before. */
  let returned = 0;
  let returnedBefore = 0;
  let lastBegun = Number.NEGATIVE_INFINITY;
  const queue = new Set<Waiting>();
  const line = new Line();
  /** What those who were woken may claim. */
  const granted = new Map<Claimant, number>();
  let looking: NodeJS.Timeout | undefined;

  const countFree = () => Math.max(0, limit + lent + returned + returnedBefore - (held - idling));

  function wakeNext(): void {
    for (let free = countFree(); free > 0 && line.size > 0; free = countFree()) {
      const share = Math.max(1, Math.floor(free / line.size));
      const claimant = line.next();
      if (claimant === null) return;
      granted.set(claimant, share);
      held += share;
      claimant.wake();
    }
  }

  function beginNext(): void {
    for (const waiting of queue) {
      if (used >= limit + lent) return;
      waiting.begin();
    }
  }

  function look(): void {
    returnedBefore = returned;
    returned = 0;
    const now = performance.now();
    for (const waiting of queue) {
      if (now - waiting.since < waitAtMostMs) break;
      waiting.leave('others may be free sooner');
    }
    const someWait = queue.size > 0 || line.size > 0;
    if (someWait && limit + lent < most && now - lastBegun > standstillMs) {
      lent++;
      lastBegun = now;
    }
    beginNext();
    wakeNext();
    if (held > 0 || line.size > 0) return;
    returnedBefore = 0;
    clearInterval(looking);
    looking = undefined;
  }

  function hold(count: number): void {
    held += count;
    looking ??= setInterval(look, lookEveryMs).unref();
  }

  function release(count: number): void {
    held -= count;
    wakeNext();
  }

  function wait(planId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => waiting.leave(errorMessage(signal.reason));
      const end = () => {
        queue.delete(waiting);
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        planId,
        since: performance.now(),
        begin() {
          end();
          used++;
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

  async function runIdle<T>(work: () => Promise<T>): Promise<T> {
    idling++;
    wakeNext();
    try {
      return await work();
    } finally {
      idling--;
    }
  }

  return {
    isFull: () => line.size > 0 || countFree() === 0,
    admit(claimant, wanted) {
      const kept = granted.get(claimant) ?? 0;
      granted.delete(claimant);
      if (wanted <= kept) {
        if (wanted === 0) line.remove(claimant);
        if (wanted < kept) release(kept - wanted);
        return wanted;
      }
      if (line.has(claimant)) return 0;
      const more = line.size > 0 ? 0 : Math.min(wanted - kept, countFree());
      if (more > 0) hold(more);
      if (kept + more === 0) line.add(claimant);
      return kept + more;
    },
    hold: () => hold(1),
    release,
    async run(work, planId, signal, idle = false) {
      if (idle && idling < idleAtMost && !signal.aborted) return runIdle(work);
      if (used >= limit + lent) await wait(planId, signal);
      else used++;
      const began = performance.now();
      lastBegun = began;
      try {
        return await work();
      } finally {
        used--;
        if (performance.now() - began < quickMs) returned++;
        if (used < limit) lent = 0;
        beginNext();
      }
    },
    dismiss(planId, reason) {
      for (const waiting of [...queue]) if (waiting.planId === planId) waiting.leave(reason);
    },
  };
}
