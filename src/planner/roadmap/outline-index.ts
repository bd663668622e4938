// An index over an outline: nodes and steps by number, the tree, and the owner of each step.
import type { StepDraft } from '#domain/plan/plan.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';

export type IndexedStep = { id: string; node: number; draft: StepDraft };

export type OutlineIndex = {
  nodes: OutlineNode[];
  /** Number of a node by its id. */
  places: Map<string, number>;
  /** -1: a root. Parents that are not there, or lie on a circle, count as none. */
  parents: Int32Array;
  children: number[][];
  /** 1 for roots. */
  depths: Int32Array;
  /** Numbers in the order of the tree: each node before its children, siblings as they are listed. */
  order: number[];
  /** In the order of the tree. */
  steps: IndexedStep[];
  stepPlaces: Map<string, number>;
  /** Steps of the node itself, as numbers into `steps`. */
  ownSteps: number[][];
};

export function indexOutline(outline: Pick<PlanOutline, 'nodes'>): OutlineIndex {
  const { nodes } = outline;
  const places = new Map(nodes.map((node, place) => [node.id, place]));
  const parents = readParents(nodes, places);
  const children: number[][] = nodes.map(() => []);
  parents.forEach((parent, place) => {
    children[parent]?.push(place);
  });
  const depths = new Int32Array(nodes.length);
  const order: number[] = [];
  const open = nodes.flatMap((_, place) => (parents[place] === -1 ? [place] : [])).reverse();
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const parent = parents[place] ?? -1;
    depths[place] = parent === -1 ? 1 : (depths[parent] ?? 0) + 1;
    order.push(place);
    for (const child of (children[place] ?? []).toReversed()) open.push(child);
  }
  const { steps, ownSteps } = numberSteps(nodes, order);
  const stepPlaces = new Map(steps.map(({ id }, place) => [id, place]));
  return { nodes, places, parents, children, depths, order, steps, stepPlaces, ownSteps };
}

function readParents(nodes: OutlineNode[], places: Map<string, number>): Int32Array {
  const parents = Int32Array.from(nodes, ({ parent }) =>
    parent === null ? -1 : (places.get(parent) ?? -1),
  );
  /** The walk that came by last; a walk that meets itself stands on a circle. */
  const walks = new Int32Array(nodes.length).fill(-1);
  for (let place = 0; place < nodes.length; place++) {
    for (let at = place; at !== -1 && walks[at] === -1; at = parents[at] ?? -1) {
      walks[at] = place;
      const above = parents[at] ?? -1;
      if (above !== -1 && walks[above] === place) parents[at] = -1;
    }
  }
  return parents;
}

/** Steps without an id get the one that a stored plan would give them: their place, from 1. */
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

/** Whether `node` is `whole` or a part of it. */
export function isWithin({ parents }: OutlineIndex, node: number, whole: number): boolean {
  for (let at = node; at !== -1; at = parents[at] ?? -1) if (at === whole) return true;
  return false;
}

/** Depth of the smallest node that holds both; 0: they share no root. */
export function sharedDepth({ parents, depths }: OutlineIndex, a: number, b: number): number {
  let [left, right] = [a, b];
  while (left !== right) {
    if (left === -1 || right === -1) return 0;
    if ((depths[left] ?? 0) >= (depths[right] ?? 0)) left = parents[left] ?? -1;
    else right = parents[right] ?? -1;
  }
  return left === -1 ? 0 : (depths[left] ?? 0);
}

/** Where work is done or something is reached: leaves, and nodes with steps of their own. In the order of the tree. */
export function findWork({ order, children, ownSteps }: OutlineIndex): number[] {
  return order.filter(
    (place) => (children[place]?.length ?? 0) === 0 || (ownSteps[place]?.length ?? 0) > 0,
  );
}

/** The node by whose rule a node comes again: itself or the nearest whole it is part of; -1: it is done once. */
export function seriesOf({ nodes, parents }: OutlineIndex, place: number): number {
  for (let at = place; at !== -1; at = parents[at] ?? -1) {
    const node = nodes[at];
    if (node?.rhythm === 'recurring' && node.recurs !== null) return at;
  }
  return -1;
}
