// Generates roadmap options: as needed, sequential, or careful with checks.
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import type { RoadmapEdge, RoadmapWay } from '#domain/planning/roadmap.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { findComponents, sortTopologically, successorsOf } from '#graph/digraph.ts';
import { makeNode } from '../outline/make-node.ts';
import {
  checkpointPrefix,
  indexOutline,
  type OutlineIndex,
  seriesOf,
} from '../outline/outline-tree.ts';
import { buildEvents, lineUp } from '../outline/precedence.ts';
import { type CollectedEdges, mergeEdges } from './collect-edges.ts';
import type { Operations } from './durations.ts';
import { type Marks, readMarks } from './metrics.ts';
import { reduceEdges } from './reduce-edges.ts';

type Checks = {
  edges: RoadmapEdge[];
  added: { node: OutlineNode; before: string }[];
  differs: string;
};

type Work = {
  index: OutlineIndex;
  base: RoadmapEdge[];
  question: Operations['question'];
  checks: Checks;
};

/** @param row changing nodes in a possible order */
function planChecks(
  { index, edges: base }: CollectedEdges,
  row: number[],
  operations: Operations,
): Checks {
  const { question } = operations;
  const marks = index.nodes.map((_, place) => readMarks(index, place, operations));
  const checks: Checks = { edges: [], added: [], differs: '' };
  const work: Work = { index, base, question, checks };
  const acting = findActing(index, marks);
  checkPhases(work, acting);
  const betweenPhases = checks.edges.length > 0;
  const delicate = checkDelicate(work, marks);
  if (!betweenPhases && delicate === null)
    return goAheadWithOne(
      work,
      row.filter((place) => marks[place]?.changes),
    );
  const looks = checks.added.length > 0 ? 'Somebody looks' : 'Everything so far has succeeded';
  const places = [
    ...(betweenPhases ? ['before each next phase'] : []),
    ...(delicate === null ? [] : [`before ${quoteWords(delicate.title, 200)}`]),
  ];
  checks.differs = `${looks} ${places.join(' and ')}.`;
  return checks;
}

function findActing({ order, parents }: OutlineIndex, marks: Marks[]): Uint8Array {
  const acting = new Uint8Array(marks.length);
  for (const place of order.toReversed()) {
    if (marks[place]?.changes) acting[place] = 1;
    const parent = parents[place] ?? -1;
    if (acting[place] === 1 && parent !== -1) acting[parent] = 1;
  }
  return acting;
}

function link(from: OutlineNode, to: OutlineNode): RoadmapEdge {
  return { from: from.id, to: to.id, type: 'FS', lag_minutes: 0, why: 'strategy' };
}

/** Through a checkpoint if a person can be asked. */
function gate(work: Work, all: OutlineNode[], one: OutlineNode): OutlineNode {
  const { checks, question } = work;
  if (question === null) {
    checks.edges.push(...all.map((node) => link(node, one)));
    return one;
  }
  const node = makeCheckpoint(checks.added.length + 1, one, question);
  checks.added.push({ node, before: one.id });
  checks.edges.push(...all.map((before) => link(before, node)), link(node, one));
  return node;
}

function checkPhases(work: Work, acting: Uint8Array): void {
  const { index, base } = work;
  const roots = index.order.filter((place) => index.parents[place] === -1);
  const pairs: [number, number][] = [];
  for (const siblings of [roots, ...index.children]) {
    // An existing checkpoint suffices.
    let before: number | null = null;
    for (const place of siblings) {
      const structure = index.nodes[place]?.structure;
      if (structure === 'checkpoint') before = null;
      if (structure !== 'phase' || seriesOf(index, place) !== -1) continue;
      if (before !== null && acting[place] === 1) pairs.push([before, place]);
      before = place;
    }
  }
  for (const [from, to] of dropCircular(index, base, pairs)) {
    const [a, b] = [index.nodes[from], index.nodes[to]];
    if (a !== undefined && b !== undefined) gate(work, [a], b);
  }
}

