// A dry run of a plan; only looks at targets.
import { readUsualStepCost } from '#db/planning/spending.ts';
import { type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import { readSteps } from '#db/steps/pages.ts';
import { readOperations } from '#db/steps/steps.ts';
import { hasRuntime } from '#domain/plan/arguments.ts';
import { assigneeOf, isHumanTask } from '#domain/plan/human-task.ts';
import type { Step } from '#domain/plan/plan.ts';
import { isSameState, type SeenState } from '#domain/plan/seen.ts';
import type { Simulation } from '#domain/service.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import { describeSteps } from '#tools/describe-call.ts';
import type { PlansContext } from '../plans-context.ts';
import { lookAt } from './look-at-targets.ts';
import { bindStep } from './normalise-step.ts';
import { findPreflightProblems, usesModel } from './preflight.ts';

const callsShown = 200;
const open = new Set<Step['status']>(['pending', 'ready']);

/** Kahn's algorithm, keeping the plan's order if possible. */
function inOrder(steps: Step[]): Step[] {
  const shown = new Set(steps.map(({ id }) => id));
  const done = new Set<string>();
  const ordered: Step[] = [];
  let left = steps;
  while (left.length > 0) {
    const free = left.filter(({ after }) =>
      after.every(({ id }) => done.has(id) || !shown.has(id)),
    );
    if (free.length === 0) return [...ordered, ...left];
    for (const step of free) done.add(step.id);
    ordered.push(...free);
    left = left.filter(({ id }) => !done.has(id));
  }
  return ordered;
}

/** By ID; null if an earlier step may make it. */
async function lookNow(
  catalogue: Pick<Catalogue, 'get'>,
  steps: Step[],
): Promise<Map<string, SeenState>> {
  const looked = steps
    .filter(({ status }) => open.has(status))
    .map((step) => {
      const spec = catalogue.get(operationName(step.tool, step.operation));
      return { ...step, review_rank: bindStep(step, spec).review_rank };
    });
  const states = await lookAt(catalogue, looked, steps);
  return new Map([...states].map(([{ id }, state]) => [id, state]));
}

function askedBy(step: Step, { confirm_each }: PlanRow): Simulation['calls'][number]['asks'] {
  if (isHumanTask(step)) return { kind: 'task', who: assigneeOf(step) };
  const confirms = confirm_each || (step.guarded && hasRuntime(step.args));
  return confirms ? { kind: 'confirmation', who: null } : null;
}

async function estimateCost(
  { db, modelBudget }: PlansContext,
  row: PlanRow,
  steps: number,
): Promise<Simulation['cost']> {
  const model = row.executor_model ?? modelBudget?.usual;
  if (steps === 0 || model === undefined) return { model_steps: steps, usd: null };
  const each =
    (await readUsualStepCost(db.query, model)) ?? modelBudget?.firstCallUsd(model) ?? null;
  return { model_steps: steps, usd: each === null ? null : each * steps };
}

/** @throws `plan_not_found` */
export async function simulatePlan(context: PlansContext, planId: string): Promise<Simulation> {
  const { db } = context;
  const row = await readPlanRow(db.query, planId);
  const problems = await findPreflightProblems(db.query, context, row);
  const catalogue = context.catalogue.of(row.tenant);
  const steps = inOrder(await readSteps(db.query, planId, { present: true }, 0, callsShown));
  const now = await lookNow(catalogue, steps);
  const asked = steps.map((step) => ({ ...step, seen: now.get(step.id) ?? null }));
  const shown = describeSteps(catalogue, asked);
  const toBegin = steps.filter(({ status }) => open.has(status));
  return {
    plan_id: planId,
    version: row.version,
    total: row.total,
    calls: steps.map((step, at) => {
      const state = now.get(step.id);
      const call = shown[at]?.call;
      if (call === undefined) throw new Error(`simulatePlan: ${step.id} is not described`);
      return {
        step_id: step.id,
        label: step.label,
        status: step.status,
        operation: operationName(step.tool, step.operation),
        target: step.target,
        args: step.args,
        effect: step.effect,
        guarded: step.guarded,
        call,
        found: state?.state ?? null,
        changed: state !== undefined && step.seen !== null && !isSameState(step.seen, state),
        asks: askedBy(step, row),
      };
    }),
    operations: await readOperations(db.query, planId),
    cost: await estimateCost(
      context,
      row,
      toBegin.filter((step) => usesModel(step, catalogue)).length,
    ),
    problems,
  };
}
