// Steps that leave or return with a step.

export type Linked = { id: string; after: { id: string }[] };

/** Reachable over `next`, without `start`. */
function reach(start: string, next: (id: string) => string[]): string[] {
  const seen = new Set([start]);
  const queue = [start];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const other of next(id)) {
      if (seen.has(other)) continue;
      seen.add(other);
      queue.push(other);
    }
  }
  seen.delete(start);
  return [...seen];
}

/** Transitive needs and dependents. */
export function findChain(
  steps: readonly Linked[],
  id: string,
): { needs: string[]; needed_by: string[] } {
  const before = new Map(steps.map((step) => [step.id, step.after.map((edge) => edge.id)]));
  const behind = new Map<string, string[]>();
  for (const { id: own, after } of steps)
    for (const edge of after) behind.set(edge.id, [...(behind.get(edge.id) ?? []), own]);
  return {
    needs: reach(id, (one) => before.get(one) ?? []),
    needed_by: reach(id, (one) => behind.get(one) ?? []),
  };
}

export function withStep(
  steps: ReadonlySet<string>,
  id: string,
  wanted: boolean,
): ReadonlySet<string> {
  const others = [...steps].filter((one) => one !== id);
  return new Set(wanted ? [...others, id] : others);
}

/** Removes a step with its dependents, or adds it with its needs. @returns the set, and the others */
export function toggleClosed(
  off: ReadonlySet<string>,
  id: string,
  { needs, needed_by }: ReturnType<typeof findChain>,
): { off: ReadonlySet<string>; also: string[] } {
  const next = new Set(off);
  if (off.has(id)) {
    const also = needs.filter((one) => off.has(one));
    for (const one of [id, ...also]) next.delete(one);
    return { off: next, also };
  }
  const also = needed_by.filter((one) => !off.has(one));
  for (const one of [id, ...also]) next.add(one);
  return { off: next, also };
}
