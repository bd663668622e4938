// Differences between outlines, for the trace.
import type { OutlineNode } from '#domain/planning/outline.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { Adaptation } from '#domain/planning/trace.ts';
import { shorten } from '#domain/words.ts';

const maxListed = 200;

type Reason = Pick<Adaptation, 'introduced_by' | 'why'>;

export function compareOutlines(
  previous: OutlineNode[],
  next: OutlineNode[],
  reason: Reason,
): Adaptation[] {
  const before = new Map(previous.map((node) => [node.id, node]));
  const now = new Set(next.map(({ id }) => id));
  const found: Pick<Adaptation, 'what' | 'node'>[] = [
    ...previous
      .filter(({ id }) => !now.has(id))
      .map(({ id }) => ({ what: 'removed' as const, node: id })),
    ...next.flatMap((node) => {
      const old = before.get(node.id);
      return old === undefined
        ? [{ what: 'added' as const, node: node.id }]
        : compareNodes(old, node);
    }),
  ];
  const listed = found.slice(0, maxListed);
  const more = found.length - listed.length;
  if (more > 0) listed.push({ what: 'changed', node: `and ${more} more changes` });
  return listed.map((change) => ({
    ...change,
    node: shorten(change.node, 500),
    introduced_by: reason.introduced_by,
    why: shorten(reason.why, 1000),
  }));
}

function contentOf(node: OutlineNode): string {
  const { title, structure, rhythm, steps, recurs, target } = node;
  const { duration_minutes, not_before, deadline } = node;
  return JSON.stringify([
    title,
    structure,
    rhythm,
    steps,
    recurs,
    target,
    duration_minutes,
    not_before,
    deadline,
  ]);
}

function compareNodes(old: OutlineNode, node: OutlineNode): Pick<Adaptation, 'what' | 'node'>[] {
  const edge = ({ id, type, lag_minutes }: OutlineNode['after'][number]) =>
    `${id} ${type} ${lag_minutes}`;
  const had = new Set(old.after.map(edge));
  const has = new Set(node.after.map(edge));
  return [
    ...(contentOf(old) === contentOf(node) ? [] : [{ what: 'changed' as const, node: node.id }]),
    ...(old.parent === node.parent ? [] : [{ what: 'moved' as const, node: node.id }]),
    ...old.after
      .filter((dependency) => !has.has(edge(dependency)))
      .map(({ id }) => ({ what: 'unlinked' as const, node: `${id} → ${node.id}` })),
    ...node.after
      .filter((dependency) => !had.has(edge(dependency)))
      .map(({ id }) => ({ what: 'linked' as const, node: `${id} → ${node.id}` })),
  ];
}

export function whoseChange(
  { change, hints }: Pick<PlanningState, 'change' | 'hints'>,
  previous: OutlineNode[] | null,
): OutlineNode['origin'] {
  if (previous === null) return 'system';
  if (change !== null) return 'user_feedback';
  return hints.length > 0 ? 'ai_adaptation' : 'system';
}
