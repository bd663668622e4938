// Checkpoints that a roadmap adds to an outline. They belong to the chosen option and are removed before another is built.
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { makeNode } from '../outline/make-node.ts';
import type { Operations } from './operations.ts';

const prefix = 'checkpoint:';

/** The roadmap put this node in; nobody said it. */
export function isAddedCheckpoint({ id, structure }: OutlineNode): boolean {
  return structure === 'checkpoint' && id.startsWith(prefix);
}

/** The outline as it was before any way was chosen; the same object where there is nothing to take out. */
export function withoutAddedCheckpoints(outline: PlanOutline): PlanOutline {
  const gone = new Set(outline.nodes.filter(isAddedCheckpoint).map(({ id }) => id));
  if (gone.size === 0) return outline;
  const nodes = outline.nodes
    .filter(({ id }) => !gone.has(id))
    .map((node) => ({ ...node, after: node.after.filter(({ id }) => !gone.has(id)) }));
  return { ...outline, nodes };
}

/** A checkpoint beside `before`, in front of it. */
export function makeCheckpoint(
  number: number,
  before: OutlineNode,
  question: NonNullable<Operations['question']>,
): OutlineNode {
  const id = `${prefix}${number}`;
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

/** `nodes` with each checkpoint in front of the node it stands before. */
export function insertCheckpoints(
  nodes: OutlineNode[],
  added: { node: OutlineNode; before: string }[],
): OutlineNode[] {
  if (added.length === 0) return nodes;
  const byPlace = Map.groupBy(added, ({ before }) => before);
  return nodes.flatMap((node) => [...(byPlace.get(node.id) ?? []).map((one) => one.node), node]);
}
