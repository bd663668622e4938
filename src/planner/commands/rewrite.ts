// The outline of a plan with changes in it: parts, order and times that nobody spoke of stay as they are.
import { conditionsOf } from '#domain/plan/condition.ts';
import type { StepDraft } from '#domain/plan/plan.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import { JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { withoutAddedCheckpoints } from '../order/added-checkpoints.ts';
import type { WrittenOutline } from '../outline/written-outline.ts';
import type { Changes } from './changes.ts';
import { type Described, describeOutcome, describeStep, describeTitle } from './describe.ts';
import { emptyNode, type WrittenNode, writeStep } from './draft.ts';
import { folderOf } from './files.ts';
import { findTouched, stepsConflict } from './order.ts';
import type { Step } from './step.ts';

export type Addition = { place: 'beside' | 'behind'; steps: Step[] };

const idsOf = (after: StepDraft['after'] = []) =>
  after.map((edge) => (typeof edge === 'string' ? edge : edge.id));

export function rewriteOutline(
  given: PlanOutline,
  { steps, rule }: Changes,
  addition: Addition | null,
  manifest: OperationSpec[],
  timezone: string,
): WrittenOutline {
  const outline = withoutAddedCheckpoints(given);
  const wanted = new Map(dropFolders(steps, outline).map((one) => [one.id ?? '', one]));
  const specOf = (one: StepDraft) =>
    manifest.find(({ tool, operation }) => tool === one.tool && operation === one.operation);
  const described = [...wanted.values()].flatMap((one) => {
    const spec = specOf(one);
    return spec === undefined ? [] : [{ id: one.id ?? '', spec, args: one.args ?? {} }];
  });
  const kept = outline.nodes.flatMap((node): WrittenNode[] => {
    const own = node.steps.flatMap((one) => wanted.get(one.id ?? '') ?? []);
    if (node.steps.length > 0 && own.length === 0) return [];
    const { level: _, origin: __, ...rest } = node;
    const [only] = own;
    const [was] = node.steps;
    const [spec] = own.length === 1 && only !== undefined ? [specOf(only)] : [];
    const same = JSON.stringify(only?.args) === JSON.stringify(was?.args);
    const plain =
      spec === undefined || only === undefined
        ? node.title
        : describeStep({ spec, args: only.args ?? {} }, timezone, described);
    return [
      {
        ...rest,
        title: same ? node.title : plain,
        recurs:
          node.recurs !== null && rule !== null ? { ...node.recurs, rrule: rule } : node.recurs,
        after: rewire(node, outline, wanted),
        steps: own.map((one) => writeOld(one, node, specOf(one), timezone, described)),
      },
    ];
  });
  const parents = new Set(kept.map(({ parent }) => parent));
  const nodes = kept.filter(
    ({ id, steps: own, structure, parent }) =>
      own.length > 0 || parents.has(id) || structure === 'milestone' || parent === null,
  );
  const owners = new Map(
    outline.nodes.flatMap(({ id, steps: own }) => own.map((one) => [one.id ?? '', id] as const)),
  );
  const fresh = addition === null ? [] : addNodes(addition, described, owners, nodes, timezone);
  const all = [...described, ...(addition?.steps ?? [])];
  const removed =
    steps.length < [...owners].length ||
    addition !== null ||
    [...wanted.values()].some((one) => changed(one, outline));
  const flat = outline.nodes.every(({ structure }) => structure === 'goal' || structure === 'task');
  const retitle = flat && removed && all.length > 0;
  const title = retitle ? describeTitle(all, timezone).slice(0, 300) : outline.title;
  return {
    title,
    summary: removed ? describeOutcome(all, timezone).slice(0, 1000) : outline.summary,
    nodes: [...nodes, ...fresh].map((node) =>
      retitle && node.parent === null ? { ...node, title } : node,
    ),
    risks: outline.risks.map(({ text, sign }) => ({ text, sign: sign ?? null })),
    assumptions: outline.assumptions,
    confidence: 0.9,
  };
}

function changed(one: StepDraft, { nodes }: PlanOutline): boolean {
  const before = nodes.flatMap(({ steps }) => steps).find(({ id }) => id === one.id);
  return JSON.stringify(before?.args) !== JSON.stringify(one.args);
}

