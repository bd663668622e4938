// Measures event loop turns in this thread's CPU time (the machine is shared).
import { registerHooks } from 'node:module';
import { configureGlobal } from 'fast-check';

/** CPU milliseconds of this thread. */
export const longestTurnMs = 200;
/** Turns are measured between ticks, so one looks longer by up to a tick. */
const tickMs = 20;

// Kept here because a test may replace them.
const { setInterval, clearInterval } = globalThis;

let modules = 0;
registerHooks({
  load(url, context, next) {
    modules += 1;
    return next(url, context);
  },
});

function readThreadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

class LoopWatch {
  /** Why the test may hold the loop. */
  reason: string | null = null;
  #longest = 0;
  #since = 0;
  #modules = 0;
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.reason = null;
    this.#longest = 0;
    clearInterval(this.#timer);
    this.leaveOut();
    this.#timer = setInterval(() => this.look(), tickMs).unref();
  }

  look(): void {
    if (modules === this.#modules)
      this.#longest = Math.max(this.#longest, readThreadMs() - this.#since);
    this.leaveOut();
  }

  leaveOut(): void {
    this.#since = readThreadMs();
    this.#modules = modules;
  }

  stop(): number {
    clearInterval(this.#timer);
    this.look();
    return this.#longest;
  }
}
const watch = new LoopWatch();

// Each property case counts separately. Generating cases is the test's own work.
configureGlobal({ beforeEach: () => watch.leaveOut(), afterEach: () => watch.look() });

/** Does not count for the test. */
export function measureTurn<T>(work: () => T): { value: T; ms: number } {
  watch.look();
  const before = readThreadMs();
  const value = work();
  const ms = readThreadMs() - before;
  watch.leaveOut();
  return { value, ms };
}

/** @param reason why outside input can't do that */
export function mayHoldLoop(reason: string): void {
  watch.reason = reason;
}

export function startWatch(): void {
  watch.start();
}

const reference = Array.from({ length: 300 }, (_, at) => ({
  id: `${at}`,
  text: 'a b '.repeat(12),
}));
/** On the machine `longestTurnMs` was chosen on. */
const referenceMs = 25;

/** Relative to the reference. */
function measureSlowness(): number {
  const before = readThreadMs();
  for (let round = 0; round < 100; round++) {
    const copies: typeof reference = JSON.parse(JSON.stringify(reference));
    const texts = new Map(copies.map(({ id, text }) => [id, text]));
    for (const { id } of copies) texts.get(id)?.split(' ');
  }
  return Math.min(3, Math.max(1, (readThreadMs() - before) / referenceMs));
}

const toIdleMs = (ms: number, slownessOf = measureSlowness): number =>
  ms < longestTurnMs ? ms : ms / slownessOf();

/** @throws Error if it takes longer */
export function runInTurn<T>(work: () => T, turns = 1): T {
  const { value, ms } = measureTurn(work);
  const [took, limit] = [toIdleMs(ms), turns * longestTurnMs];
  if (took < limit) return value;
  throw new Error(`It took ${Math.round(took)} ms, and it has ${limit} ms.`);
}

/** @throws Error if the loop was held */
export function endWatch(slownessOf = measureSlowness): void {
  const ms = toIdleMs(watch.stop(), slownessOf);
  if (watch.reason !== null) return;
  if (ms < longestTurnMs + tickMs) return;
  throw new Error(
    `The event loop was held for ${Math.round(ms)} ms of processor time, and ${longestTurnMs} is the limit. ` +
      'Slice the work, bound it or move it to a thread; mayHoldLoop() is for work that only a test does.',
  );
}
