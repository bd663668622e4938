// Validates an outline against all rules (B7). Linear.
import { canonicalPattern } from '#domain/plan/pattern.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Violation } from '#domain/planning/trace.ts';
import { listOf } from '#domain/words.ts';
import { digraphOf, findCircles, sortTopologically } from '#graph/digraph.ts';
import { checkTimezone } from '#timeline/recurrence.ts';
import { checkRule } from '#timeline/rule.ts';
import { findForeignRhythms, findNeeds, readFeatures } from '../patterns/fit.ts';
import { patternRules } from '../patterns/rules.ts';
import { nameNode, nameSome, violate } from './names.ts';
import { markWork, readTree, type Tree } from './outline-tree.ts';
import { type Graph, readGraph } from './precedence.ts';
import { checkStructure } from './structure-rules.ts';

export function validateOutline(outline: PlanOutline): Violation[] {
  const tree = readTree(outline.nodes);
  const structure = checkStructure(outline, tree);
  if (structure.some(({ code }) => code === 'no_work')) return structure;
  return [
    ...structure,
    ...checkPrecedence(tree),
    ...checkRhythms(outline, tree),
    ...checkPattern(outline, tree),
  ];
}

/** Rule score of B8, 0..1. Blocking violations weigh heavily at any size; others by their share. */
export function scoreRules(violations: Violation[], nodes: number): number {
  const blocking = violations.filter((violation) => violation.blocking).length;
  const rest = violations.length - blocking;
  return 1 / (1 + blocking / 2 + rest / Math.max(10, nodes));
}

function checkPattern(outline: PlanOutline, tree: Tree): Violation[] {
  const { pattern } = outline;
  const features = readFeatures(outline);
  // Without confidence, the pattern was inferred and requires nothing.
  if (features.flat && pattern.confidence === undefined) return [];
  const type = canonicalPattern(pattern);
  const { title } = patternRules[type];
  const lacking = findNeeds(features, type).map(({ axis, text }) =>
    violate(
      'pattern_mismatch',
      null,
      `A ${title} has ${text}; this outline has not. Add it, or choose another pattern.`,
      axis === 'rhythm' && !features.flat,
    ),
  );
  const foreign = findForeignRhythms(features, type);
  const strange =
    foreign.length === 0
      ? []
      : [
          violate(
            'pattern_mismatch',
            outline.nodes.find(({ rhythm }) => foreign.includes(rhythm))?.id ?? null,
            `A ${title} has nothing ${listOf(
              foreign.map((rhythm) => rhythm.replace('_', '-')),
              'or',
            )}. Choose another pattern.`,
            false,
          ),
        ];
  return [...lacking, ...strange, ...checkPhases(outline, tree)];
}

/** Only topmost phases are reported, since nested parts count. */
function checkPhases({ pattern }: PlanOutline, tree: Tree): Violation[] {
  const { nodes, order, parents, children } = tree;
  const works = markWork(tree);
  const { phaseHolds, title } = patternRules[canonicalPattern(pattern)];
  const holds = nodes.map(({ structure }) => phaseHolds.includes(structure));
  for (const index of order.toReversed()) {
    const parent = parents[index] ?? -1;
    if (holds[index] === true && parent !== -1) holds[parent] = true;
  }
  return nodes.flatMap((node, index) => {
    // The structure rules report these.
    if (node.structure !== 'phase' || holds[index] === true || works[index] !== true) return [];
    if ((children[index]?.length ?? 0) === 0) return [];
    if (nodes[parents[index] ?? -1]?.structure === 'phase') return [];
    const text = `${nameNode(node)} has no ${listOf(phaseHolds, 'or')}, which phases of a ${title} have. Add one at its end.`;
    return [violate('phase_lacks', node.id, text, false)];
  });
}

