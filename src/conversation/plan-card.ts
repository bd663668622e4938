// The facts of a plan's card for one viewer, read afresh each time.
import type { ApprovalRule, PlanCardFacts, Touch } from '#contracts/card.ts';
import type { Plan, Step, StepStatus } from '#contracts/plan.ts';
import { numberedAtMost } from '#contracts/step-numbers.ts';
import { approvalsThatSuffice, isSatisfied, judge } from '#plans/approver-rules.ts';
import { describeAllMissing, describeMissing } from '#plans/approver-words.ts';
import { mayApproveNow, readAuthority } from '#plans/authority.ts';
import { diffVersions } from '#plans/version-diff.ts';
import { readPlan } from '#store/plans.ts';
import { readNextSteps, readOperations, readSteps } from '#store/steps.ts';
import type { ConversationContext } from './conversation-context.ts';

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

/** Who has approved, who still has to, and whether `user` is one of them. */
async function readApprovalFacts(context: ConversationContext, plan: Plan, user: string) {
  const approved = plan.approvals.map(({ by }) => by);
  const authority = await readAuthority(context.db.query, context, plan, [...approved, user]);
  const { rules, people } = authority;
  const standings = judge(rules, people, approved);
  return {
    approvers: describeAllMissing(standings, people),
    approvals_needed: approvalsThatSuffice(rules, people, approved),
    approval_rules: standings.map(
      (standing): ApprovalRule => ({
        operations: standing.rule.operations,
        needed: standing.needed,
        given: standing.given,
        missing: isSatisfied(standing) ? '' : describeMissing(standing, people),
      }),
    ),
    may_approve: mayApproveNow(authority, approved, user),
  };
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
  const steps = await readSteps(db, planId, {}, 0, numberedAtMost);
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
    ...(await readApprovalFacts(context, plan, viewer.user)),
    viewer,
    now: context.clock.now().toISOString(),
    link: context.linkTo(planId),
  };
}
