// Times a steady rate in a thread; sleeps rather than busy-waits.
import { parentPort, workerData } from 'node:worker_threads';
import { monotonicNow } from './numbers.ts';

export type Beat = { count: number; rate: number };

const { count, rate } = workerData as Beat;
const asleep = new Int32Array(new SharedArrayBuffer(4));
const began = monotonicNow();
for (let at = 0; at < count; at++) {
  const due = began + (at * 1000) / rate;
  const wait = due - monotonicNow();
  if (wait > 0) Atomics.wait(asleep, 0, 0, wait);
  parentPort?.postMessage(due);
}
