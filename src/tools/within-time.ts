// Work on what a server sent, for a limited time: V8 stops it in the middle, also inside an expression or a library.
import { createContext, Script } from 'node:vm';
import { isObject } from '#domain/text.ts';

const longestWorkMs = 100;
/** A busy machine may have given the time to others: then it is tried again. */
const tries = 5;

const script = new Script('work()');
const context: { work?: () => void } = createContext({});

/** What `work` returns; null: it takes too long. */
export function withinTime<T>(work: () => T): { value: T } | null {
  const before = process.threadCpuUsage();
  for (let attempt = 1; attempt <= tries; attempt++) {
    let done: { value: T } | null = null;
    context.work = () => {
      done = { value: work() };
    };
    try {
      script.runInContext(context, { timeout: longestWorkMs });
      return done;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const { user, system } = process.threadCpuUsage(before);
      if (user + system > (longestWorkMs * 1000) / 2) return null;
    } finally {
      delete context.work;
    }
  }
  return null;
}

/** It comes from the other context, where errors are of another class. */
const isTimeout = (error: unknown): boolean =>
  isObject(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
