// Preloaded into each process of a soak (`--import`): logs memory after each full collection as JSON lines.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Bytes of heap and external buffers just after a full collection. */
export type LiveMemory = { at: number; heap: number; outside: number };

/** Whether a `gc` entry is a full collection; Node's types leave out its detail. */
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
