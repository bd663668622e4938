// Long work in slices: between two of them everything else in the process has its turn.
import { setImmediate } from 'node:timers/promises';

/** Milliseconds of a slice. */
const sliceMs = 50;

export type Slices = {
  /** Whether it is time to `rest`. */
  readonly isOver: boolean;
  rest(): Promise<void>;
};

/** Begins the first slice. Ask `if (slices.isOver) await slices.rest();` after each piece of work. */
export function startSlices(): Slices {
  let began = performance.now();
  return {
    get isOver() {
      return performance.now() - began >= sliceMs;
    },
    async rest() {
      await setImmediate();
      began = performance.now();
    },
  };
}
