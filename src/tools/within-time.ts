// Work on what a server sent, for a limited time: V8 stops it in the middle, also inside an expression or a library.
import { createContext, Script } from 'node:vm';
import { isObject } from '#domain/text.ts';

/** CPU time that work may take. */
const longestWorkMs = 100;
/** On a busy machine others have most of the time: then it is tried again with twice as much, so often at most. */
const tries = 6;

const script = new Script('work()');
const context: { work?: () => void } = createContext({});

/** What `work` returns; null: it takes too long. */
export function withinTime<T>(work: () => T): { value: T } | null {
  for (let attempt = 0; attempt < tries; attempt++) {
    const before = process.threadCpuUsage();
    let done: { value: T } | null = null;
    context.work = () => {
      done = { value: work() };
    };
    try {
      script.runInContext(context, { timeout: longestWorkMs * 2 ** attempt });
      return done;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const { user, system } = process.threadCpuUsage(before);
      if (user + system > longestWorkMs * 900) return null; // microseconds
    } finally {
      delete context.work;
    }
  }
  return null;
}

/** It comes from the other context, where errors are of another class. */
const isTimeout = (error: unknown): boolean =>
  isObject(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
