// Edits the draft in place (B4, B22). Pure; a failed edit changes nothing.
import type { Dependency } from '#domain/plan/dependency.ts';
import { mergeArguments } from '#domain/plan/merge.ts';
import { dependenciesOf, StepDraft, sourcesOf } from '#domain/plan/step-content.ts';
import type { OutlineGap, OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import { quoteWords } from '#domain/shown-text.ts';
import type { JsonObject } from '#domain/text.ts';
import { shorten } from '#domain/words.ts';
import { bridgeRemoved } from '../outline/edit-outline.ts';
import { makeNode } from '../outline/make-node.ts';
import { isWithin, readTree, setLevels, takeId } from '../outline/outline-tree.ts';
import { settleEdges } from '../outline/written-outline.ts';
import type { NewStep, StepChange } from '../outline/written-steps.ts';

export type Edited = { outline: PlanOutline } | { problems: string[] };

const maxNodes = 5000;
const maxSteps = 50_000;

type Place = { node: OutlineNode; step: StepDraft };

export function placeSteps({ nodes }: PlanOutline): Map<string, Place> {
  return new Map(
    nodes.flatMap((node) => node.steps.map((step) => [step.id ?? '', { node, step }] as const)),
  );
}

/** By step ID, or all steps of a group, phase or partition. */
export function stepsNamed(outline: PlanOutline, names: string[]): string[] {
  const places = placeSteps(outline);
  const tree = readTree(outline.nodes);
  const { nodes } = tree;
  return names.flatMap((name) => {
    if (places.has(name)) return [name];
    const whole = nodes.findIndex(({ id, title }) => id === name || title === name);
    if (whole === -1) {
      const own = [...places].filter(([, { step }]) => step.partition === name);
      return own.length === 0 ? [name] : own.map(([id]) => id);
    }
    return nodes.flatMap(({ steps }, place) =>
      isWithin(tree, place, whole) ? steps.map(({ id = '' }) => id) : [],
    );
  });
}

export function withNodes(outline: PlanOutline, nodes: OutlineNode[]): PlanOutline {
  const gaps = outline.gaps?.filter(({ node }) => nodes.some(({ id }) => id === node)) ?? [];
  return withGaps({ ...outline, nodes: setLevels(settleEdges(nodes)) }, gaps);
}

export function withGaps({ gaps: _, ...outline }: PlanOutline, gaps: OutlineGap[]): PlanOutline {
  return gaps.length === 0 ? outline : { ...outline, gaps };
}

export function emptyOutline(title: string, pattern: PlanOutline['pattern']): PlanOutline {
  const goal = makeNode({ id: 'goal', title, structure: 'goal' });
  return { title, summary: title, pattern, nodes: [goal], risks: [], assumptions: [] };
}

/** The node that contains all others, if any. */
function findGoal(nodes: OutlineNode[]): string | null {
  return nodes.find(({ structure, parent }) => structure === 'goal' && parent === null)?.id ?? null;
}

function findPhase(nodes: OutlineNode[], title: string, ids: Set<string>): string {
  const known = nodes.find(
    (node) => node.steps.length === 0 && (node.title === title || node.id === title),
  );
  if (known !== undefined) return known.id;
  const id = takeId('phase', ids);
  nodes.push(makeNode({ id, title, structure: 'phase', parent: findGoal(nodes) }));
  return id;
}

export const titleOf = (steps: StepDraft[]): string =>
  shorten(steps.map(({ description }) => description).join('; '), 3000);

function withSteps(node: OutlineNode, steps: StepDraft[]): OutlineNode {
  return {
    ...node,
    steps,
    title: node.title === titleOf(node.steps) ? titleOf(steps) : node.title,
  };
}

function taskOf({ step }: NewStep, id: string, parent: string | null): OutlineNode {
  return makeNode({
    id,
    title: titleOf([step]),
    structure: 'task',
    parent,
    steps: [step],
    duration_minutes: step.duration_minutes ?? null,
    not_before: step.not_before ?? null,
  });
}

/** @param before null to append */
export function addSteps(outline: PlanOutline, added: NewStep[], before: string | null): Edited {
  const places = placeSteps(outline);
  const twice = added.filter(({ step }) => places.has(step.id));
  const target = before === null ? null : places.get(before);
  const problems = [
    ...twice.map(
      ({ step }) =>
        `There is a step ${step.id} already. Change it with edit_steps, or choose another id.`,
    ),
    ...(target === undefined ? [`There is no step ${before} to put them before.`] : []),
  ];
  if (outline.nodes.length + added.length > maxNodes)
    problems.push(
      `A draft has at most ${maxNodes} steps of their own. Use for_each for many of one kind.`,
    );
  if (problems.length > 0) return { problems };
  const nodes = [...outline.nodes];
  const ids = new Set(nodes.map(({ id }) => id));
  const made = added.map((one) => {
    const parent =
      one.phase === null
        ? (target?.node.parent ?? findGoal(nodes))
        : findPhase(nodes, one.phase, ids);
    return taskOf(one, takeId(one.step.id, ids), parent);
  });
  const at = target == null ? nodes.length : nodes.indexOf(target.node);
  return { outline: withNodes(outline, nodes.toSpliced(at, 0, ...made)) };
}

type StepGroup = {
  id: string;
  title: string;
  steps: (StepDraft & { id: string })[];
  after?: Dependency[];
  each?: JsonObject;
};

/** Replaces a group with the same ID. */
export function addGroup(outline: PlanOutline, group: StepGroup, phase: string | null): Edited {
  const { id } = group;
  const nodes = outline.nodes.filter((node) => node.id !== id || node.steps.length === 0);
  const gaps = outline.gaps?.filter(({ node }) => node !== id) ?? [];
  return addGroups(withGaps({ ...outline, nodes }, gaps), [group], phase);
}

export function addGroups(
  outline: PlanOutline,
  groups: StepGroup[],
  phase: string | null = null,
): Edited {
  const taken = new Set(placeSteps(outline).keys());
  for (const { steps } of groups) {
    const twice = steps.find(({ id }) => taken.size === taken.add(id).size);
    if (twice !== undefined)
      return { problems: [`There is a step ${twice.id} already. Choose another id.`] };
  }
  if (taken.size > maxSteps) return { problems: [`A draft has at most ${maxSteps} steps.`] };
  const nodes = [...outline.nodes];
  const ids = new Set(nodes.map((node) => node.id));
  const parent = phase === null ? findGoal(nodes) : findPhase(nodes, phase, ids);
  for (const { id, after = [], ...group } of groups)
    nodes.push(makeNode({ ...group, id: takeId(id, ids), structure: 'task', parent, after }));
  return { outline: withNodes(outline, nodes) };
}

function changeStep(step: StepDraft, { step: changed, cleared }: StepChange): StepDraft {
  const { args, ...rest } = changed;
  const merged = StepDraft.parse({ ...step, ...rest });
  // Arguments don't carry over to another operation.
  const fresh =
    rest.operation !== undefined && (rest.tool !== step.tool || rest.operation !== step.operation);
  if (args !== undefined) merged.args = mergeArguments(fresh ? {} : (step.args ?? {}), args);
  const kept = Object.entries(merged).filter(
    ([key]) =>
      !cleared.some((name) => name === key) &&
      // Minutes and words state one duration.
      !(key === 'duration_minutes' && cleared.includes('duration')),
  );
  return StepDraft.parse(Object.fromEntries(kept));
}

export function editSteps(outline: PlanOutline, edits: StepChange[]): Edited {
  const places = placeSteps(outline);
  const seen = new Set<string>();
  const problems = edits.flatMap(({ step, phase }) => {
    if (seen.size === seen.add(step.id).size)
      return [`Step ${step.id} is there twice. Say all that changes of it at once.`];
    const place = places.get(step.id);
    if (place === undefined) return [`There is no step ${step.id}. Add it with add_steps.`];
    return phase !== undefined && place.node.steps.length > 1
      ? [
          `Step ${step.id} belongs to ${quoteWords(place.node.title, 80)} and has no phase of its own.`,
        ]
      : [];
  });
  if (problems.length > 0) return { problems };
  const byId = new Map(edits.map((edit) => [edit.step.id, edit]));
  const ids = new Set(outline.nodes.map(({ id }) => id));
  const phases: OutlineNode[] = [...outline.nodes];
  const known = phases.length;
  const nodes = outline.nodes.map((node): OutlineNode => {
    if (!node.steps.some(({ id = '' }) => byId.has(id))) return node;
    const steps = node.steps.map((step) => {
      const edit = byId.get(step.id ?? '');
      return edit === undefined ? step : changeStep(step, edit);
    });
    const changed = withSteps(node, steps);
    const edit = steps.length === 1 ? byId.get(steps[0]?.id ?? '') : undefined;
    if (edit === undefined) return changed;
    return changeNode(changed, edit, (title) =>
      title === null ? findGoal(phases) : findPhase(phases, title, ids),
    );
  });
  return { outline: dropEmptyPhases(withNodes(outline, [...nodes, ...phases.slice(known)])) };
}

/** Only for nodes of one step. */
function changeNode(
  node: OutlineNode,
  { step: changed, phase, cleared }: StepChange,
  phaseOf: (title: string | null) => string | null,
): OutlineNode {
  const reordered = changed.after !== undefined || cleared.includes('after');
  return {
    ...node,
    // The step states its dependencies again.
    ...(reordered ? { after: [] } : {}),
    ...(changed.not_before !== undefined ? { not_before: changed.not_before } : {}),
    ...(cleared.includes('not_before') ? { not_before: null } : {}),
    ...(cleared.includes('duration') ? { duration_minutes: null } : {}),
    ...(phase === undefined ? {} : { parent: phaseOf(phase) }),
  };
}

export function dropEmptyPhases(outline: PlanOutline): PlanOutline {
  let { nodes } = outline;
  for (;;) {
    const wholes = new Set(nodes.map(({ parent }) => parent));
    const kept = nodes.filter(
      ({ id, structure, steps }) => structure !== 'phase' || steps.length > 0 || wholes.has(id),
    );
    if (kept.length === nodes.length)
      return nodes === outline.nodes ? outline : { ...outline, nodes: setLevels(nodes) };
    nodes = kept;
  }
}

export function removeSteps(outline: PlanOutline, ids: string[]): Edited {
  const places = placeSteps(outline);
  const removed = new Set(ids);
  const problems = ids.filter((id) => !places.has(id)).map((id) => `There is no step ${id}.`);
  for (const [id, { step }] of places) {
    if (removed.has(id)) continue;
    const lost = sourcesOf(step).find((source) => removed.has(source));
    if (lost !== undefined)
      problems.push(`Step ${id} uses the output of step ${lost}. Change or remove it as well.`);
  }
  if (problems.length > 0) return { problems: [...new Set(problems)] };
  const emptied = outline.nodes.filter(
    ({ steps }) => steps.length > 0 && steps.every(({ id = '' }) => removed.has(id)),
  );
  const goneNodes = new Set(emptied.map(({ id }) => id));
  const gone = new Map([
    ...emptied.map(({ id, after }) => [id, after] as const),
    ...ids.flatMap((id) => {
      const place = places.get(id);
      if (place === undefined) return [];
      return [[id, [...dependenciesOf(place.step), ...place.node.after]] as const];
    }),
  ]);
  const bridge = bridgeRemoved(gone);
  const nodes = outline.nodes
    .filter(({ id }) => !goneNodes.has(id))
    .map((node): OutlineNode => {
      const touched =
        node.after.some(({ id }) => goneNodes.has(id)) ||
        node.steps.some(
          (step) =>
            removed.has(step.id ?? '') || dependenciesOf(step).some(({ id }) => removed.has(id)),
        );
      if (!touched) return node;
      const steps = node.steps
        .filter(({ id = '' }) => !removed.has(id))
        .map((step): StepDraft => {
          if (step.after === undefined) return step;
          return { ...step, after: bridge(step.id ?? '', dependenciesOf(step)) };
        });
      return { ...withSteps(node, steps), after: bridge(node.id, node.after) };
    });
  return { outline: dropEmptyPhases(withNodes(outline, nodes)) };
}
