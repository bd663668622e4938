// Rules of outline structure (B7): one tree, allowed parts, work in leaves.
import { canonicalPattern } from '#domain/plan/pattern.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Violation } from '#domain/planning/trace.ts';
import { partsOf, patternRules } from '../patterns/rules.ts';
import { nameNode, nameSome, violate } from './names.ts';
import { deepest, markWork, type Tree } from './outline-tree.ts';

export function checkStructure(outline: PlanOutline, tree: Tree): Violation[] {
  const works = markWork(tree);
  if (!works.includes(true)) {
    return [
      violate('no_work', null, 'Nothing in the outline does anything. Give its tasks steps.'),
    ];
  }
  return [
    ...checkIds(tree),
    ...checkPlaces(tree),
    ...checkTop(outline, tree),
    ...checkNodes(outline, tree, works),
  ];
}

function checkIds({ nodes, places }: Tree): Violation[] {
  const steps = new Set<string>();
  return nodes.flatMap((node, index) => {
    const found: Violation[] = [];
    if (places.get(node.id) !== index) {
      const text = `Two nodes have the id ${node.id}. Give ${nameNode(node)} another.`;
      found.push(violate('duplicate_node', node.id, text));
    }
    for (const { id } of node.steps) {
      if (id === undefined) continue;
      if (steps.has(id)) {
        const text = `Two steps have the id ${id}. Give the one in ${nameNode(node)} another.`;
        found.push(violate('duplicate_step', node.id, text));
      }
      steps.add(id);
    }
    return found;
  });
}

/** Unreachable from a root. */
function checkPlaces({ nodes, orphans, rings }: Tree): Violation[] {
  const lost = orphans.flatMap((index) => {
    const node = nodes[index];
    if (node === undefined) return [];
    const text = `${nameNode(node)} is a part of ${node.parent}, which does not exist. Put it under the goal.`;
    return [violate('orphan', node.id, text)];
  });
  const turning = rings.flatMap((ring) => {
    const members = ring.flatMap((index) => nodes[index] ?? []);
    const [first] = members;
    if (first === undefined) return [];
    const text =
      members.length === 1
        ? `${nameNode(first)} is a part of itself. Put it under the goal.`
        : `No way leads from the goal to ${nameSome(members.map(nameNode))}: they are parts of each other. Put ${first.id} under the goal.`;
    return [violate('unreachable', first.id, text)];
  });
  return [...lost, ...turning];
}

function checkTop({ pattern }: PlanOutline, { nodes }: Tree): Violation[] {
  const { top, title } = patternRules[canonicalPattern(pattern)];
  const roots = nodes.filter(({ parent }) => parent === null);
  if (roots.length === 0) {
    return [
      violate('l1_structure', null, 'There is nothing at level 1. Put a goal over the rest.'),
    ];
  }
  const foreign = roots.filter(({ structure }) => !top.structures.includes(structure));
  const goals = roots.filter(({ structure }) => top.structures.includes(structure));
  const place = goals.length === 0 ? 'Put a goal over it' : `Put it under ${goals[0]?.id}`;
  return [
    ...foreign.map((node) =>
      violate(
        'l1_structure',
        node.id,
        `${nameNode(node)} is a ${node.structure} at level 1, where only a goal can be. ${place}.`,
      ),
    ),
    ...goals
      .slice(top.most)
      .map((node) =>
        violate(
          'l1_structure',
          node.id,
          `A ${title} has ${top.most === 1 ? 'one goal' : `at most ${top.most} goals`}. ${place}: ${nameNode(node)}.`,
        ),
      ),
  ];
}

function checkNodes({ pattern }: PlanOutline, tree: Tree, works: boolean[]): Violation[] {
  const { below, depth } = patternRules[canonicalPattern(pattern)];
  const { nodes, parents, children, depths } = tree;
  const heights = readHeights(tree);
  return nodes.flatMap((node, index) => {
    const found: Violation[] = [];
    const say = (code: string, text: string, blocking = true) =>
      found.push(violate(code, node.id, `${nameNode(node)} ${text}`, blocking));
    const own = children[index]?.length ?? 0;
    const at = depths[index] ?? 1;
    const above = nodes[parents[index] ?? -1];
    const { structure, steps } = node;

    const level = Math.min(deepest, at);
    if (node.level !== level) {
      say('level_gap', `is marked as level ${node.level}. Mark it as level ${level}.`);
    }
    if (at === depth && own > 0) {
      const lowest = heights[index] ?? at;
      const text = `goes ${lowest} levels deep; ${depth} are enough. Move its parts up to its own level.`;
      say('too_deep', text, lowest > deepest);
    }
    if (structure === 'checkpoint' && own > 0) {
      say('structure_mismatch', 'is a checkpoint with parts. Make it a task or a phase.');
    } else if (above !== undefined && above.structure !== 'checkpoint') {
      if (!partsOf[above.structure].includes(structure) || !below.includes(structure)) {
        const better = own > 0 ? 'phase or task' : 'task';
        say(
          'structure_mismatch',
          `is a ${structure} under a ${above.structure}. Make it a ${better}.`,
        );
      }
    }
    if (steps.length > 0 && own > 0) {
      say('misplaced_steps', 'has both parts and steps. Put its steps into a task of their own.');
    } else if (steps.length > 0 && structure !== 'task' && structure !== 'checkpoint') {
      say('misplaced_steps', `is a ${structure} with steps. Make it a task.`);
    }
    // Reports an empty branch once, at its top.
    if (works[index] === true || (parents[index] !== -1 && !works[parents[index] ?? -1]))
      return found;
    if (structure === 'phase' || structure === 'goal') {
      say(
        'empty_phase',
        `is a ${structure} in which nothing is done. Give it a task, or leave it out.`,
      );
    } else if (structure === 'task' || structure === 'checkpoint') {
      say('leaf_without_work', `is a ${structure} without a step. Give it one, or leave it out.`);
    } else if (own > 0) {
      say(
        'leaf_without_work',
        'has parts of which none does anything. Give them steps, or leave them out.',
      );
    }
    return found;
  });
}

/** Level of the lowest descendant. */
function readHeights({ nodes, order, parents, depths }: Tree): number[] {
  const heights = nodes.map((_, index) => depths[index] ?? 1);
  for (const index of order.toReversed()) {
    const parent = parents[index] ?? -1;
    if (parent !== -1) heights[parent] = Math.max(heights[parent] ?? 1, heights[index] ?? 1);
  }
  return heights;
}