/** Folders that MCP servers are asked to make follow the files that are put there. */
function dropFolders(steps: StepDraft[], outline: PlanOutline): StepDraft[] {
  const before = outline.nodes.flatMap(({ steps: own }) => own);
  const isFolder = ({ operation }: StepDraft) =>
    /(?:create|make)_?dir|mkdir|folder/i.test(operation);
  const used = (list: StepDraft[]) =>
    new Set(
      list
        .filter((one) => !isFolder(one))
        .flatMap(({ args = {} }) =>
          Object.values(args).flatMap((value) =>
            typeof value === 'string' ? [folderOf(value)] : [],
          ),
        ),
    );
  const [had, has] = [used(before), used(steps)];
  return steps.flatMap((one): StepDraft[] => {
    const path = one.args?.path;
    if (!isFolder(one) || typeof path !== 'string' || has.has(path) || !had.has(path)) return [one];
    const next = [...has].filter((folder) => folder !== '' && !had.has(folder));
    return next.length === 1 ? [{ ...one, args: { ...one.args, path: next[0] ?? path } }] : [];
  });
}

/** Edges to nodes that are gone lead on to what those waited for. */
function rewire(
  node: OutlineNode,
  { nodes }: PlanOutline,
  wanted: ReadonlyMap<string, StepDraft>,
): WrittenNode['after'] {
  const byId = new Map(nodes.map((one) => [one.id, one]));
  const isGone = (id: string) => {
    const one = byId.get(id);
    return (
      one !== undefined &&
      one.steps.length > 0 &&
      one.steps.every(({ id: own = '' }) => !wanted.has(own))
    );
  };
  const through = (id: string, seen: Set<string>): string[] => {
    if (!isGone(id) || seen.has(id)) return isGone(id) ? [] : [id];
    seen.add(id);
    return (byId.get(id)?.after ?? []).flatMap((edge) => through(edge.id, seen));
  };
  const kept = node.after.filter(({ id }) => !isGone(id));
  const led = node.after.filter(({ id }) => isGone(id)).flatMap(({ id }) => through(id, new Set()));
  return [...kept, ...new Set(led.filter((id) => !kept.some((edge) => edge.id === id)))];
}

function writeOld(
  one: StepDraft,
  node: OutlineNode,
  spec: OperationSpec | undefined,
  timezone: string,
  all: Described[],
): WrittenNode['steps'][number] {
  const { id = '', args = {} } = one;
  const was = node.steps.find((step) => step.id === id);
  const same = JSON.stringify(was?.args ?? {}) === JSON.stringify(args);
  const beside = new Set(node.steps.map((step) => step.id));
  const plain = same || spec === undefined;
  return JsonObject.parse({
    ...one,
    description: plain ? one.description : describeStep({ spec, args }, timezone, all),
    args: writeTemplates(args),
    after: idsOf(was?.after ?? []).filter((other) => beside.has(other)),
    when: conditionsOf(one.when),
  });
}

/** New steps as nodes of their own; what touches the same files keeps its order. */
function addNodes(
  { place, steps }: Addition,
  old: { id: string; spec: OperationSpec; args: Step['args'] }[],
  owners: ReadonlyMap<string, string>,
  nodes: WrittenNode[],
  timezone: string,
): WrittenNode[] {
  const goal = nodes.find(({ parent }) => parent === null)?.id ?? null;
  const waiting = new Set(
    nodes.flatMap(({ after }) => after.map((edge) => (typeof edge === 'string' ? edge : edge.id))),
  );
  const tasks = nodes.filter(({ steps: own }) => own.length > 0);
  const ends = tasks.filter(({ id }) => !waiting.has(id)).map(({ id }) => id);
  return steps.map((step, index) => {
    const own = findTouched(step);
    const met = old
      .filter((one) => stepsConflict(findTouched(one), own))
      .map(({ id }) => owners.get(id) ?? id);
    const behind = place === 'behind' && index === 0 ? ends : [];
    return {
      ...emptyNode({
        id: step.id,
        parent: goal,
        title: describeStep(step, timezone, steps),
        structure: 'task',
      }),
      after: [...new Set([...step.after, ...met, ...behind])],
      not_before: step.start,
      steps: [writeStep(step, [], timezone, steps)],
    };
  });
}
