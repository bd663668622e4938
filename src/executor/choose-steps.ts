// Chooses ready steps that fit into the resource pools. Pure.
import type { PoolState, Reservation, ResourceWait } from '#db/sql/resources.ts';

export type Candidate = { position: number; needs: Record<string, number> };

export type Choice = {
  chosen: Candidate[];
  blocked: Reservation[];
};

/** Amounts are exact to the millionth but summed as doubles. */
const tolerance = 1e-7;

/** Smaller steps may overtake one that doesn't fit until it has waited `maxWaitMs`; then its resources are kept for it. */
export function chooseSteps(
  candidates: Candidate[],
  pools: PoolState[],
  waits: ResourceWait[],
  planId: string,
  limit: number,
  maxWaitMs: number,
): Choice {
  const free = new Map(pools.map(({ name, free }) => [name, free]));
  const limits = new Map(pools.map(({ name, limit }) => [name, limit]));
  const due = waits.filter(({ waited_ms }) => waited_ms >= maxWaitMs);
  const isOwn = (wait: ResourceWait, position: number) =>
    wait.plan_id === planId && wait.position === position;
  const keptBefore = (pool: string, position: number): number => {
    let kept = 0;
    for (const wait of due) {
      if (isOwn(wait, position)) break;
      if (wait.pool === pool) kept += wait.amount;
    }
    return kept;
  };
  const lined = new Set(waits.filter(({ plan_id }) => plan_id === planId).map(({ pool }) => pool));
  const chosen: Candidate[] = [];
  const blocked: Reservation[] = [];
  for (const candidate of candidates) {
    if (chosen.length === limit) break;
    const needs = Object.entries(candidate.needs);
    const fits = needs.every(([pool, amount]) => {
      const left = (free.get(pool) ?? 0) - keptBefore(pool, candidate.position);
      return amount <= left + tolerance;
    });
    if (fits) {
      chosen.push(candidate);
      for (const [pool, amount] of needs) free.set(pool, (free.get(pool) ?? 0) - amount);
      for (let at = due.length - 1; at >= 0; at--) {
        const wait = due[at];
        if (wait !== undefined && isOwn(wait, candidate.position)) due.splice(at, 1);
      }
      continue;
    }
    // Exceeds a capacity lowered since: keeping resources for it would block others forever.
    if (needs.some(([pool, amount]) => amount > (limits.get(pool) ?? 0) + tolerance)) continue;
    const held = waits.some((wait) => isOwn(wait, candidate.position));
    if (!held && needs.some(([pool]) => lined.has(pool))) continue;
    for (const [pool, amount] of needs) {
      lined.add(pool);
      blocked.push({ position: candidate.position, pool, amount });
    }
  }
  return { chosen, blocked };
}
