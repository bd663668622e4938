// Lists a plan's calls in a possible order without making them, and the problems that prevent running it.
import { readPlanRow } from '#db/plans/plans.ts';
import { readSteps } from '#db/steps/pages.ts';
import { readOperations } from '#db/steps/steps.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { Simulation } from '#domain/service.ts';
import { operationName } from '#domain/tool.ts';
import type { PlansContext } from '../plans-context.ts';
import { findPreflightProblems } from './preflight.ts';

const callsShown = 200;

/** Topological order (Kahn) that keeps the plan's order if possible. */
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

/** @throws `plan_not_found` */
export async function simulatePlan(context: PlansContext, planId: string): Promise<Simulation> {
  const { db } = context;
  const row = await readPlanRow(db.query, planId);
  const steps = await readSteps(db.query, planId, { present: true }, 0, callsShown);
  const operations = await readOperations(db.query, planId);
  return {
    plan_id: planId,
    version: row.version,
    total: row.total,
    calls: inOrder(steps).map((step) => ({
      step_id: step.id,
      operation: operationName(step.tool, step.operation),
      target: step.target,
      args: step.args,
      effect: step.effect,
      guarded: step.guarded,
    })),
    operations,
    problems: await findPreflightProblems(db.query, context, row),
  };
}
