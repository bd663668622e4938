// Loaded into each process of a soak (`--import`): what is left in memory after each full collection, as lines of JSON.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Bytes of the heap, and of buffers outside it, just after a full collection. */
export type LiveMemory = { at: number; heap: number; outside: number };

/** Whether an entry of `gc` is of a full collection; Node's types do not say what is in it. */
function isFull(entry: object): boolean {
  const { detail } = entry as { detail?: { kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

const folder = process.env.SOAK_MEMORY;
if (folder !== undefined && isMainThread) {
  const file = join(folder, String(process.pid));
  new PerformanceObserver((list) => {
    if (!list.getEntries().some(isFull)) return;
    const { heapUsed, external } = process.memoryUsage();
    const live: LiveMemory = { at: Date.now(), heap: heapUsed, outside: external };
    appendFileSync(file, `${JSON.stringify(live)}\n`);
  }).observe({ entryTypes: ['gc'] });
}
