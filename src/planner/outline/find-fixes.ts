// Finds fixes for violations by group: IDs, structure, edges, form.
import { toDependency } from '#domain/plan/dependency.ts';
import { canonicalPattern, isProposed } from '#domain/plan/pattern.ts';
import type { OutlineNode, PlanOutline, Structure } from '#domain/planning/outline.ts';
import type { Violation } from '#domain/planning/trace.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { shorten } from '#domain/words.ts';
import { breakCircles } from '#graph/digraph.ts';
import { rankPatterns, readFeatures } from '../patterns/fit.ts';
import { patternRules } from '../patterns/rules.ts';
import type { Fix } from './fix-kinds.ts';
import { makeNode } from './make-node.ts';
import { markWork, readTree, type Tree, takeId } from './outline-tree.ts';
import { readGraph } from './precedence.ts';

/** In order; each group sees the result of earlier ones. */
const groups = [
  ['duplicate_node', 'duplicate_step'],
  ['orphan', 'unreachable', 'l1_structure'],
  ['unknown_dependency', 'cycle'],
  ['too_deep'],
  ['structure_mismatch', 'misplaced_steps'],
  ['leaf_without_work', 'empty_phase'],
  ['rhythm_mismatch', 'nested_recurrence', 'recurrence_without_rule', 'phase_lacks'],
  ['pattern_mismatch'],
  ['level_gap'],
];

type Scene = {
  outline: PlanOutline;
  tree: Tree;
  works: boolean[];
  ids: Set<string>;
  stepIds: Set<string>;
  touched: Set<string>;
};

export function findFixes(outline: PlanOutline, violations: Violation[]): Fix[] {
  const tree = readTree(outline.nodes);
  const scene = {
    outline,
    tree,
    works: markWork(tree),
    ids: new Set(outline.nodes.map(({ id }) => id)),
    stepIds: new Set(outline.nodes.flatMap(({ steps }) => steps.map(({ id }) => id ?? ''))),
    touched: new Set<string>(),
  };
  for (const codes of groups) {
    const here = violations.filter(({ code }) => codes.includes(code));
    if (here.length === 0) continue;
    const fixes = codes.includes('cycle')
      ? fixEdges(scene, here)
      : codes.includes('duplicate_node')
        ? fixIds(scene, here)
        : here.flatMap((violation) => fixOne(scene, violation));
    if (fixes.length > 0) return fixes;
  }
  return [];
}

function fixIds({ outline, ids, stepIds }: Scene, violations: Violation[]): Fix[] {
  const codes = new Map(violations.map((violation) => [violation.code, violation.text]));
  const nodeText = codes.get('duplicate_node');
  const stepText = codes.get('duplicate_step');
  const seen = new Set<string>();
  const seenSteps = new Set<string>();
  return outline.nodes.flatMap(({ id, steps }) => {
    const fixes: Fix[] = [];
    if (seen.has(id) && nodeText !== undefined) {
      const why = `Two nodes had the id ${id}.`;
      fixes.push({ do: 'rename', code: 'duplicate_node', why, node: id, to: takeId(id, ids) });
    }
    seen.add(id);
    for (const { id: step } of steps) {
      if (step === undefined) continue;
      if (seenSteps.has(step) && stepText !== undefined) {
        const why = `Two steps had the id ${step}.`;
        const to = takeId(step, stepIds);
        fixes.push({ do: 'rename_step', code: 'duplicate_step', why, step, to });
      }
      seenSteps.add(step);
    }
    return fixes;
  });
}

