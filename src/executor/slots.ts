// Shares a back end's slots between plans, which claim ahead at their pace.
// When full, the person with the fewest slots is next (max-min fairness), and each person's plans take turns.
import { errorMessage } from '#domain/errors.ts';

export class LeftQueue extends Error {}

export type Claimant = {
  readonly planId: string;
  /** The plan's requester, or null if not known yet. */
  readonly person: string | null;
  readonly pace: number;
  wake(): void;
};

export type Slots = {
  /** They count until released. At 0 the claimant queues and is woken; asking for 0 leaves the queue. */
  admit(claimant: Claimant, wanted: number): number;
  release(claimant: Claimant, count: number): void;
  /** @param letGo called if the work only waits and takes no slot @throws LeftQueue with the reason */
  run<T>(work: () => Promise<T>, signal: AbortSignal, letGo?: () => void): Promise<T>;
};

const lookEveryMs = 250;
/** Then a waiting step is released to other workers. */
const maxWaitMs = 1000;
/** Without a start: one more call is allowed, doubling each time. */
const standstillMs = 500;
const maxIdle = 4096;
const keptShare = 1 / 4;

/** The person served last comes last. */
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

  next(person: string): Claimant | null {
    const plans = this.#people.get(person);
    const [claimant] = plans ?? [];
    if (plans === undefined || claimant === undefined) return null;
    this.remove(claimant);
    if (this.#people.delete(person)) this.#people.set(person, plans);
    return claimant;
  }
}

/** @param most the limit when all calls are slow and others wait */
export function createSlots(limit: number, most = limit): Slots {
  type Waiting = { since: number; begin(): void; leave(reason: string): void };
  const holdings = new Map<Claimant, { counted: number; extra: number }>();
  let held = 0;
  let used = 0;
  let idling = 0;
  let lent = 0;
  let lastBegun = Number.NEGATIVE_INFINITY;
  const queue = new Set<Waiting>();
  const line = new Line();
  const granted = new Map<Claimant, number>();
  let looking: NodeJS.Timeout | undefined;

  const mostOfOne = most - Math.floor((most - limit) * keptShare);

  function countHeldBy(person: string): number {
    let sum = 0;
    for (const [claimant, { counted }] of holdings)
      if ((claimant.person ?? '') === person) sum += counted;
    return sum;
  }

  function countFree(own: number): number {
    return Math.max(0, Math.min(limit + lent, own > 0 ? mostOfOne : most) - held);
  }

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
      if (now - waiting.since < maxWaitMs) break;
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

const intervalMs = 250;

export class Pace {
  #since = Number.NEGATIVE_INFINITY;
  #now = 0;
  #before = 0;

  count(): void {
    this.#turn();
    this.#now++;
  }

  /** Over the last 250 to 500 ms. */
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
