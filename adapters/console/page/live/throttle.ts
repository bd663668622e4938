// Runs a task less often than it is asked for. Runs never overlap.

export type Throttled = { request(): void; stop(): void };

/** Runs `task` now, and at most once in `interval` ms after that; calls in between become one more run at the end. */
export function createThrottle(task: () => Promise<void>, interval: number): Throttled {
  let wanted = false;
  let busy = false;
  let stopped = false;

  const run = async () => {
    busy = true;
    while (wanted && !stopped) {
      wanted = false;
      await task();
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
    busy = false;
  };

  return {
    request() {
      wanted = true;
      if (!busy && !stopped) void run();
    },
    stop() {
      stopped = true;
    },
  };
}
