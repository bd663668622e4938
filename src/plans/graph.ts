// Questions about the DAG of a plan, stored or not. Positions count from 1.
import type { Edge } from '#db/steps.ts';

/** Successors of each position; index 0 is unused. */
function successorsOf(total: number, edges: Edge[]): number[][] {
  const successors: number[][] = Array.from({ length: total + 1 }, () => []);
  for (const { predecessor, successor } of edges) successors[predecessor]?.push(successor);
  return successors;
}

/**
 * A cycle as positions in order, or null. Kahn's algorithm (1962) peels off what is free;
 * what remains holds a cycle, found by following predecessors that remain.
 */
export function findCycle(total: number, edges: Edge[]): number[] | null {
  const successors = successorsOf(total, edges);
  const unmet = new Int32Array(total + 1);
  for (const { successor } of edges) unmet[successor] = (unmet[successor] ?? 0) + 1;
  const free: number[] = [];
  for (let position = 1; position <= total; position++) {
    if (unmet[position] === 0) free.push(position);
  }
  let peeled = 0;
  for (let position = free.pop(); position !== undefined; position = free.pop()) {
    peeled++;
    for (const next of successors[position] ?? []) {
      const left = (unmet[next] ?? 0) - 1;
      unmet[next] = left;
      if (left === 0) free.push(next);
    }
  }
  if (peeled === total) return null;
  const before = new Map<number, number>();
  for (const { predecessor, successor } of edges) {
    if ((unmet[successor] ?? 0) > 0 && (unmet[predecessor] ?? 0) > 0)
      before.set(successor, predecessor);
  }
  const path: number[] = [];
  const seen = new Map<number, number>();
  let at = before.keys().next().value;
  while (at !== undefined && !seen.has(at)) {
    seen.set(at, path.length);
    path.push(at);
    at = before.get(at);
  }
  return at === undefined ? path : path.slice(seen.get(at)).reverse();
}
