// From a draft as it was sent to steps as they are stored: ids, positions, edges, effects; or every problem found, and nothing stored.
import { openArguments } from '#contracts/arguments.ts';
import type { PlanDraft, StepContent, StepDraft } from '#contracts/plan.ts';
import type { ResourcePool } from '#contracts/settings.ts';
import type { JsonObject } from '#contracts/text.ts';
import { type Catalogue, operationName } from '#contracts/tool.ts';
import type { Edge, Lane, NewStep } from '#store/steps.ts';
import { areReadable, checkReferences } from './check-references.ts';
import { dependenciesOf } from './dependencies.ts';
import { findCycle } from './graph.ts';
import { Lanes } from './lanes.ts';
import { Problems } from './problems.ts';
import { sealOf } from './seal.ts';

/** What there is to know of operations. */
type Described = Pick<Catalogue, 'list' | 'get' | 'validate'>;

type NormalStep = StepContent & NewStep;

export type NormalPlan = {
  steps: NormalStep[];
  edges: Edge[];
  lanes: Lane[];
  /** Resource pools that its steps reserve from. */
  pools: string[];
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
  catalogue: Described,
  path: string,
  label: string,
  problems: Problems,
): void {
  const reasons = catalogue.validate(name, args, openArguments(args));
  if (reasons.length === 0) return;
  const special = catalogue.get(name)?.check?.(args)?.code ?? 'invalid_arguments';
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

/** How much of each pool steps may reserve at once. */
export type PoolLimits = Record<string, Pick<ResourcePool, 'capacity' | 'headroom'>>;

/** A step that needs more than there is would wait for ever. Where no pool is configured, nothing is limited. */
function checkResources(
  step: StepDraft,
  index: number,
  label: string,
  pools: PoolLimits,
  problems: Problems,
): void {
  const known = Object.keys(pools);
  if (known.length === 0) return;
  for (const [name, amount] of Object.entries(step.resources ?? {})) {
    const path = `steps[${index}].resources.${name}`;
    const pool = pools[name];
    if (pool === undefined) {
      problems.add(
        'invalid_request',
        path,
        `Step ${label} needs ${name}, which is no resource pool. There are ${known.join(', ')}.`,
      );
    } else if (amount > pool.capacity - pool.headroom) {
      problems.add(
        'invalid_request',
        path,
        `Step ${label} needs ${amount} of ${name}, which has ${pool.capacity - pool.headroom}. Ask for less, or raise resourcePools.${name}.`,
      );
    }
  }
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

function describeKnown(catalogue: Described): string {
  const names = catalogue.list().map(({ name }) => name);
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
  catalogue: Described,
  guardedTools: string[],
  pools: PoolLimits = {},
): NormalPlan {
  const problems = new Problems();
  const lanes = new Lanes();
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
    const spec = catalogue.get(name);
    const given = step.args ?? {};
    const readable = areReadable(given, index, id, problems);
    const args = readable ? given : {};
    if (spec === undefined || spec.tool !== step.tool) {
      problems.add(
        'unknown_operation',
        `steps[${index}]`,
        `Step ${id} uses ${name}, which no tool offers. Available: ${describeKnown(catalogue)}.`,
      );
    } else if (readable) {
      checkArguments(args, name, catalogue, `steps[${index}].args`, id, problems);
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
    checkResources(step, index, id, pools, problems);
    const target = step.target ?? targetFrom(args, spec?.targetArgument);
    const executed = {
      id,
      tool: step.tool,
      operation: step.operation,
      target,
      args,
      resources: step.resources ?? {},
      capabilities: [...new Set([...(spec?.capabilities ?? []), ...(step.capabilities ?? [])])],
    };
    return {
      ...executed,
      position: index + 1,
      description: step.description,
      after: dependencies.map(({ dependency }) => dependency),
      priority: step.priority ?? 0,
      partition: step.partition ?? null,
      tags: [...new Set(step.tags ?? [])],
      notes: step.notes ?? null,
      duration_minutes: step.duration_minutes ?? null,
      not_before: readTime(step, index, id, problems),
      effect: spec?.effect ?? 'write',
      guarded: guarded.has(name),
      unmet: dependencies.length,
      dependents: 0,
      lane: lanes.of(executed),
      seal: sealOf(executed),
    };
  });
  for (const { predecessor } of edges) {
    const step = steps[predecessor - 1];
    if (step !== undefined) step.dependents++;
  }
  checkReferences(steps, catalogue, problems);
  checkOrder(ids, edges, problems);
  problems.settle();
  return {
    steps,
    edges,
    lanes: lanes.list,
    pools: lanes.pools().filter((name) => pools[name] !== undefined),
    tools_required: [...used].sort(),
    guarded_operations: [...used].filter((name) => guarded.has(name)).sort(),
  };
}

/** What a step touches, read from the argument that names it, when it is a literal. */
function targetFrom(args: JsonObject, argument: string | undefined): string | null {
  const value = argument === undefined ? undefined : args[argument];
  return typeof value === 'string' && value !== '' ? value.slice(0, 2000) : null;
}
