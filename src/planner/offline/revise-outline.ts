// An outline with parts, changed as its plan was changed: parts, order and dates that nobody spoke of stay as they are.
import type { PlanDraft, StepDraft } from '#contracts/plan.ts';
import type { OutlineNode, PlanOutline } from '#contracts/planning/outline.ts';
import { draftPlan } from '../draft/draft-plan.ts';
import { writeConditions } from '../grammar/read-step.ts';
import { withoutAddedCheckpoints } from '../roadmap/added-checkpoints.ts';
import type { ChangedParts } from './change-parts.ts';
import { emptyNode, type TimedOutline, type WrittenNode } from './write-outline.ts';

/** Whether an outline is more than a list of steps, so that a list of steps cannot stand for it. */
export function hasParts({ nodes }: PlanOutline): boolean {
  const roots = new Set(nodes.flatMap(({ id, parent }) => (parent === null ? [id] : [])));
  return nodes.some(
    ({ parent, steps, structure, deadline, recurs, timing }) =>
      deadline !== null ||
      recurs !== null ||
      timing !== undefined ||
      steps.length > 1 ||
      (parent === null ? structure !== 'goal' : !roots.has(parent) || structure !== 'task'),
  );
}

/** All steps of an outline, those that come again included, as one list that feedback can speak of. */
export function flattenOutline(outline: PlanOutline): PlanDraft {
  const { nodes, ...rest } = withoutAddedCheckpoints(outline);
  const once = nodes.map((node) => ({ ...node, recurs: null, rhythm: 'one_off' as const }));
  return draftPlan({ ...rest, nodes: once }, null, null);
}

const idsOf = ({ after = [] }: StepDraft) =>
  after.map((entry) => (typeof entry === 'string' ? entry : entry.id));

/** @param now the flattened outline as it should be; null: only parts were changed */
export function reviseOutline(
  { outline: given, into }: ChangedParts,
  now: PlanDraft | null,
): TimedOutline {
  const outline = withoutAddedCheckpoints(given);
  const before = flattenOutline(outline);
  const after = now ?? before;
  const old = new Map(before.steps.map((step) => [step.id ?? '', step]));
  const next = new Map(after.steps.map((step) => [step.id ?? '', step]));
  const owners = new Map(
    outline.nodes.flatMap(({ id, steps }) => steps.map((step) => [step.id ?? '', id] as const)),
  );
  const added = after.steps.filter(({ id }) => !old.has(id ?? ''));
  const taken = new Set(outline.nodes.map(({ id }) => id));
  for (const { id = '' } of added) owners.set(id, taken.has(id) ? `task-${id}` : id);
  const kept = outline.nodes.flatMap((node) => reviseNode(node, { old, next, owners }));
  const last = kept.findLast(({ steps }) => steps.length > 0)?.parent ?? kept[0]?.id ?? null;
  const parts = into === null || added.length === 0 ? [] : [writeNode(into.node)];
  const fresh = added.map((step): WrittenNode => {
    const id = owners.get(step.id ?? '') ?? step.id ?? '';
    const beside = idsOf(step).flatMap((one) => owners.get(one) ?? []);
    const parent = kept.find((node) => beside.includes(node.id))?.parent ?? last;
    return {
      ...emptyNode({
        id,
        parent: into === null ? parent : into.id,
        title: step.description,
        structure: 'task',
      }),
      after: [...new Set(beside)].filter((one) => one !== id),
      not_before: step.not_before ?? null,
      steps: [writeStep(step, [])],
    };
  });
  const nodes = dropEmpty([...kept, ...parts, ...fresh]);
  return {
    title: outline.title,
    summary: after.summary ?? outline.summary,
    nodes,
    risks: (after.risks ?? []).map((risk) =>
      typeof risk === 'string' ? { text: risk, sign: null } : { ...risk, sign: risk.sign ?? null },
    ),
    assumptions: outline.assumptions,
    confidence: 0.9,
  };
}

type Steps = {
  old: Map<string, StepDraft>;
  next: Map<string, StepDraft>;
  owners: Map<string, string>;
};

function reviseNode(node: OutlineNode, { old, next, owners }: Steps): WrittenNode[] {
  const written = writeNode(node);
  if (node.steps.length === 0) return [written];
  const steps = node.steps.flatMap((step) => next.get(step.id ?? '') ?? []);
  if (steps.length === 0) return [];
  const own = new Set(steps.map(({ id }) => id));
  const [more, less] = [new Set<string>(), new Set<string>()];
  for (const step of steps) {
    const was = new Set(idsOf(old.get(step.id ?? '') ?? step));
    const is = new Set(idsOf(step));
    for (const id of is) if (!was.has(id)) more.add(owners.get(id) ?? '');
    for (const id of was) if (!is.has(id)) less.add(owners.get(id) ?? '');
  }
  const known = new Set(node.after.map(({ id }) => id));
  const edges = [...more].filter((id) => id !== '' && id !== node.id && !known.has(id));
  const [single] = steps;
  const renamed =
    steps.length === 1 && node.title === old.get(single?.id ?? '')?.description
      ? (single?.description ?? node.title)
      : node.title;
  // A moment that was changed with the words of the step belongs to the node.
  const moved = single?.not_before !== old.get(single?.id ?? '')?.not_before;
  return [
    {
      ...written,
      title: renamed,
      not_before: moved ? (single?.not_before ?? null) : written.not_before,
      after: [...node.after.filter(({ id }) => !less.has(id)), ...edges],
      steps: steps.map((step) =>
        writeStep(
          step,
          idsOf(step).filter((id) => own.has(id)),
        ),
      ),
    },
  ];
}

function writeNode(node: OutlineNode): WrittenNode {
  const { level: _, origin: __, timing, steps, ...rest } = node;
  return {
    ...rest,
    timing: timing ?? null,
    steps: steps.map((step) => writeStep(step, idsOf(step))),
  };
}

function writeStep(step: StepDraft, after: string[]): WrittenNode['steps'][number] {
  const { id = '', description, tool, operation, args = {}, target, notes } = step;
  return {
    id,
    description,
    tool,
    operation,
    args: JSON.stringify(args),
    after,
    target: target ?? null,
    notes: typeof notes === 'string' ? notes : null,
    when: writeConditions(step.when),
    ask_before: step.ask_before ?? null,
  };
}

/** Parts in which nothing is left go, and nothing waits for what is gone. A milestone that never held anything stays. */
function dropEmpty(nodes: WrittenNode[]): WrittenNode[] {
  let left = nodes;
  for (;;) {
    const parents = new Set(left.map(({ parent }) => parent));
    const filled = left.filter(
      ({ id, steps, structure, parent }) =>
        steps.length > 0 || parents.has(id) || structure === 'milestone' || parent === null,
    );
    if (filled.length === left.length) break;
    left = filled;
  }
  const ids = new Set(left.map(({ id }) => id));
  return left.map((node) => ({
    ...node,
    after: node.after.filter((edge) => ids.has(typeof edge === 'string' ? edge : edge.id)),
  }));
}