/** Stated dependencies may forbid that one phase waits for the other. */
function dropCircular(
  index: OutlineIndex,
  base: RoadmapEdge[],
  pairs: [number, number][],
): [number, number][] {
  const wanted = pairs.flatMap(([from, to]) => {
    const [a, b] = [index.nodes[from], index.nodes[to]];
    return a === undefined || b === undefined ? [] : [link(a, b)];
  });
  const component = findComponents(buildEvents(index, [...base, ...wanted]).graph);
  return pairs.filter(([from, to]) => component[index.nodes.length + from] !== component[to]);
}

/** A check before irreversible changes, after everything possible earlier. */
function checkDelicate(work: Work, marks: Marks[]): OutlineNode | null {
  const { index, base, checks, question } = work;
  const size = index.nodes.length;
  const isOpen = (place: number) =>
    (index.children[place]?.length ?? 0) === 0 &&
    (index.ownSteps[place]?.length ?? 0) > 0 &&
    seriesOf(index, place) === -1;
  // Edges to added nodes are left out; `gated` has their effect.
  const bridged = checks.added.flatMap(({ node, before }) =>
    checks.edges.flatMap((edge) => (edge.to === node.id ? [{ ...edge, to: before }] : [])),
  );
  const { graph } = buildEvents(index, [...base, ...checks.edges, ...bridged]);
  const gated = new Set(checks.added.map(({ before }) => index.places.get(before)));
  const checked = new Uint8Array(graph.size);
  const after = new Uint8Array(graph.size);
  const first = new Set<number>();
  for (const v of sortTopologically(graph)) {
    const place = v % size;
    if (v < size) {
      if (gated.has(place)) checked[v] = 1;
      const delicate = (marks[place]?.delicate ?? 0) > 0 && isOpen(place) && checked[v] !== 1;
      if (delicate && after[v] !== 1) first.add(place);
      if (delicate) after[v] = 1;
    } else if (marks[place]?.checks) checked[v] = 1;
    for (const to of successorsOf(graph, v)) {
      if (checked[v] === 1) checked[to] = 1;
      if (after[v] === 1) after[to] = 1;
    }
  }
  const before = index.order.filter((place) => isOpen(place) && after[place] !== 1);
  const targets = index.order
    .filter((place) => first.has(place))
    .flatMap((place) => index.nodes[place] ?? []);
  const [one, ...others] = targets;
  if (one === undefined || before.length === 0) return null;
  const nodes = before.flatMap((place) => index.nodes[place] ?? []);
  const last = gate(work, nodes, one);
  if (question === null) {
    // A chain needs fewer edges than all pairs.
    others.forEach((node, at) => {
      checks.edges.push(link(targets[at] ?? one, node));
    });
  } else for (const node of others) checks.edges.push(link(last, node));
  return one;
}

/** Nothing is delicate, so the first change is the test for the rest. */
function goAheadWithOne({ index, checks }: Work, row: number[]): Checks {
  const [one, ...others] = row.flatMap((place) => index.nodes[place] ?? []);
  if (one === undefined) return checks;
  checks.edges.push(...others.map((node) => link(one, node)));
  checks.differs = `${quoteWords(one.title, 200)} goes ahead; the other changes wait until it has succeeded.`;
  return checks;
}

/** Alongside `before`, in front of it. */
function makeCheckpoint(
  number: number,
  before: OutlineNode,
  question: NonNullable<Operations['question']>,
): OutlineNode {
  const id = `${checkpointPrefix}${number}`;
  const title = before.title.slice(0, 200);
  const { tool, operation } = question.spec;
  const asks = `Look at what has been done so far. Go on with ${quoteWords(title, 200)}?`;
  return makeNode({
    id,
    parent: before.parent,
    title: `Check before ${quoteWords(title, 200)}`,
    structure: 'checkpoint',
    level: before.level,
    steps: [{ id, description: asks, tool, operation, args: { [question.argument]: asks } }],
  });
}

