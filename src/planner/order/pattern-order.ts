// Order implied by a pattern where none is stated.
import { canonicalPattern, type PatternSpec, type PatternType } from '#domain/plan/pattern.ts';
import type { OutlineNode } from '#domain/planning/outline.ts';
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import type { OutlineIndex } from '../outline/outline-tree.ts';
import { isAddedCheckpoint } from '../outline/outline-tree.ts';
import { findEnds } from '../outline/precedence.ts';

type OrderRules = {
  /** Phases and milestones with parts follow each other as listed. */
  phases: boolean;
  milestones: boolean;
  /** Separates preceding nodes from later ones. */
  checkpoints: boolean;
};

const rules: Record<PatternType, OrderRules> = {
  milestone_project: { phases: true, milestones: true, checkpoints: true },
  // Every round repeats everything; the parts' rules decide their order.
  recurring_cycle: { phases: false, milestones: false, checkpoints: true },
  progressive_accumulation_arc: { phases: true, milestones: true, checkpoints: true },
  hybrid_project_cycle: { phases: true, milestones: true, checkpoints: true },
  strategic_transformation: { phases: true, milestones: true, checkpoints: true },
};

/** Continuous work and series are in no sequence. */
function standsInLine({ rhythm }: OutlineNode): boolean {
  return rhythm === 'one_off' || rhythm === 'cumulative';
}

export function findPatternOrder(
  index: OutlineIndex,
  pattern: PatternSpec,
  stated: RoadmapEdge[],
): RoadmapEdge[] {
  const rule = rules[canonicalPattern(pattern)];
  const statedOrder = readStatedOrder(index, stated);
  const edges: RoadmapEdge[] = [];
  const link = (from: number, to: number) => {
    const [a, b] = [index.nodes[from], index.nodes[to]];
    if (a && b) edges.push({ from: a.id, to: b.id, type: 'FS', lag_minutes: 0, why: 'pattern' });
  };
  const roots = index.order.filter((place) => index.parents[place] === -1);
  for (const siblings of [roots, ...index.children]) {
    const inLine = siblings.filter((place) => {
      const node = index.nodes[place];
      // Options place the checkpoints they add.
      return node !== undefined && standsInLine(node) && !isAddedCheckpoint(node);
    });
    if (rule.phases) linkPhases(index, inLine, statedOrder, link);
    if (rule.milestones) linkMilestones(index, inLine, statedOrder, link);
    if (rule.checkpoints) linkCheckpoints(index, inLine, statedOrder, link);
  }
  return edges;
}

type StatedOrder = {
  waits: Set<number>;
  awaited: Set<number>;
  /** Siblings with a stated overlap or sequence. */
  pairs: Set<string>;
};

function readStatedOrder(index: OutlineIndex, stated: RoadmapEdge[]): StatedOrder {
  const statedOrder: StatedOrder = { waits: new Set(), awaited: new Set(), pairs: new Set() };
  for (const edge of stated) {
    const ends = findEnds(index, edge);
    if (ends === null) continue;
    statedOrder.awaited.add(ends.from);
    statedOrder.waits.add(ends.to);
    const siblings = findSiblings(index, ends.from, ends.to);
    // A dependency between tasks of two phases does not order the phases; an overlap does.
    const direct = siblings.from === ends.from && siblings.to === ends.to;
    if (direct || edge.type !== 'FS' || edge.lag_minutes < 0)
      statedOrder.pairs
        .add(`${siblings.from} ${siblings.to}`)
        .add(`${siblings.to} ${siblings.from}`);
  }
  return statedOrder;
}

/** Parts of the smallest common whole that contain the nodes. */
function findSiblings({ parents, depths }: OutlineIndex, a: number, b: number) {
  let [from, to] = [a, b];
  while (parents[from] !== parents[to]) {
    if ((depths[from] ?? 0) >= (depths[to] ?? 0)) from = parents[from] ?? -1;
    else to = parents[to] ?? -1;
  }
  return { from, to };
}

type Link = (from: number, to: number) => void;

function linkPhases(
  index: OutlineIndex,
  siblings: number[],
  statedOrder: StatedOrder,
  link: Link,
): void {
  const phases = siblings.filter((place) => {
    const structure = index.nodes[place]?.structure;
    const parts = index.children[place]?.length ?? 0;
    return structure === 'phase' || (structure === 'milestone' && parts > 0);
  });
  phases.forEach((phase, at) => {
    const before = phases[at - 1];
    if (before !== undefined && !statedOrder.pairs.has(`${before} ${phase}`)) link(before, phase);
  });
}

function linkMilestones(
  index: OutlineIndex,
  siblings: number[],
  statedOrder: StatedOrder,
  link: Link,
): void {
  let since: number[] = [];
  for (const place of siblings) {
    const parts = index.children[place]?.length ?? 0;
    if (index.nodes[place]?.structure !== 'milestone' || parts > 0) {
      since.push(place);
      continue;
    }
    if (!statedOrder.waits.has(place)) for (const before of since) link(before, place);
    since = [place];
  }
}

function linkCheckpoints(
  index: OutlineIndex,
  siblings: number[],
  statedOrder: StatedOrder,
  link: Link,
): void {
  let since: number[] = [];
  let gate: number | null = null;
  for (const place of siblings) {
    const isGate = index.nodes[place]?.structure === 'checkpoint';
    if (isGate && !statedOrder.waits.has(place)) for (const before of since) link(before, place);
    if (gate !== null) link(gate, place);
    if (isGate) {
      gate = statedOrder.awaited.has(place) ? null : place;
      since = [];
    } else since.push(place);
  }
}
