// The precedence graph of an outline: each node begins and ends, each step is one moment between. An edge of an inner node holds
// for its parts through their beginnings and ends, so cycles across levels are found. Linear in nodes, steps and edges.
import { referencesOf } from '#domain/plan/arguments.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import { type DependencyType, toDependency } from '#domain/plan/dependency.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { Tree } from './outline-tree.ts';

/** Precedence that somebody wrote down and that can be taken back: between nodes, or (with `step`) between steps. */
export type Wait = { node: string; step: string | null; on: string; type: DependencyType };

export type Edge = {
  from: number;
  to: number;
  /** null: it follows from the tree, or one step uses what another gives. */
  wait: Wait | null;
};

export type Graph = {
  size: number;
  edges: Edge[];
  /** Index of the node that each moment belongs to. */
  owners: number[];
  /** Dependencies on what does not exist. */
  unknown: { node: number; wait: Wait }[];
  /** Values taken from steps that do not exist. */
  dangling: { node: number; step: string; from: string }[];
};

export function readGraph({ nodes, places, parents, children }: Tree): Graph {
  const owners: number[] = [];
  const add = (owner: number) => owners.push(owner) - 1;
  const begins: number[] = [];
  const ends: number[] = [];
  const stepMoments = new Map<string, number>();
  const edges: Edge[] = [];
  const unknown: Graph['unknown'] = [];
  const dangling: Graph['dangling'] = [];
  const must = (from: number, to: number) => edges.push({ from, to, wait: null });

  nodes.forEach(({ steps }, index) => {
    const begin = add(index);
    // A leaf of one step is one moment: what begins and what ends it is the same.
    const single = (children[index]?.length ?? 0) === 0 && steps.length <= 1;
    const end = single ? begin : add(index);
    if (!single) must(begin, end);
    begins.push(begin);
    ends.push(end);
    for (const { id } of steps) {
      const moment = single ? begin : add(index);
      if (id !== undefined && !stepMoments.has(id)) stepMoments.set(id, moment);
      if (single) continue;
      must(begin, moment);
      must(moment, end);
    }
  });

  const join = (type: DependencyType, from: number, to: number): [number, number] => [
    (type[0] === 'F' ? ends : begins)[from] ?? 0,
    (type[1] === 'F' ? ends : begins)[to] ?? 0,
  ];

  const addStep = (node: number, nodeId: string, step: StepDraft) => {
    const at = step.id === undefined ? undefined : stepMoments.get(step.id);
    if (at === undefined || step.id === undefined) return;
    for (const entry of step.after ?? []) {
      const { id: on, type } = toDependency(entry);
      const wait = { node: nodeId, step: step.id, on, type };
      const from = stepMoments.get(on);
      if (from === undefined) unknown.push({ node, wait });
      else edges.push({ from, to: at, wait });
    }
    const taken = referencesOf(step.args ?? {}).map(({ $from }) => $from);
    const looked = conditionsOf(step.when).map((condition) => condition.step);
    for (const id of [...taken, ...looked]) {
      const from = stepMoments.get(id);
      if (from === undefined) dangling.push({ node, step: step.id, from: id });
      else must(from, at);
    }
  };

  nodes.forEach((node, index) => {
    const parent = parents[index] ?? -1;
    if (parent !== -1) {
      must(begins[parent] ?? 0, begins[index] ?? 0);
      must(ends[index] ?? 0, ends[parent] ?? 0);
    }
    // Of two nodes with one id the later one is another node: its edges lead to itself all the same.
    for (const { id: on, type } of node.after) {
      const wait = { node: node.id, step: null, on, type };
      const from = places.get(on);
      if (from === undefined) unknown.push({ node: index, wait });
      else edges.push({ ...toEdge(join(type, from, index)), wait });
    }
    for (const step of node.steps) addStep(index, node.id, step);
  });
  return { size: owners.length, edges, owners, unknown, dangling };
}

function toEdge([from, to]: [number, number]): { from: number; to: number } {
  return { from, to };
}
