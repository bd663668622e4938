// An index over an outline: its tree, its steps by number, and the owner of each step.
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import { readTree, type Tree } from '../outline/outline-tree.ts';

export type IndexedStep = { id: string; node: number; draft: StepDraft };

export type OutlineIndex = Tree & {
  /** In the order of the tree. */
  steps: IndexedStep[];
  stepPlaces: Map<string, number>;
  /** Steps of the node itself, as numbers into `steps`. */
  ownSteps: number[][];
};

export function indexOutline({ nodes }: Pick<PlanOutline, 'nodes'>): OutlineIndex {
  const tree = readTree(nodes);
  const { steps, ownSteps } = numberSteps(nodes, tree.order);
  const stepPlaces = new Map(steps.map(({ id }, place) => [id, place]));
  return { ...tree, steps, stepPlaces, ownSteps };
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
