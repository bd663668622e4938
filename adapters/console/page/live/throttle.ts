// Runs a task now, and at most once in `interval` after that; calls in between become one more run at the end.
// Runs never overlap.

export type Throttled = { request(): void; stop(): void };

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
