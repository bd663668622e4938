// Splits long work so that the event loop stays responsive.
import { setImmediate } from 'node:timers';

const sliceMs = 50;

/** Start of this turn's slice, which all jobs share. */
let began: number | null = null;
let isTurnWatched = false;
/** One resumes per turn. */
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

/** After each piece: `if (isSliceOver()) await nextTurn();` */
export function isSliceOver(): boolean {
  const now = performance.now();
  began ??= now;
  watchTurn();
  return now - began >= sliceMs;
}

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
