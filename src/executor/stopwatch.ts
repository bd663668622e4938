// Time that passes for others while this process, or its whole machine, stands still.
import type { Clock } from '#contracts/clock.ts';

/**
 * Milliseconds since it was called. The monotonic clock goes on while the process is stopped, but not while the machine
 * sleeps; the clock on the wall does that, but may be set back. The greater of the two is believed.
 */
export function startStopwatch(clock: Clock): () => number {
  const since = performance.now();
  const at = clock.now().getTime();
  return () => Math.max(performance.now() - since, clock.now().getTime() - at);
}
