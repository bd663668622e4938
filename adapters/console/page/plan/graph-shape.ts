// A graph as boxes and arrow paths. Pure; ELK lays out.
import type { PlanGroups } from '#domain/plan/groups.ts';
import type { Step } from '#domain/plan/plan.ts';

export type Point = { x: number; y: number };
export type Size = { width: number; height: number };
export type Arrow = { id: string; from: string; to: string };
export type Shape = { nodes: string[]; arrows: Arrow[]; size: Size };
export type Drawn = {
  width: number;
  height: number;
  nodes: Map<string, Point>;
  edges: { id: string; points: Point[] }[];
};

export const nodeSize: Size = { width: 224, height: 76 };
export const groupSize: Size = { width: 248, height: 104 };

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

export function shapeOfSteps(steps: Step[]): Shape {
  const known = new Set(steps.map((step) => step.id));
  return {
    nodes: steps.map(({ id }) => id),
    arrows: steps.flatMap((step) =>
      step.after
        .filter((before) => known.has(before.id))
        .map(({ id }) => ({ id: arrowId(id, step.id), from: id, to: step.id })),
    ),
    size: nodeSize,
  };
}

export function shapeOfGroups({ groups, edges }: PlanGroups): Shape {
  return {
    nodes: groups.map(({ key }) => key),
    arrows: edges.map(({ from, to }) => ({ id: arrowId(from, to), from, to })),
    size: groupSize,
  };
}

export const arrowId = (from: string, to: string): string => `${from}→${to}`;

export function toElkGraph({ nodes, arrows, size }: Shape): ElkNode {
  return {
    id: 'plan',
    layoutOptions,
    children: nodes.map((id) => ({ id: `n:${id}`, ...size })),
    edges: arrows.map(({ id, from, to }) => ({
      id,
      sources: [`n:${from}`],
      targets: [`n:${to}`],
    })),
  };
}

/** Layout key: boxes and arrows without states. */
export function describeShape({ nodes, arrows, size }: Shape): string {
  return JSON.stringify([size.width, nodes, arrows.map(({ id }) => id)]);
}

/** Rounds the corners. */
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

function pointAt(from: Point, to: Point, share: number): Point {
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

function moveToward(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  return pointAt(from, to, length === 0 ? 0 : Math.min(distance, length / 2) / length);
}

export function middleOf(points: Point[]): Point {
  const lengths = points.slice(1).map((to, at) => {
    const from = points[at] ?? to;
    return Math.hypot(to.x - from.x, to.y - from.y);
  });
  let left = lengths.reduce((sum, length) => sum + length, 0) / 2;
  for (const [at, length] of lengths.entries()) {
    const [from, to] = [points[at], points[at + 1]];
    if (from !== undefined && to !== undefined && left <= length)
      return pointAt(from, to, left / (length || 1));
    left -= length;
  }
  return points[0] ?? { x: 0, y: 0 };
}
