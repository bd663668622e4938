// The facts of a plan's card for one viewer, read afresh each time.
import type { PlanCardFacts, Touch } from '#contracts/card.ts';
import type { Plan, Step, StepStatus } from '#contracts/plan.ts';
import { approvalsNeeded, describeApprovers, mayApprove } from '#plans/authority.ts';
import { diffVersions } from '#plans/version-diff.ts';
import { readPlan } from '#store/plans.ts';
import { readNextSteps, readOperations, readSteps } from '#store/steps.ts';
import type { ConversationContext } from './conversation-context.ts';

const stepsShown = 24;
const namedShown = 5;

/** Minutes along the longest chain of these steps; null when none states a duration or not all are here. */
function longestMinutes(plan: Plan, steps: Step[]): number | null {
  if (plan.total_steps > steps.length) return null;
  if (steps.every(({ duration_minutes }) => duration_minutes === null)) return null;
  const ends = new Map<string, number>();
  const endOf = (step: Step): number => {
    const known = ends.get(step.id);
    if (known !== undefined) return known;
    const before = step.after.map(({ id }) => steps.find((other) => other.id === id));
    const start = Math.max(0, ...before.map((other) => (other === undefined ? 0 : endOf(other))));
    const end = start + (step.duration_minutes ?? 0);
    ends.set(step.id, end);
    return end;
  };
  return Math.max(...steps.map(endOf));
}

function touchesOf(operations: Awaited<ReturnType<typeof readOperations>>): Touch[] {
  return operations
    .filter(({ effect }) => effect !== 'read')
    .map(({ operation, targets, count, guarded }) => ({ operation, targets, count, guarded }))
    .sort((a, b) => Number(b.guarded) - Number(a.guarded));
}

/** @throws `plan_not_found` */
export async function readCardFacts(
  context: ConversationContext,
  planId: string,
  viewer: { user: string; timezone: string },
): Promise<PlanCardFacts> {
  const db = context.db.query;
  const plan = await readPlan(db, planId);
  const some = (status: StepStatus): Promise<Step[]> =>
    plan.counts[status] === 0
      ? Promise.resolve([])
      : readSteps(db, planId, { status: [status] }, 0, namedShown);
  const steps = await readSteps(db, planId, {}, 0, stepsShown);
  return {
    plan,
    steps,
    touches: touchesOf(await readOperations(db, planId)),
    diff: plan.version > 1 ? await diffVersions(db, planId, plan.version - 1, plan.version) : null,
    running: await some('running'),
    next: plan.counts.ready === 0 ? [] : await readNextSteps(db, planId, namedShown),
    failed: await some('failed'),
    unknown: await some('unknown'),
    waiting: await some('waiting'),
    expected_minutes: longestMinutes(plan, steps),
    approvers: describeApprovers(plan, context.approvers),
    approvals_needed: approvalsNeeded(plan.approver_policy),
    may_approve: mayApprove(plan, context.approvers, viewer.user),
    viewer,
    now: context.clock.now().toISOString(),
    link: context.linkTo(planId),
  };
}
