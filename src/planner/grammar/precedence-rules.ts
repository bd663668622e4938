// Rules of precedence between nodes: it names what exists, and nothing waits for itself, however long the way round is.
import type { Violation } from '#contracts/planning/trace.ts';
import { findBehind, findCircles } from './components.ts';
import { nameNode, nameSome, violate } from './names.ts';
import type { Tree } from './outline-tree.ts';
import { type Graph, readGraph } from './precedence-graph.ts';

export function checkPrecedence(tree: Tree): Violation[] {
  const graph = readGraph(tree);
  return [...checkNames(tree, graph), ...checkCircles(tree, graph), ...checkDates(tree)];
}

function checkNames({ nodes }: Tree, { unknown, dangling }: Graph): Violation[] {
  return [
    ...unknown.flatMap(({ node, wait }) => {
      const waiting = nodes[node];
      if (waiting === undefined) return [];
      const who =
        wait.step === null ? nameNode(waiting) : `Step ${wait.step} of ${nameNode(waiting)}`;
      const text = `${who} waits for ${wait.on}, which does not exist. Leave that out, or name what is meant.`;
      return [violate('unknown_dependency', waiting.id, text)];
    }),
    ...dangling.flatMap(({ node, step, from }) => {
      const text = `Step ${step} takes a value from step ${from}, which does not exist. Name the step that gives it.`;
      return [violate('unknown_reference', nodes[node]?.id ?? null, text)];
    }),
  ];
}

function checkCircles({ nodes, parts }: Tree, graph: Graph): Violation[] {
  const { size, edges, owners } = graph;
  const { circles, circleOf } = findCircles(size, edges);
  if (circles === 0) return [];
  const members: Set<number>[] = Array.from({ length: circles }, () => new Set());
  for (let moment = 0; moment < size; moment += 1) {
    const circle = circleOf[moment] ?? -1;
    if (circle !== -1) members[circle]?.add(owners[moment] ?? 0);
  }
  const turning = members.flatMap((circle) => {
    const inOrder = [...circle].sort((one, other) => one - other).flatMap((at) => nodes[at] ?? []);
    const [first] = inOrder;
    if (first === undefined) return [];
    const text =
      inOrder.length === 1
        ? `${nameNode(first)} waits for itself. Leave that out.`
        : `${nameSome(inOrder.map(nameNode))} wait for each other. Leave out one of the dependencies.`;
    return [violate('cycle', first.id, text)];
  });
  const onCircle = new Set(members.flatMap((circle) => [...circle]));
  const behind = findBehind(size, edges, circleOf);
  const stuck = new Set<number>();
  behind.forEach((late, moment) => {
    const owner = owners[moment] ?? 0;
    const leaf = (parts[owner]?.length ?? 0) === 0;
    if (late === 1 && leaf && !onCircle.has(owner)) stuck.add(owner);
  });
  return [
    ...turning,
    ...[...stuck].flatMap((index) => {
      const node = nodes[index];
      if (node === undefined) return [];
      const text = `${nameNode(node)} can never begin: it waits for nodes that wait for each other. Break that circle.`;
      return [violate('unreachable', node.id, text)];
    }),
  ];
}

function checkDates({ nodes }: Tree): Violation[] {
  return nodes.flatMap((node) => {
    const { not_before, deadline } = node;
    if (not_before === null || deadline === null) return [];
    if (Date.parse(not_before) <= Date.parse(deadline)) return [];
    const text = `${nameNode(node)} may begin only after its deadline. Change one of the two.`;
    // The schedule tells by how much, and what would help.
    return [violate('deadline_before_start', node.id, text, false)];
  });
}
