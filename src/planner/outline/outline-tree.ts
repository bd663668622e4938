// Indexes an outline; tolerates missing parents, cycles and duplicate IDs.
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';

export type Tree = {
  nodes: OutlineNode[];
  /** First node per ID. */
  places: Map<string, number>;
  /** -1 for a root or broken path. */
  parents: number[];
  children: number[][];
  /** From 1 at a root; in a broken tree, at the break. */
  depths: number[];
  /** Preorder, siblings as listed. */
  order: number[];
  orphans: number[];
  /** Cycles of parents. */
  rings: number[][];
};

function findRings(parents: number[]): number[][] {
  const rings: number[][] = [];
  /** 0 if unseen, else the walk's number. */
  const seen = new Int32Array(parents.length);
  for (let start = 0; start < parents.length; start += 1) {
    let at = start;
    while (at !== -1 && seen[at] === 0) {
      seen[at] = start + 1;
      at = parents[at] ?? -1;
    }
    if (at === -1 || seen[at] !== start + 1) continue;
    const ring = [at];
    for (let next = parents[at] ?? -1; next !== at; next = parents[next] ?? -1) ring.push(next);
    const first = ring.indexOf(ring.reduce((least, index) => Math.min(least, index)));
    rings.push([...ring.slice(first), ...ring.slice(0, first)]);
  }
  return rings;
}

export function readTree(nodes: OutlineNode[]): Tree {
  const places = new Map<string, number>();
  nodes.forEach(({ id }, index) => {
    if (!places.has(id)) places.set(id, index);
  });
  const orphans: number[] = [];
  const parents = nodes.map(({ parent }, index) => {
    if (parent === null) return -1;
    const found = places.get(parent);
    if (found === undefined) orphans.push(index);
    return found ?? -1;
  });
  const rings = findRings(parents);
  for (const [first] of rings) if (first !== undefined) parents[first] = -1;
  const children: number[][] = nodes.map(() => []);
  const open: number[] = [];
  parents.forEach((parent, index) => {
    if (parent === -1) open.push(index);
    else children[parent]?.push(index);
  });
  open.reverse();
  const depths = nodes.map(() => 1);
  const order: number[] = [];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    depths[index] = 1 + (depths[parents[index] ?? -1] ?? 0);
    order.push(index);
    for (const child of (children[index] ?? []).toReversed()) open.push(child);
  }
  return { nodes, places, parents, children, depths, order, orphans, rings };
}

export const deepest = 9;

export function setLevels(nodes: OutlineNode[]): OutlineNode[] {
  const { depths } = readTree(nodes);
  return nodes.map((node, index) => {
    const level = Math.min(deepest, depths[index] ?? 1);
    return node.level === level ? node : { ...node, level };
  });
}

/** True for the whole itself too. */
export function isWithin({ parents }: Pick<Tree, 'parents'>, node: number, whole: number): boolean {
  for (let at = node; at !== -1; at = parents[at] ?? -1) if (at === whole) return true;
  return false;
}

/** By node: it or a descendant has steps. */
export function markWork({ nodes, order, parents }: Tree): boolean[] {
  const works = nodes.map(({ steps }) => steps.length > 0);
  for (const index of order.toReversed()) {
    const parent = parents[index] ?? -1;
    if (works[index] === true && parent !== -1) works[parent] = true;
  }
  return works;
}

/** `base`, `base-2`, `base-3` …; reserves it. */
export function takeId(
  base: string,
  taken: { has(id: string): boolean; add(id: string): unknown },
): string {
  // Leaves room for the number.
  const stem = base.slice(0, 190);
  let id = stem;
  for (let count = 2; taken.has(id); count += 1) id = `${stem}-${count}`;
  taken.add(id);
  return id;
}

type IndexedStep = { id: string; node: number; draft: StepDraft };

export type OutlineIndex = Tree & {
  steps: IndexedStep[];
  stepPlaces: Map<string, number>;
  /** Indexes into `steps`. */
  ownSteps: number[][];
};

export function indexOutline({ nodes }: Pick<PlanOutline, 'nodes'>): OutlineIndex {
  const tree = readTree(nodes);
  const { steps, ownSteps } = numberSteps(nodes, tree.order);
  const stepPlaces = new Map(steps.map(({ id }, place) => [id, place]));
  return { ...tree, steps, stepPlaces, ownSteps };
}

/** Without an ID, a step gets its place in the stored plan, from 1. */
function numberSteps(
  nodes: OutlineNode[],
  order: number[],
): Pick<OutlineIndex, 'steps' | 'ownSteps'> {
  const taken = new Set(nodes.flatMap((node) => node.steps.flatMap(({ id }) => id ?? [])));
  const steps: IndexedStep[] = [];
  const ownSteps: number[][] = nodes.map(() => []);
  for (const node of order) {
    for (const draft of nodes[node]?.steps ?? []) {
      let id = draft.id ?? String(steps.length + 1);
      if (draft.id === undefined) {
        while (taken.has(id)) id = `step-${id}`;
        taken.add(id);
      }
      ownSteps[node]?.push(steps.length);
      steps.push({ id, node, draft });
    }
  }
  return { steps, ownSteps };
}

/** Depth of the smallest common whole; 0 if none. */
export function sharedDepth({ parents, depths }: OutlineIndex, a: number, b: number): number {
  let [left, right] = [a, b];
  while (left !== right) {
    if (left === -1 || right === -1) return 0;
    if ((depths[left] ?? 0) >= (depths[right] ?? 0)) left = parents[left] ?? -1;
    else right = parents[right] ?? -1;
  }
  return left === -1 ? 0 : (depths[left] ?? 0);
}

/** Leaves and nodes with own steps, in tree order. */
export function findWork({ order, children, ownSteps }: OutlineIndex): number[] {
  return order.filter(
    (place) => (children[place]?.length ?? 0) === 0 || (ownSteps[place]?.length ?? 0) > 0,
  );
}

/** The nearest node with the rule, itself included; -1 if none. */
export function seriesOf({ nodes, parents }: OutlineIndex, place: number): number {
  for (let at = place; at !== -1; at = parents[at] ?? -1) {
    const node = nodes[at];
    if (node?.rhythm === 'recurring' && node.recurs !== null) return at;
  }
  return -1;
}

/** Begins the ID of a checkpoint that the roadmap adds. */
export const checkpointPrefix = 'checkpoint:';

/** Whether the roadmap added it, rather than the request. */
export function isAddedCheckpoint({ id, structure }: OutlineNode): boolean {
  return structure === 'checkpoint' && id.startsWith(checkpointPrefix);
}

export function withoutAddedCheckpoints(outline: PlanOutline): PlanOutline {
  const gone = new Set(outline.nodes.filter(isAddedCheckpoint).map(({ id }) => id));
  if (gone.size === 0) return outline;
  const nodes = outline.nodes
    .filter(({ id }) => !gone.has(id))
    .map((node) => ({ ...node, after: node.after.filter(({ id }) => !gone.has(id)) }));
  return { ...outline, nodes };
}