function insertCheckpoints(
  nodes: OutlineNode[],
  added: { node: OutlineNode; before: string }[],
): OutlineNode[] {
  if (added.length === 0) return nodes;
  const byPlace = Map.groupBy(added, ({ before }) => before);
  return nodes.flatMap((node) => [...(byPlace.get(node.id) ?? []).map((one) => one.node), node]);
}

export type Way = {
  name: RoadmapWay;
  same: RoadmapWay[];
  differs: string;
  index: OutlineIndex;
  edges: RoadmapEdge[];
  nodes: OutlineNode[];
  added: OutlineNode[];
};

/** Changing leaves outside any series, in a possible order. */
function lineUpChanges({ index, edges }: CollectedEdges, operations: Operations): number[] {
  return lineUp(index, edges).filter(
    (place) =>
      (index.children[place]?.length ?? 0) === 0 &&
      seriesOf(index, place) === -1 &&
      (index.ownSteps[place] ?? []).some((step) => {
        const draft = index.steps[step]?.draft;
        return draft !== undefined && operations.changes(draft);
      }),
  );
}

/** An edge that exists only for an option. */
function linkForWay(index: OutlineIndex, from: number, to: number): RoadmapEdge[] {
  const [a, b] = [index.nodes[from], index.nodes[to]];
  if (a === undefined || b === undefined) return [];
  return [{ from: a.id, to: b.id, type: 'FS', lag_minutes: 0, why: 'strategy' }];
}

/** At least one, distinct. `collected` must be acyclic. */
export async function findWays(
  outline: PlanOutline,
  collected: CollectedEdges,
  operations: Operations,
): Promise<Way[]> {
  const { index, edges } = collected;
  const base: Way = {
    name: 'as said',
    same: [],
    differs: 'Only the order that you gave or that is needed; the rest runs in parallel.',
    index,
    edges,
    nodes: outline.nodes,
    added: [],
  };
  const row = lineUpChanges(collected, operations);
  const makeSingle = (): Way => ({
    ...base,
    name: 'one at a time',
    differs: 'Each change waits until the one before it has succeeded.',
    edges: addEdges(
      index,
      edges,
      row.flatMap((place, at) => linkForWay(index, row[at - 1] ?? -1, place)),
    ),
  });
  const makers = [makeSingle, () => makeChecked(base, collected, row, operations)];
  const ways = [base];
  for (const make of makers) {
    if (isSliceOver()) await nextTurn();
    const way = make();
    const same = ways.find((other) => signatureOf(other) === signatureOf(way));
    if (same === undefined) ways.push(way);
    else same.same.push(way.name);
  }
  return ways;
}

function addEdges(index: OutlineIndex, base: RoadmapEdge[], more: RoadmapEdge[]): RoadmapEdge[] {
  return more.length === 0 ? base : reduceEdges(index, mergeEdges([...base, ...more]));
}

function makeChecked(
  base: Way,
  collected: CollectedEdges,
  row: number[],
  operations: Operations,
): Way {
  const checks = planChecks(collected, row, operations);
  const nodes = insertCheckpoints(base.nodes, checks.added);
  const index = checks.added.length === 0 ? base.index : indexOutline({ nodes });
  return {
    ...base,
    name: 'checked',
    differs: checks.differs,
    index,
    edges: addEdges(index, collected.edges, checks.edges),
    nodes,
    added: checks.added.map(({ node }) => node),
  };
}

/** Reductions are unique, so equal options have equal signatures. */
function signatureOf({ edges, added }: Way): string {
  const parts = edges.map(
    ({ from, to, type, lag_minutes }) => `${from}\t${to}\t${type}\t${lag_minutes}`,
  );
  return [...added.map(({ id }) => id), ...parts].sort().join('\n');
}