function fixEdges({ tree }: Scene, violations: Violation[]): Fix[] {
  const { size, edges, unknown } = readGraph(tree);
  const codes = new Set(violations.map(({ code }) => code));
  const missing = codes.has('unknown_dependency')
    ? unknown.map(({ wait }): Fix => {
        const { node, step, on, type } = wait;
        const why = `There is no ${on} to wait for.`;
        return { do: 'unlink', code: 'unknown_dependency', why, node, step, on, type };
      })
    : [];
  if (!codes.has('cycle')) return missing;
  const breaks = breakCircles(size, edges, (position) => edges[position]?.wait !== null);
  const broken = breaks.flatMap((position): Fix[] => {
    const wait = edges[position]?.wait ?? null;
    if (wait === null) return [];
    const { node, step, on, type } = wait;
    const why = `${step ?? node} and ${on} waited for each other.`;
    return [{ do: 'unlink', code: 'cycle', why, node, step, on, type }];
  });
  return [...missing, ...broken];
}

function fixOne(scene: Scene, violation: Violation): Fix[] {
  const { outline, tree, touched } = scene;
  const { code, text: why } = violation;
  if (code === 'pattern_mismatch') return fixPattern(outline, why);
  if (code === 'l1_structure' && violation.node === null) return coverRoots(scene, why);
  const index = violation.node === null ? undefined : tree.places.get(violation.node);
  const node = index === undefined ? undefined : tree.nodes[index];
  if (index === undefined || node === undefined) return [];
  const key = `${code} ${node.id}`;
  if (touched.has(key)) return [];
  touched.add(key);
  switch (code) {
    case 'orphan':
    case 'unreachable':
    case 'l1_structure':
      return place(scene, code, why, node, index);
    case 'too_deep':
      return [{ do: 'flatten', code, why, node: node.id }];
    case 'structure_mismatch':
    case 'misplaced_steps':
      return reshape(scene, code, why, node, index);
    case 'leaf_without_work':
    case 'empty_phase':
      return leaveOut(scene, code, why, node, index);
    case 'rhythm_mismatch':
    case 'nested_recurrence':
    case 'recurrence_without_rule':
      return setRhythm(code, why, node);
    case 'phase_lacks':
      return [{ do: 'add', code, why, node: closePhase(scene, node, index) }];
    case 'level_gap':
      return [{ do: 'relevel', code, why, node: node.id }];
    default:
      return [];
  }
}

function findHome({ tree }: Scene): OutlineNode | undefined {
  return tree.nodes.find(({ parent, structure }) => parent === null && structure === 'goal');
}

function place(scene: Scene, code: string, why: string, node: OutlineNode, index: number): Fix[] {
  // Breaking the cycle frees nodes that can never begin.
  const inPlace = (scene.tree.parents[index] ?? -1) !== -1;
  if (code === 'unreachable' && (inPlace || node.parent === null)) return [];
  const home = findHome(scene);
  if (home === undefined) return coverRoots(scene, why);
  return home.id === node.id ? [] : [{ do: 'move', code, why, node: node.id, parent: home.id }];
}

/** A goal over all top-level nodes, once per round. */
function coverRoots({ outline, tree, ids, touched }: Scene, why: string): Fix[] {
  if (touched.has('goal')) return [];
  touched.add('goal');
  const id = takeId('goal', ids);
  const goal = makeNode({ id, title: outline.title, structure: 'goal', origin: 'ai_adaptation' });
  const tops = tree.nodes.filter((_, index) => tree.parents[index] === -1);
  return [
    { do: 'add', code: 'l1_structure', why, node: goal },
    ...tops.map((node): Fix => {
      return { do: 'move', code: 'l1_structure', why, node: node.id, parent: id };
    }),
  ];
}

function isWide(over: Structure | undefined): boolean {
  return over === 'goal' || over === 'phase';
}

