// Time-limits work: V8 interrupts it even inside an expression or library.
import { createContext, Script } from 'node:vm';
import { isObject } from '#domain/text.ts';

const longestWorkMs = 100;
/** Below this share of the CPU, an attempt is repeated with a longer limit. */
const enough = 0.7;
const tries = 4;

const script = new Script('work()');
const context: { work?: () => void } = createContext({});

export function withinTime<T>(work: () => T): { value: T } | null {
  let timeout = longestWorkMs;
  for (let attempt = 0; attempt < tries; attempt++) {
    const before = process.threadCpuUsage();
    let done: { value: T } | null = null;
    context.work = () => {
      done = { value: work() };
    };
    try {
      script.runInContext(context, { timeout });
      return done;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const { user, system } = process.threadCpuUsage(before);
      const share = (user + system) / 1000 / longestWorkMs;
      if (share > enough) return null;
      timeout = Math.ceil(timeout * Math.min(4, 1 / share));
    } finally {
      delete context.work;
    }
  }
  return null;
}

/** From the other context, with another error class. */
const isTimeout = (error: unknown): boolean =>
  isObject(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
