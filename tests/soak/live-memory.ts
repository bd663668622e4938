// Preloaded with `--import`: logs memory after full collections.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Bytes. */
export type LiveMemory = { at: number; heap: number; outside: number };

// Node's types lack the detail.
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
