// Keeps IDs of unchanged nodes and steps across redrafts.
import { renameReferences } from '#domain/plan/arguments.ts';
import { renameConditions } from '#domain/plan/condition.ts';
import { toDependency } from '#domain/plan/dependency.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { OutlineNode } from '#domain/planning/outline.ts';
import { takeId } from './outline-tree.ts';

type Entry = { id: string; key: string };

/** For entries equal to one under another ID, and those whose ID is thereby taken. */
function matchIds(previous: Entry[], next: Entry[]): Map<string, string> {
  const keys = new Map(previous.map(({ id, key }) => [id, key]));
  const settled = new Set(next.filter(({ id, key }) => keys.get(id) === key).map(({ id }) => id));
  const free = new Map<string, string[]>();
  for (const { id, key } of previous.toReversed()) {
    if (!settled.has(id)) free.set(key, [...(free.get(key) ?? []), id]);
  }
  const names = new Map<string, string>();
  const back = new Set<string>();
  for (const { id, key } of next) {
    const old = settled.has(id) ? undefined : free.get(key)?.pop();
    if (old === undefined) continue;
    names.set(id, old);
    back.add(old);
  }
  const taken = new Set([...next.map(({ id }) => id), ...keys.keys()]);
  for (const { id } of next) {
    if (back.has(id) && !names.has(id)) names.set(id, takeId(id, taken));
  }
  return names;
}

/** Content, independent of IDs. */
function keyOfStep(
  { tool, operation, args = {}, when, ask_before }: StepDraft,
  describe: (id: string) => string,
) {
  const conditions = when === undefined ? null : renameConditions(when, describe);
  return JSON.stringify([
    tool,
    operation,
    renameReferences(args, describe),
    conditions,
    ask_before ?? false,
  ]);
}

function readKeys(nodes: OutlineNode[]): { nodes: Entry[]; steps: Entry[] } {
  const words = new Map<string, string>();
  for (const { steps } of nodes) {
    for (const step of steps) words.set(step.id ?? '', `${step.tool} ${step.description}`);
  }
  const describe = (id: string) => words.get(id) ?? id;
  const steps = nodes.flatMap((node) =>
    node.steps.flatMap((step) =>
      step.id === undefined ? [] : [{ id: step.id, key: keyOfStep(step, describe) }],
    ),
  );
  const entries = nodes.map(({ id, structure, title, steps: own }) => {
    const work = own.map((step) => keyOfStep(step, describe));
    const kind = own.length > 0 ? 'work' : structure;
    return { id, key: JSON.stringify([kind, own.length > 0 ? work : title]) };
  });
  return { nodes: entries, steps };
}

export function keepIds(previous: OutlineNode[], next: OutlineNode[]): OutlineNode[] {
  const before = readKeys(previous);
  const now = readKeys(next);
  const nodeNames = matchIds(before.nodes, now.nodes);
  const stepNames = matchIds(before.steps, now.steps);
  if (nodeNames.size === 0 && stepNames.size === 0) return next;
  const nodeName = (id: string) => nodeNames.get(id) ?? id;
  const stepName = (id: string) => stepNames.get(id) ?? id;
  return next.map((node) => ({
    ...node,
    id: nodeName(node.id),
    parent: node.parent === null ? null : nodeName(node.parent),
    after: node.after.map((edge) => ({ ...edge, id: nodeName(edge.id) })),
    steps: node.steps.map((step) => renameStep(step, stepName)),
  }));
}

function renameStep(step: StepDraft, rename: (id: string) => string): StepDraft {
  const { id, after, args, when } = step;
  return {
    ...step,
    ...(id === undefined ? {} : { id: rename(id) }),
    ...(after === undefined
      ? {}
      : { after: after.map(toDependency).map((edge) => ({ ...edge, id: rename(edge.id) })) }),
    ...(args === undefined ? {} : { args: renameReferences(args, rename) }),
    ...(when === undefined ? {} : { when: renameConditions(when, rename) }),
  };
}
