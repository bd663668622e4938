// The shape of a plan as a graph, and of its edges as paths. Pure; the layout itself is ELK's.
import type { Step } from '#domain/plan/plan.ts';

export type Point = { x: number; y: number };
export type Drawn = {
  width: number;
  height: number;
  nodes: Map<string, Point>;
  edges: { id: string; points: Point[] }[];
};

export const nodeSize = { width: 224, height: 76 };

export type ElkNode = {
  id: string;
  x?: number;
  y?: number;
  width?: number;
  height?: number;
  children?: ElkNode[];
  edges?: {
    id: string;
    sources: string[];
    targets: string[];
    sections?: { startPoint: Point; endPoint: Point; bendPoints?: Point[] }[];
  }[];
  layoutOptions?: Record<string, string>;
};

const layoutOptions = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.spacing.nodeNode': '28',
  'elk.layered.spacing.nodeNodeBetweenLayers': '44',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
  'elk.padding': '[top=4,left=4,bottom=4,right=4]',
};

export function toElkGraph(steps: Step[]): ElkNode {
  const known = new Set(steps.map((step) => step.id));
  return {
    id: 'plan',
    layoutOptions,
    children: steps.map(({ id }) => ({ id: `n:${id}`, ...nodeSize })),
    edges: steps.flatMap((step) =>
      step.after
        .filter((before) => known.has(before.id))
        .map((before) => ({
          id: `${before.id}→${step.id}`,
          sources: [`n:${before.id}`],
          targets: [`n:${step.id}`],
        })),
    ),
  };
}

/** What the layout depends on: steps and edges, not their states. */
export function describeShape(steps: Step[]): string {
  return steps.map((s) => `${s.id}<${s.after.map((d) => d.id).join(',')}`).join(';');
}

/** A path through `points` with its corners rounded. */
export function drawPath(points: Point[], radius = 8): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let path = `M${first.x},${first.y}`;
  let from = first;
  for (const [index, corner] of rest.entries()) {
    const to = rest[index + 1];
    if (to === undefined) return `${path}L${corner.x},${corner.y}`;
    const enter = moveToward(corner, from, radius);
    const leave = moveToward(corner, to, radius);
    path += `L${enter.x},${enter.y}Q${corner.x},${corner.y} ${leave.x},${leave.y}`;
    from = corner;
  }
  return path;
}

function moveToward(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const share = length === 0 ? 0 : Math.min(distance, length / 2) / length;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}
