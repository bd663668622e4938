// Normalises a draft into stored steps, or reports every problem.
import type { Edge, Lane, NewStep } from '#db/steps/steps.ts';
import { Problems } from '#domain/errors.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepContent, StepDraft } from '#domain/plan/step-content.ts';
import { labelVersion } from '#domain/plan/step-numbers.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import { buildDigraph, findCycle } from '#graph/digraph.ts';
import type { PoolLimits } from '../plans-context.ts';
import { checkSelected, createReferenceCheck, findReads } from './check-references.ts';
import { dependenciesOf } from './dependencies.ts';
import { normaliseStep, type StepRules } from './normalise-step.ts';
import { Lanes } from './touches.ts';

type NormalStep = StepContent & NewStep;

export type NormalPlan = {
  steps: NormalStep[];
  edges: Edge[];
  lanes: Lane[];
  pools: string[];
  tools_required: string[];
  guarded_operations: string[];
};

export function idsOf(drafts: StepDraft[]): string[] {
  const taken = new Set(drafts.flatMap(({ id }) => (id === undefined ? [] : [id])));
  return drafts.map(({ id }, index) => {
    if (id !== undefined) return id;
    let own = String(index + 1);
    while (taken.has(own)) own = `step-${own}`;
    taken.add(own);
    return own;
  });
}

function checkIds(ids: string[], places: string[], problems: Problems): void {
  const seen = new Set<string>();
  for (const [index, id] of ids.entries()) {
    if (seen.has(id)) {
      problems.add(
        'duplicate_step',
        `${places[index] ?? `steps[${index}]`}.id`,
        `Two steps have the id "${id}". Give each step its own ID.`,
      );
    }
    seen.add(id);
  }
}

/** Cyclic steps could never run. */
function checkOrder(ids: string[], edges: Edge[], problems: Problems): void {
  const pairs = edges.flatMap(({ predecessor, successor }) => [predecessor - 1, successor - 1]);
  const cycle = findCycle(buildDigraph(ids.length, pairs));
  if (cycle === null) return;
  const names = [...cycle, cycle[0]].map((index) => ids[index ?? 0]);
  problems.add(
    'dependency_cycle',
    'steps',
    `These steps wait for each other: ${names.slice(0, 12).join(' → ')}. Remove one of the dependencies.`,
  );
}

/**
 * In slices.
 * @param places paths in the request; default `steps[0]` …
 * @throws with the first problem's code (`empty_plan`, `duplicate_step`, `unknown_operation`, `unknown_step`, `dependency_cycle`,
 * `invalid_arguments`, `invalid_reference`, `path_outside_workspace`), up to 20 in `details.errors`
 */
export async function normalisePlan(
  draft: PlanDraft,
  catalogue: StepRules['catalogue'],
  guardedTools: string[],
  pools: PoolLimits = {},
  profile = StrategyProfile.parse({}),
  places: string[] = [],
): Promise<NormalPlan> {
  const problems = new Problems();
  const lanes = new Lanes();
  if (draft.steps.length === 0) {
    problems.add('empty_plan', 'steps', 'A plan needs at least one step.');
  }
  const ids = idsOf(draft.steps);
  checkIds(ids, places, problems);
  const positions = new Map(ids.map((id, index) => [id, index + 1]));
  const guarded = new Set(guardedTools);
  const rules: StepRules = { catalogue, guarded, pools, profile };
  const used = new Set<string>();
  const edges: Edge[] = [];
  const named = draft.steps.map((step, index) => ({ ...step, id: ids[index] ?? '' }));
  const reads = await findReads(named, catalogue);
  const steps: NormalStep[] = [];
  for (const [index, step] of draft.steps.entries()) {
    const id = ids[index] ?? String(index + 1);
    const position = index + 1;
    const path = places[index] ?? `steps[${index}]`;
    const body = normaliseStep(step, id, path, rules, problems);
    used.add(operationName(body.tool, body.operation));
    const place = { label: id, position, path };
    const read = reads.get(id);
    if (read !== undefined) checkSelected(id, path, read.selector, read.ids, problems);
    const dependencies = dependenciesOf(step, body.args, place, positions, problems, read?.ids);
    for (const { predecessor, dependency } of dependencies) {
      const { type, lag_minutes } = dependency;
      edges.push({ predecessor, successor: position, type, lag_minutes });
    }
    steps.push({
      ...body,
      position,
      label: null,
      after: dependencies.map(({ dependency }) => dependency),
      unmet: dependencies.length,
      dependents: 0,
      lane: lanes.of(body),
    });
    if (isSliceOver()) await nextTurn();
  }
  for (const { predecessor } of edges) {
    const step = steps[predecessor - 1];
    if (step !== undefined) step.dependents++;
  }
  if (isSliceOver()) await nextTurn();
  const labels = labelVersion(steps);
  for (const [index, step] of steps.entries()) step.label = labels[index] ?? null;
  const checkReferences = createReferenceCheck(steps, catalogue, problems);
  for (const [index, step] of steps.entries()) {
    checkReferences(step, index);
    if (isSliceOver()) await nextTurn();
  }
  if (isSliceOver()) await nextTurn();
  checkOrder(ids, edges, problems);
  problems.settle();
  return {
    steps,
    edges,
    lanes: lanes.list,
    pools: lanes.pools().filter((name) => Object.hasOwn(pools, name)),
    tools_required: [...used].sort(),
    guarded_operations: [...used].filter((name) => guarded.has(name)).sort(),
  };
}

/** @throws `not_allowed` naming the steps */
export async function requireCallsAllowed(
  catalogue: Pick<Catalogue, 'get'>,
  steps: readonly Pick<StepDraft, 'id' | 'tool' | 'operation' | 'args'>[],
  requester: string,
): Promise<void> {
  const problems = new Problems();
  const known = new Map<string, string | null>();
  for (const [index, { id, tool, operation, args = {} }] of steps.entries()) {
    const name = operationName(tool, operation);
    const spec = catalogue.get(name);
    if (spec?.findRefusal === undefined) continue;
    const key = JSON.stringify([name, args]);
    const seen = known.get(key);
    const refusal = seen === undefined ? await spec.findRefusal(args, requester) : seen;
    known.set(key, refusal);
    const path = `steps[${index}].args`;
    if (refusal !== null) problems.add('not_allowed', path, `Step ${id ?? index + 1}: ${refusal}`);
  }
  problems.settle();
}
