// How many calls this process makes at once, over all plans.

export type Slots = {
  /** Waits for a slot, runs `work` in it, frees it. */
  run<T>(work: () => Promise<T>): Promise<T>;
};

export function createSlots(limit: number): Slots {
  let used = 0;
  const queue: (() => void)[] = [];
  return {
    async run(work) {
      if (used >= limit) await new Promise<void>((resolve) => queue.push(resolve));
      else used++;
      try {
        return await work();
      } finally {
        const next = queue.shift();
        if (next === undefined) used--;
        else next();
      }
    },
  };
}