function checkPrecedence(tree: Tree): Violation[] {
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

function checkCircles({ nodes, children }: Tree, graph: Graph): Violation[] {
  const { size, edges, owners } = graph;
  const digraph = digraphOf(size, edges);
  const { circles, circleOf } = findCircles(digraph);
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
  // Unsorted nodes are on a cycle or follow one.
  const sorted = new Set(sortTopologically(digraph));
  const stuck = new Set<number>();
  for (let moment = 0; moment < size; moment += 1) {
    const owner = owners[moment] ?? 0;
    const behind = !sorted.has(moment) && circleOf[moment] === -1;
    const leaf = (children[owner]?.length ?? 0) === 0;
    if (behind && leaf && !onCircle.has(owner)) stuck.add(owner);
  }
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
    // The schedule says by how much, and remedies.
    return [violate('deadline_before_start', node.id, text, false)];
  });
}

function checkRhythms({ nodes }: Pick<PlanOutline, 'nodes'>, tree: Tree): Violation[] {
  const { above, below } = findRuled(tree);
  const zones = new Map<string, string | null>();
  return nodes.flatMap((node, index) => {
    const found: Violation[] = [];
    const say = (code: string, text: string, blocking = true) =>
      found.push(violate(code, node.id, `${nameNode(node)} ${text}`, blocking));
    const { rhythm, recurs, target, structure } = node;
    if (recurs !== null) {
      if (rhythm !== 'recurring')
        say(
          'rhythm_mismatch',
          `has a rule and is marked as ${words(rhythm)}. Mark it as recurring.`,
        );
      const { rrule, timezone, starts_at, until } = recurs;
      if (!zones.has(timezone)) zones.set(timezone, checkTimezone(timezone));
      const problem = checkRule(rrule) ?? zones.get(timezone) ?? null;
      if (problem !== null) say('bad_recurrence', `cannot recur: ${problem}`);
      if (until !== null && Date.parse(until) < Date.parse(starts_at))
        say('bad_recurrence', 'ends before it begins. Give a later end.');
      if (above[index] === true)
        say(
          'nested_recurrence',
          'recurs inside something that recurs. Leave one of the two rules out.',
        );
    } else if (rhythm === 'recurring' && above[index] !== true && below[index] !== true) {
      say('recurrence_without_rule', 'recurs, but nothing says when. Give a rule, or do it once.');
    }
    if (target !== null && rhythm !== 'cumulative' && rhythm !== 'recurring')
      say(
        'rhythm_mismatch',
        `has an amount to reach and is marked as ${words(rhythm)}. Mark it as cumulative.`,
        false,
      );
    if (rhythm === 'cumulative' && target === null && !hasTarget(tree, index))
      say(
        'cumulative_without_target',
        'adds up, but nothing says to how much. Say the amount.',
        false,
      );
    const moment = structure === 'milestone' || structure === 'checkpoint';
    if (moment && (rhythm === 'continuous' || rhythm === 'cumulative') && target === null)
      say(
        'rhythm_mismatch',
        `is a ${structure} and marked as ${words(rhythm)}; it is a moment. Mark it as one-off.`,
        false,
      );
    return found;
  });
}

function words(rhythm: string): string {
  return rhythm.replace('_', '-');
}

/** Nodes with a rule above or beneath them. */
function findRuled({ nodes, order, parents }: Tree): { above: boolean[]; below: boolean[] } {
  const above = nodes.map(() => false);
  const below = nodes.map(() => false);
  for (const index of order) {
    const parent = parents[index] ?? -1;
    if (parent !== -1) above[index] = above[parent] === true || nodes[parent]?.recurs !== null;
  }
  for (const index of order.toReversed()) {
    const parent = parents[index] ?? -1;
    if (parent !== -1 && (below[index] === true || nodes[index]?.recurs !== null))
      below[parent] = true;
  }
  return { above, below };
}

/** By the parent or its parts, not both. */
function hasTarget({ nodes, parents, children }: Tree, index: number): boolean {
  const around = [parents[index] ?? -1, ...(children[index] ?? [])];
  return around.some((other) => (nodes[other]?.target ?? null) !== null);
}
