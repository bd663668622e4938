// Throttles a task; runs never overlap.

export type Throttled = { request(): void; stop(): void };

/** Runs at once, then at most once in `interval` ms; later calls become one run. */
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
