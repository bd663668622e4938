// Long work in slices, with the event loop free in between.
import { setImmediate } from 'node:timers/promises';

const sliceMs = 50;

export type Slices = {
  /** Whether to `rest` now. */
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