function reshape(scene: Scene, code: string, why: string, node: OutlineNode, index: number): Fix[] {
  const { tree, ids } = scene;
  const inner = (tree.children[index]?.length ?? 0) > 0;
  const over = tree.nodes[tree.parents[index] ?? -1]?.structure;
  const become = (structure: Structure): Fix[] =>
    structure === node.structure
      ? []
      : [{ do: 'set_structure', code, why, node: node.id, structure }];
  if (code === 'misplaced_steps') {
    if (!inner && over !== undefined) return become('task');
    return [{ do: 'push_down', code, why, node: node.id, into: takeId(`${node.id}-steps`, ids) }];
  }
  if (inner) return become(isWide(over) ? 'phase' : 'task');
  if (node.steps.length > 0) return become('task');
  // A milestone without work makes sense under a phase only.
  return isWide(over) ? become('milestone') : [{ do: 'remove', code, why, node: node.id }];
}

/** An empty node becomes a milestone if there is room; work without an actor is reported. */
function leaveOut(
  { tree }: Scene,
  code: string,
  why: string,
  node: OutlineNode,
  index: number,
): Fix[] {
  const below: number[] = [...(tree.children[index] ?? [])];
  for (const part of below) below.push(...(tree.children[part] ?? []));
  const removals = below.toReversed().flatMap((part): Fix[] => {
    const { id } = tree.nodes[part] ?? node;
    return [{ do: 'remove', code, why, node: id, ...assume(tree.nodes[part]) }];
  });
  const over = tree.nodes[tree.parents[index] ?? -1]?.structure;
  const assumption = assume(node);
  const end: Fix =
    code === 'leaf_without_work' && isWide(over)
      ? { do: 'set_structure', code, why, node: node.id, structure: 'milestone', ...assumption }
      : { do: 'remove', code, why, node: node.id, ...assumption };
  return [...removals, end];
}

function assume(node: OutlineNode | undefined): { assume?: string } {
  if (node === undefined || (node.structure !== 'task' && node.structure !== 'checkpoint'))
    return {};
  return { assume: `Nothing in this plan does ${quoteWords(node.title, 200)}: it has no step.` };
}

function setRhythm(code: string, why: string, node: OutlineNode): Fix[] {
  if (code === 'rhythm_mismatch') {
    const rhythm =
      node.recurs !== null ? 'recurring' : node.target !== null ? 'cumulative' : 'one_off';
    return [{ do: 'set_rhythm', code, why, node: node.id, rhythm }];
  }
  const once: Fix = { do: 'set_rhythm', code, why, node: node.id, rhythm: 'one_off' };
  if (code === 'nested_recurrence') return [once];
  return [
    {
      ...once,
      assume: `${quoteWords(node.title, 200)} happens once: when it repeats was not said.`,
    },
  ];
}

function closePhase({ tree, ids, outline }: Scene, phase: OutlineNode, index: number): OutlineNode {
  const { phaseHolds } = patternRules[canonicalPattern(outline.pattern)];
  const structure = phaseHolds.includes('milestone') ? 'milestone' : 'checkpoint';
  const id = takeId(`${phase.id}-done`, ids);
  const parts = (tree.children[index] ?? []).flatMap((part) => tree.nodes[part]?.id ?? []);
  const after = parts.slice(0, 1000).map(toDependency);
  const title = `${shorten(phase.title, 200)} is done`;
  return makeNode({ id, parent: phase.id, title, structure, origin: 'ai_adaptation', after });
}

/** A pattern that fits, unless a person chose the current one. */
function fixPattern(outline: PlanOutline, why: string): Fix[] {
  const { pattern } = outline;
  const chosen =
    pattern.introduced_by === 'user_feedback' ||
    isProposed(pattern.pattern_type) ||
    isProposed(pattern.subtype);
  if (chosen) return [];
  const features = readFeatures(outline);
  const goals = features.structures.goal;
  const fitting = rankPatterns(features).find(
    ({ pattern_type, score }) => score === 1 && goals <= patternRules[pattern_type].top.most,
  );
  if (fitting === undefined || fitting.pattern_type === canonicalPattern(pattern)) return [];
  return [{ do: 'repattern', code: 'pattern_mismatch', why, pattern: fitting.pattern_type }];
}
