// Work that waits for its turn: so much of it at once, the rest in the order it came.

/** Does the work when it is its turn. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(atOnce: number): InTurn {
  let under = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    // Whoever ends hands their turn on, so that nobody comes in between.
    if (under >= atOnce) await new Promise<void>((go) => waiting.push(go));
    else under += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) under -= 1;
      else next();
    }
  };
}
