// Long work in slices, with the event loop free in between. A turn of the loop has one slice for all works together.
import { setImmediate } from 'node:timers';

const sliceMs = 50;

/** When the work of this turn was first asked about; null: it was not yet. */
let began: number | null = null;
let isTurnWatched = false;
/** Works that rest. Each turn one of them continues. */
const resting: (() => void)[] = [];

function watchTurn(): void {
  if (isTurnWatched) return;
  isTurnWatched = true;
  setImmediate(() => {
    isTurnWatched = false;
    const next = resting.shift();
    began = next === undefined ? null : performance.now();
    if (next === undefined) return;
    next();
    watchTurn();
  });
}

/** Whether the slice of this turn is used up. Ask `if (isSliceOver()) await nextTurn();` after each piece of work. */
export function isSliceOver(): boolean {
  const now = performance.now();
  began ??= now;
  watchTurn();
  return now - began >= sliceMs;
}

/** Continues in a later turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    resting.push(resolve);
    watchTurn();
  });
}

export async function mapInSlices<T, R>(
  items: Iterable<T>,
  map: (item: T, index: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) {
    results.push(map(item, results.length));
    if (isSliceOver()) await nextTurn();
  }
  return results;
}
