// From a draft as it was sent to steps as they are stored: ids, positions, edges, effects; or every problem found, and nothing stored.
import { openArguments } from '#contracts/arguments.ts';
import type { PlanDraft, StepContent, StepDraft } from '#contracts/plan.ts';
import type { JsonObject } from '#contracts/text.ts';
import { operationName, type ToolRegistry } from '#contracts/tool.ts';
import type { Edge, NewStep } from '#store/steps.ts';
import { dependenciesOf } from './dependencies.ts';
import { findCycle } from './graph.ts';
import { Problems } from './problems.ts';

type NormalStep = StepContent & NewStep;

export type NormalPlan = {
  steps: NormalStep[];
  edges: Edge[];
  tools_required: string[];
  guarded_operations: string[];
};

function assignIds(drafts: StepDraft[], problems: Problems): string[] {
  const taken = new Set(drafts.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const seen = new Set<string>();
  return drafts.map((draft, index) => {
    let id = draft.id ?? String(index + 1);
    if (draft.id === undefined) {
      while (taken.has(id) || seen.has(id)) id = `step-${id}`;
    } else if (seen.has(id)) {
      problems.add(
        'duplicate_step',
        `steps[${index}].id`,
        `Two steps have the id "${id}". Give each step an id of its own.`,
      );
    }
    seen.add(id);
    return id;
  });
}

function checkArguments(
  args: JsonObject,
  name: string,
  registry: ToolRegistry,
  path: string,
  label: string,
  problems: Problems,
): void {
  const reasons = registry.validate(name, args, openArguments(args));
  if (reasons.length === 0) return;
  const special = registry.get(name)?.check?.(args)?.code ?? 'invalid_arguments';
  problems.add(special, path, `Step ${label} (${name}): ${reasons.join('; ')}.`);
}

/** A not-before time in UTC. Both Postgres and the digest take years of four digits, in UTC too. */
function readTime(
  step: StepDraft,
  index: number,
  label: string,
  problems: Problems,
): string | null {
  if (step.not_before === undefined) return null;
  const time = new Date(step.not_before);
  const year = time.getUTCFullYear();
  if (year >= 1000 && year <= 9999) return time.toISOString();
  problems.add(
    'invalid_request',
    `steps[${index}].not_before`,
    `Step ${label} has a not_before that is no time between the years 1000 and 9999. Give one such as 2026-05-04T09:00:00Z.`,
  );
  return null;
}

/** Steps that wait for each other can never run. */
function checkOrder(ids: string[], edges: Edge[], problems: Problems): void {
  const cycle = findCycle(ids.length, edges);
  if (cycle === null) return;
  const names = [...cycle, cycle[0]].map((position) => ids[(position ?? 1) - 1]);
  problems.add(
    'dependency_cycle',
    'steps',
    `These steps wait for each other: ${names.slice(0, 12).join(' → ')}. Remove one of the dependencies.`,
  );
}

function describeKnown(registry: ToolRegistry): string {
  const names = registry.list().map(({ name }) => name);
  const shown = names.slice(0, 12).join(', ');
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown;
}

/**
 * The stored form of `draft`.
 * @throws CountersignError with the first problem's code (`empty_plan`, `duplicate_step`, `unknown_operation`,
 *   `unknown_step`, `dependency_cycle`, `invalid_arguments`, `invalid_reference`, `path_outside_workspace`)
 *   and up to 20 problems in `details.errors`
 */
export function normalisePlan(
  draft: PlanDraft,
  registry: ToolRegistry,
  guardedTools: string[],
): NormalPlan {
  const problems = new Problems();
  if (draft.steps.length === 0) {
    problems.add('empty_plan', 'steps', 'A plan needs at least one step.');
  }
  const ids = assignIds(draft.steps, problems);
  const positions = new Map(ids.map((id, index) => [id, index + 1]));
  const guarded = new Set(guardedTools);
  const used = new Set<string>();
  const edges: Edge[] = [];
  const steps = draft.steps.map((step, index): NormalStep => {
    const id = ids[index] ?? String(index + 1);
    const name = operationName(step.tool, step.operation);
    const spec = registry.get(name);
    const args = step.args ?? {};
    if (spec === undefined || spec.tool !== step.tool) {
      problems.add(
        'unknown_operation',
        `steps[${index}]`,
        `Step ${id} uses ${name}, which no tool offers. Available: ${describeKnown(registry)}.`,
      );
    } else {
      checkArguments(args, name, registry, `steps[${index}].args`, id, problems);
    }
    used.add(name);
    const dependencies = dependenciesOf(step, args, index, id, positions, problems);
    for (const { predecessor, dependency } of dependencies) {
      edges.push({
        predecessor,
        successor: index + 1,
        type: dependency.type,
        lag_minutes: dependency.lag_minutes,
      });
    }
    const target = step.target ?? targetFrom(args, spec?.targetArgument);
    return {
      id,
      position: index + 1,
      description: step.description,
      tool: step.tool,
      operation: step.operation,
      target,
      args,
      after: dependencies.map(({ dependency }) => dependency),
      priority: step.priority ?? 0,
      partition: step.partition ?? null,
      tags: [...new Set(step.tags ?? [])],
      resources: step.resources ?? {},
      capabilities: [...new Set(step.capabilities ?? [])],
      notes: step.notes ?? null,
      duration_minutes: step.duration_minutes ?? null,
      not_before: readTime(step, index, id, problems),
      effect: spec?.effect ?? 'write',
      guarded: guarded.has(name),
      unmet: dependencies.length,
      dependents: 0,
    };
  });
  for (const { predecessor } of edges) {
    const step = steps[predecessor - 1];
    if (step !== undefined) step.dependents++;
  }
  checkOrder(ids, edges, problems);
  problems.settle();
  return {
    steps,
    edges,
    tools_required: [...used].sort(),
    guarded_operations: [...used].filter((name) => guarded.has(name)).sort(),
  };
}

/** What a step touches, read from the argument that names it, when it is a literal. */
function targetFrom(args: JsonObject, argument: string | undefined): string | null {
  const value = argument === undefined ? undefined : args[argument];
  return typeof value === 'string' && value !== '' ? value.slice(0, 2000) : null;
}
