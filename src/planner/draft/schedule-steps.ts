// Sets starts, durations, deadlines and repetition of draft steps (B4). Pure.
import { fromDependency } from '#domain/plan/dependency.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { OutlineNode, PlanOutline, Recurs } from '#domain/planning/outline.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { listOf } from '#domain/words.ts';
import { makeNode } from '../outline/make-node.ts';
import { isWithin, readTree, takeId } from '../outline/outline-tree.ts';
import { dropEmptyPhases, type Edited, placeSteps, titleOf, withNodes } from './edit-draft.ts';

/** `null` removes a value. */
export type Timing = {
  not_before?: string | null;
  deadline?: string | null;
  recurs?: Recurs | null;
};

export function scheduleSteps(
  outline: PlanOutline,
  ids: string[],
  timing: Timing,
  duration?: string | null,
): Edited {
  const places = placeSteps(outline);
  const problems = ids.filter((id) => !places.has(id)).map((id) => `There is no step ${id}.`);
  if (problems.length > 0) return { problems };
  const { recurs, ...times } = timing;
  const named = new Set(ids);
  const shared =
    times.deadline == null
      ? undefined
      : outline.nodes.find(
          ({ steps }) =>
            steps.some(({ id = '' }) => named.has(id)) &&
            steps.some(({ id = '' }) => !named.has(id)),
        );
  if (shared !== undefined)
    return {
      problems: [`The steps of ${quoteWords(shared.title, 80)} have one deadline. Set it for all.`],
    };
  const together =
    recurs === null
      ? outline.nodes.find(
          (node) =>
            node.recurs !== null &&
            node.steps.some(({ id = '' }) => named.has(id)) &&
            node.steps.some(({ id = '' }) => !named.has(id)),
        )
      : undefined;
  if (together !== undefined) {
    const all = together.steps.slice(0, 20).map(({ id = '' }) => id);
    return { problems: [`Steps ${listOf(all)} repeat together. Name all of them.`] };
  }
  const timed = moveWholes(
    outline.nodes.map((node) => timeNode(node, named, times, duration)),
    named,
    times.deadline,
  );
  if (recurs === undefined) return { outline: { ...outline, nodes: timed } };
  return { outline: dropEmptyPhases(withNodes(outline, repeatSteps(timed, named, recurs))) };
}

/** A phase with a deadline takes that of its steps if all get one. */
function moveWholes(
  nodes: OutlineNode[],
  named: Set<string>,
  deadline: string | null | undefined,
): OutlineNode[] {
  if (deadline === undefined) return nodes;
  const tree = readTree(nodes);
  return nodes.map((node, whole) => {
    if (node.steps.length > 0 || node.deadline === null) return node;
    const within = nodes.filter((_, place) => isWithin(tree, place, whole));
    const isNamed = within.every(({ steps }) => steps.every(({ id = '' }) => named.has(id)));
    return isNamed ? { ...node, deadline } : node;
  });
}

function timeNode(
  node: OutlineNode,
  named: Set<string>,
  times: Omit<Timing, 'recurs'>,
  duration: string | null | undefined,
): OutlineNode {
  const mine = node.steps.filter(({ id = '' }) => named.has(id));
  if (mine.length === 0) return node;
  const { not_before } = times;
  const steps = node.steps.map((step): StepDraft => {
    const { id = '', not_before: start, duration_minutes, duration: known, ...rest } = step;
    if (!named.has(id)) return step;
    const from = not_before === undefined ? start : (not_before ?? undefined);
    const length =
      duration === undefined
        ? { duration_minutes, duration: known }
        : { duration: duration ?? undefined };
    const given = Object.entries({ ...length, not_before: from }).filter(
      ([, value]) => value !== undefined,
    );
    return { id, ...rest, ...Object.fromEntries(given) };
  });
  // Nodes with other steps keep their times.
  if (mine.length < node.steps.length) return { ...node, steps };
  return { ...node, ...times, ...(duration === null ? { duration_minutes: null } : {}), steps };
}

/** Steps with one rule share a node, a new one unless they already do. */
function repeatSteps(
  nodes: OutlineNode[],
  named: Set<string>,
  recurs: Recurs | null,
): OutlineNode[] {
  const isNamed = ({ id = '' }: StepDraft) => named.has(id);
  const owners = nodes.filter(({ steps }) => steps.some(isNamed));
  const [first] = owners;
  const isWhole = owners.length === 1 && first?.steps.every(isNamed) === true;
  if (recurs === null || isWhole || first === undefined) {
    const rhythm = recurs === null ? 'one_off' : 'recurring';
    return nodes.map((node) => (owners.includes(node) ? { ...node, recurs, rhythm } : node));
  }
  const stepsOfNode = new Map(nodes.map(({ id, steps }) => [id, steps]));
  const taken = owners.flatMap((node) =>
    node.steps.filter(isNamed).map((step): StepDraft => {
      const inherited = node.after.flatMap((edge) =>
        (stepsOfNode.get(edge.id) ?? [])
          .filter(isNamed)
          .map(({ id = '' }) => fromDependency({ ...edge, id })),
      );
      const after = [...(step.after ?? []), ...inherited];
      return after.length === 0 ? step : { ...step, after };
    }),
  );
  const emptied = new Set(owners.filter(({ steps }) => steps.every(isNamed)).map(({ id }) => id));
  const repeated = makeNode({
    id: takeId('repeat', new Set(nodes.map(({ id }) => id))),
    title: titleOf(taken),
    structure: 'task',
    rhythm: 'recurring',
    parent: first.parent,
    steps: taken,
    recurs,
  });
  return nodes.flatMap((node): OutlineNode[] => {
    const own = node === first ? [repeated] : [];
    if (emptied.has(node.id)) return own;
    return [
      {
        ...node,
        // Nothing waits for recurring steps.
        after: node.after.filter(({ id }) => !emptied.has(id)),
        steps: node.steps.filter((step) => !isNamed(step)),
      },
      ...own,
    ];
  });
}
