// Shares the slots of one back end between plans: it claims ahead as many steps of a plan as it finished recently. When it is full,
// the person with the fewest slots is next, and each person's plans take turns (max-min fairness).
import { errorMessage } from '#domain/errors.ts';

/** Thrown in place of work that did not begin: it left the queue. */
export class LeftQueue extends Error {}

/** Who claims steps of one plan. */
export type Claimant = {
  readonly planId: string;
  /** Who asked for the plan; null: not known yet. */
  readonly person: string | null;
  /** How many of its calls came back quickly within the last fraction of a second. */
  readonly pace: number;
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
  release(claimant: Claimant, count: number): void;
  /**
   * Waits for a slot, runs `work` in it, frees it.
   * @param signal aborted while it waits: it leaves
   * @param letGo given for what only waits for a time; called when that takes no slot, so that it need not be held
   * @throws LeftQueue with the reason
   */
  run<T>(work: () => Promise<T>, signal: AbortSignal, letGo?: () => void): Promise<T>;
};

/** What is held is looked at this often (milliseconds). */
const lookEveryMs = 250;
/** What was claimed waits for a slot this long (milliseconds), then others may be free sooner. */
const waitAtMostMs = 1000;
/** Where nothing began for so long (milliseconds) though some wait, one call more is made; then twice as many more each time. */
const standstillMs = 500;
/** Steps that only wait for a time, beyond which they take slots like others. */
const maxIdle = 4096;
/** The share of the further calls that is kept for people who hold nothing. */
const keptShare = 1 / 4;

/** Those who stand in line, by person; who was served last stands last. */
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

  get people(): Iterable<string> {
    return this.#people.keys();
  }

  /** Takes the first plan of `person` out; the person comes last now. */
  next(person: string): Claimant | null {
    const plans = this.#people.get(person);
    const [claimant] = plans ?? [];
    if (plans === undefined || claimant === undefined) return null;
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
  type Waiting = { since: number; begin(): void; leave(reason: string): void };
  /** Claimed or about to be, and not ended: what counts, and what was admitted beyond that for its pace. */
  const holdings = new Map<Claimant, { counted: number; extra: number }>();
  let held = 0;
  /** Calls under way that take a slot, and that only wait for a time. */
  let used = 0;
  let idling = 0;
  let lent = 0;
  let lastBegun = Number.NEGATIVE_INFINITY;
  const queue = new Set<Waiting>();
  const line = new Line();
  /** What those who were woken may claim. */
  const granted = new Map<Claimant, number>();
  let looking: NodeJS.Timeout | undefined;

  const mostOfOne = most - Math.floor((most - limit) * keptShare);

  function countHeldBy(person: string): number {
    let sum = 0;
    for (const [claimant, { counted }] of holdings)
      if ((claimant.person ?? '') === person) sum += counted;
    return sum;
  }

  /** Slots for somebody who holds `own`. */
  function countFree(own: number): number {
    return Math.max(0, Math.min(limit + lent, own > 0 ? mostOfOne : most) - held);
  }

  /** Who of those in line holds the fewest slots, and how many; null: nobody stands in line. */
  function findNext(): { person: string; own: number } | null {
    let next: { person: string; own: number } | null = null;
    for (const person of line.people) {
      const own = countHeldBy(person);
      if (next === null || own < next.own) next = { person, own };
      if (own === 0) break;
    }
    return next;
  }

  function wakeNext(): void {
    for (let next = findNext(); next !== null; next = findNext()) {
      const free = countFree(next.own);
      const claimant = free === 0 ? null : line.next(next.person);
      if (claimant === null) return;
      const share = Math.max(1, Math.floor(free / (line.size + 1)));
      granted.set(claimant, share);
      hold(claimant, share, 0);
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
    const now = performance.now();
    for (const waiting of queue) {
      if (now - waiting.since < waitAtMostMs) break;
      waiting.leave('others may be free sooner');
    }
    const someWait = queue.size > 0 || line.size > 0;
    const bound = findNext()?.own === 0 ? most : mostOfOne;
    if (someWait && limit + lent < bound && now - lastBegun > standstillMs) {
      lent = Math.min(bound - limit, Math.max(1, 2 * lent));
      lastBegun = now;
    }
    beginNext();
    wakeNext();
    if (holdings.size > 0 || line.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  function hold(claimant: Claimant, counted: number, extra: number): void {
    const before = holdings.get(claimant);
    holdings.set(claimant, {
      counted: (before?.counted ?? 0) + counted,
      extra: (before?.extra ?? 0) + extra,
    });
    held += counted;
    looking ??= setInterval(look, lookEveryMs).unref();
  }

  function release(claimant: Claimant, count: number): void {
    const { counted, extra } = holdings.get(claimant) ?? { counted: 0, extra: 0 };
    const freed = Math.min(count, counted);
    const left = { counted: counted - freed, extra: Math.max(0, extra - (count - freed)) };
    if (left.counted + left.extra === 0) holdings.delete(claimant);
    else holdings.set(claimant, left);
    held -= freed;
    if (freed > 0) wakeNext();
  }

  function wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => waiting.leave(errorMessage(signal.reason));
      const end = () => {
        queue.delete(waiting);
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
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

  return {
    isFull: () => line.size > 0 || countFree(1) === 0,
    admit(claimant, wanted) {
      const kept = granted.get(claimant) ?? 0;
      granted.delete(claimant);
      if (wanted <= kept) {
        if (wanted === 0) line.remove(claimant);
        if (wanted < kept) release(claimant, kept - wanted);
        return wanted;
      }
      const free = line.size > 0 ? 0 : countFree(countHeldBy(claimant.person ?? ''));
      const counted = Math.min(wanted - kept, free);
      const room = Math.max(0, claimant.pace - (holdings.get(claimant)?.extra ?? 0));
      const extra = Math.min(wanted - kept - counted, room);
      const admitted = kept + counted + extra;
      if (admitted > 0) hold(claimant, counted, extra);
      else if (!line.has(claimant)) line.add(claimant);
      return admitted;
    },
    release,
    async run(work, signal, letGo) {
      if (letGo !== undefined && idling < maxIdle) {
        idling++;
        letGo();
        return work().finally(() => idling--);
      }
      if (used >= limit + lent) await wait(signal);
      else used++;
      lastBegun = performance.now();
      try {
        return await work();
      } finally {
        used--;
        if (used < limit) lent = 0;
        beginNext();
      }
    },
  };
}

// How often something happened within the last fraction of a second.

/** It is counted over this long (milliseconds), and over as long before. */
const intervalMs = 250;

export class Pace {
  #since = Number.NEGATIVE_INFINITY;
  #now = 0;
  #before = 0;

  count(): void {
    this.#turn();
    this.#now++;
  }

  /** How often in the last 250 to 500 ms. */
  get lately(): number {
    this.#turn();
    return this.#now + this.#before;
  }

  #turn(): void {
    const now = performance.now();
    const past = now - this.#since;
    if (past < intervalMs) return;
    this.#before = past < 2 * intervalMs ? this.#now : 0;
    this.#now = 0;
    this.#since = now;
  }
}
